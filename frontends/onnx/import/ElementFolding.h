// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes with tensors whose elements are known as expressions over
// dimensions: the shape arithmetic that exporters write out becomes types here
// and never reaches the program.
#ifndef ZENITH_FRONTENDS_ONNX_IMPORT_ELEMENTFOLDING_H
#define ZENITH_FRONTENDS_ONNX_IMPORT_ELEMENTFOLDING_H

#include "frontends/onnx/import/NodeReading.h"

namespace zenith::onnx {

// Fold functions of the op table: true where the results were computed.
bool foldAdd(NodeImport &n);
bool foldSub(NodeImport &n);
bool foldMul(NodeImport &n);
bool foldDiv(NodeImport &n);
bool foldMod(NodeImport &n);
bool foldMin(NodeImport &n);
bool foldMax(NodeImport &n);
bool foldNeg(NodeImport &n);
bool foldAnd(NodeImport &n);
bool foldOr(NodeImport &n);
bool foldNot(NodeImport &n);
bool foldEqual(NodeImport &n);
bool foldLess(NodeImport &n);
bool foldLessOrEqual(NodeImport &n);
bool foldGreater(NodeImport &n);
bool foldGreaterOrEqual(NodeImport &n);
bool foldWhere(NodeImport &n);

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
/// All dims as numbers.
std::optional<llvm::SmallVector<int64_t>>
staticShape(llvm::ArrayRef<DimExpr> dims);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_IMPORT_ELEMENTFOLDING_H
