// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers at data-dependent positions, which several import rules are made of.
#ifndef ZENITH_FRONTENDS_ONNX_IMPORT_INDEXREADING_H
#define ZENITH_FRONTENDS_ONNX_IMPORT_INDEXREADING_H

#include "frontends/onnx/import/ImportBuilder.h"

#include <optional>

namespace zenith::onnx {

class NodeReading;

/// Makes an index outside of [-size, size) an error of the run, which names the
/// node, the index and the size. Nothing where the range is proved. `dim` is
/// the dimension of the data, for the message.
void requireIndices(NodeReading &n, Value indices, const DimExpr &size,
                    int64_t dim);
/// The same for an input of the node, whose elements the model may give.
void requireIndices(NodeReading &n, size_t input, const DimExpr &size,
                    int64_t dim);
/// The same for tuples of indices along the last dimension, of which each has
/// its own size; they address dimensions from `firstDim` on.
void requireTuples(NodeReading &n, size_t input, llvm::ArrayRef<DimExpr> sizes,
                   int64_t firstDim);
void requireTuples(NodeReading &n, Value tuples, llvm::ArrayRef<DimExpr> sizes,
                   int64_t firstDim);
/// Adds the size to negative indices.
Value wrapNegative(ImportBuilder &b, Value indices, Value size);
/// Slices of the operand along one dimension, which the dimensions of the
/// indices replace. Indices are not negative.
Value gatherAlong(ImportBuilder &b, Value operand, int64_t axis, Value indices);
/// The same for constant indices along a dimension of known size: slices
/// replace the gather if the indices are a few runs of neighbours, forwards or
/// backwards, or of equal indices.
Value readAlong(ImportBuilder &b, Value operand, int64_t axis,
                llvm::ArrayRef<int64_t> from);
/// One element per index, which replaces the coordinate along `axis` of its own
/// position. Indices are i64 and not negative.
Value gatherElements(ImportBuilder &b, Value operand, int64_t axis,
                     Value indices);
/// Coordinates of every element of `indices`, with its own value along `axis`,
/// along a new last dimension. Indices are i64 and not negative.
Value elementTuples(ImportBuilder &b, Value indices, int64_t axis);
/// Indices of elements along `axis` of an array of shape `dims`, if they repeat
/// along all dimensions after `axis`, or after a later one, and span the array
/// there: one per row instead of one per element. Nothing otherwise.
std::optional<Value> rowIndices(ImportBuilder &b, Value indices, int64_t axis,
                                llvm::ArrayRef<DimExpr> dims);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_IMPORT_INDEXREADING_H
