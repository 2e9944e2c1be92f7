// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Movement chains as addresses: the offset of element i of a value that
// transposes, reshapes, slices and broadcasts make.

#ifndef ZENITH_LOWERING_BUILDER_AFFINEOPERAND_H
#define ZENITH_LOWERING_BUILDER_AFFINEOPERAND_H

#include "ir/DimAnalysis.h"
#include "mlir/IR/Value.h"
#include <optional>

namespace zenith::kernels {

/// One digit of a mixed-radix index: `size` values, `stride` elements apart.
struct Stride {
  graph::DimExpr size;
  graph::DimExpr stride;
};
/// A dimension as digits, outer to inner.
using StridedDim = llvm::SmallVector<Stride, 2>;

/// Element (i0, i1, ...) lies at offset + sum over the digits of each index, in
/// elements of `source`.
struct OperandView {
  mlir::BlockArgument source;
  graph::DimExpr offset;
  llvm::SmallVector<StridedDim> dims;
};

/// The view of `value` if it is made from a block argument by movement alone
/// and strides express that movement.
std::optional<OperandView> operandView(mlir::Value value,
                                       graph::DimAnalysis &dims);

/// The same for memory that holds `value` row-major.
OperandView rowMajorView(mlir::Value value, graph::DimAnalysis &dims);

/// A fusion result: `root`, stored where `view` (in dimensions of `root`) says.
struct ResultView {
  mlir::Value root;
  OperandView view;
};
/// Strips transposes and reshapes from a yielded value. The root is the value
/// itself where there are none, or where strides don't express them.
ResultView resultView(mlir::Value yielded, graph::DimAnalysis &dims);

/// Joins neighbouring digits that are one run of memory and drops digits of
/// size 1; at least one digit stays.
void coalesce(StridedDim &digits);
/// The digits of several dimensions as one dimension, coalesced.
StridedDim flatten(llvm::ArrayRef<StridedDim> dims);
/// Splits digits (all dimensions in a row) into dimensions of the given sizes.
std::optional<llvm::SmallVector<StridedDim>>
regroup(StridedDim digits, llvm::ArrayRef<graph::DimExpr> sizes);

/// A digit of two indices at once.
struct StridePair {
  graph::DimExpr size;
  graph::DimExpr first, second;
};
/// The coarsest digits that both sides of a shared dimension have; nullopt
/// where their digits don't nest.
std::optional<llvm::SmallVector<StridePair>> refine(StridedDim first,
                                                    StridedDim second);

/// True where the expression is made of dimensions only, not of data.
bool knownBeforeLaunch(const graph::DimExpr &expr);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_BUILDER_AFFINEOPERAND_H
