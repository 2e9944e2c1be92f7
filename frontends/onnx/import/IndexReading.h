// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads at positions given by data, for the import rules that are made of such
// reads.
#ifndef ZENITH_FRONTENDS_ONNX_IMPORT_INDEXREADING_H
#define ZENITH_FRONTENDS_ONNX_IMPORT_INDEXREADING_H

#include "frontends/onnx/import/ImportBuilder.h"

#include <optional>

namespace zenith::onnx {

/// Adds the size to negative indices.
Value wrapNegative(ImportBuilder &b, Value indices, Value size);
/// Slices of the operand along one dimension; the dimensions of the indices
/// take its place. Indices count from the front.
Value gatherAlong(ImportBuilder &b, Value operand, int64_t axis, Value indices);
/// The same for known indices along a dimension of known size: without a read
/// by index where these are a few runs of neighbours, forwards or backwards, or
/// of equals.
Value readAlong(ImportBuilder &b, Value operand, int64_t axis,
                llvm::ArrayRef<int64_t> from);
/// One element per index, which replaces the coordinate along `axis` of its own
/// position. Indices are i64 and count from the front.
Value gatherElements(ImportBuilder &b, Value operand, int64_t axis,
                     Value indices);
/// Coordinates of every element of `indices`, with its own value along `axis`,
/// along a new last dimension. Indices are i64 and count from the front.
Value elementTuples(ImportBuilder &b, Value indices, int64_t axis);
/// Indices of elements along `axis` of an array of shape `dims` that repeat
/// along all dimensions behind it, or behind a later one, and span the array
/// there: one per row instead of one per element. Nothing where they do not.
std::optional<Value> rowIndices(ImportBuilder &b, Value indices, int64_t axis,
                                llvm::ArrayRef<DimExpr> dims);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_IMPORT_INDEXREADING_H
