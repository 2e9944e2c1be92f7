// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes with tensors whose elements are known as expressions over
// dimensions: the shape arithmetic that exporters write out becomes types here
// and never reaches the program.
#ifndef ZENITH_FRONTENDS_ONNX_IMPORT_ELEMENTFOLDING_H
#define ZENITH_FRONTENDS_ONNX_IMPORT_ELEMENTFOLDING_H

#include "frontends/onnx/import/NodeReading.h"

namespace zenith::onnx {

// Constant folding of the op table's rows: true if the results were computed.
bool foldAdd(NodeReading &n);
bool foldSub(NodeReading &n);
bool foldMul(NodeReading &n);
bool foldDiv(NodeReading &n);
bool foldMod(NodeReading &n);
bool foldMin(NodeReading &n);
bool foldMax(NodeReading &n);
bool foldNeg(NodeReading &n);
bool foldAnd(NodeReading &n);
bool foldOr(NodeReading &n);
bool foldNot(NodeReading &n);
bool foldEqual(NodeReading &n);
bool foldLess(NodeReading &n);
bool foldLessOrEqual(NodeReading &n);
bool foldGreater(NodeReading &n);
bool foldGreaterOrEqual(NodeReading &n);
bool foldWhere(NodeReading &n);

/// Converts to another integer type; false where a value might not fit.
bool castKnownElements(Elements &elements, mlir::Type to);

/// The elements in another order of dimensions: result dimension d is dimension
/// permutation[d].
Elements transposeKnown(const Elements &from,
                        llvm::ArrayRef<int64_t> permutation);
/// Row-major positions in `from` that a NumPy broadcast to `to` reads.
llvm::SmallVector<int64_t> broadcastIndices(llvm::ArrayRef<int64_t> from,
                                            llvm::ArrayRef<int64_t> to);
/// Element count of a static shape, or nothing where it exceeds
/// maxKnownElements.
std::optional<int64_t> smallCount(llvm::ArrayRef<int64_t> shape);
/// All dims as integers.
std::optional<llvm::SmallVector<int64_t>>
staticShape(llvm::ArrayRef<DimExpr> dims);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_IMPORT_ELEMENTFOLDING_H
