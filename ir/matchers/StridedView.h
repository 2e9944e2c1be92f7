// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value seen as a strided view of another through movement ops: what fusion
// absorbs and contraction kernels address.

#ifndef ZENITH_IR_MATCHERS_STRIDEDVIEW_H
#define ZENITH_IR_MATCHERS_STRIDEDVIEW_H

#include "ir/DimAnalysis.h"

namespace zenith::graph {

/// Element [i0, i1, ...] of the viewed value is element offset + sum of
/// strides[d] * i_d of `base`, row-major.
struct StridedView {
  mlir::Value base;
  DimExpr offset;
  DimVector strides;
};

/// Factor of the stride along a dimension that graph.expand repeats where its
/// size is 1: 0 there, else 1.
DimExpr expandStride(const DimExpr &size);

/// Row-major strides of a dense value.
DimVector denseStrides(const DimVector &dims);

/// Strides of the same elements under another shape; nullopt where they aren't
/// evenly spaced
/// ("[4, 6] with strides [1, 4]" merged into 24).
std::optional<DimVector> reshapeStrides(const DimVector &from,
                                        const DimVector &strides,
                                        const DimVector &to);

/// Follows transpose, reshape, slice, broadcast and expand upwards as far as
/// the view stays strided; `value` itself is the base where its own op is not.
StridedView viewOf(mlir::Value value, DimAnalysis &analysis);

/// The strides by which `chain` (transposes and reshapes, each of the result of
/// the one before) moves a value: for each dimension of the first operand, the
/// stride of its elements in the last result. Nullopt where an op is another or
/// is not strided.
std::optional<DimVector> writeStrides(llvm::ArrayRef<mlir::Operation *> chain,
                                      DimAnalysis &analysis);
/// The same for the chain from `from` to `to`; nullopt also where there is
/// none.
std::optional<DimVector> writeStrides(mlir::Value from, mlir::Value to,
                                      DimAnalysis &analysis);

} // namespace zenith::graph

#endif // ZENITH_IR_MATCHERS_STRIDEDVIEW_H
