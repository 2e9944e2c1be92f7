// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What emission makes of a fusion: functions over task ranges, their launches
// and scratch.

#ifndef ZENITH_LOWERING_BUILDER_KERNELPLAN_H
#define ZENITH_LOWERING_BUILDER_KERNELPLAN_H

#include "ir/GraphOps.h"
#include "ir/target/TargetModel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace zenith::kernels {

using target::TargetModel;

/// What a pointer argument of a kernel points to, as an operand, result or
/// scratch buffer of the fusion; Count: one i64 that the kernel writes, entry
/// `index` of KernelPlan::counts.
struct PointerArg {
  enum Kind { Operand, Result, Scratch, Count } kind;
  unsigned index;
};

/// A dimension of a result that the kernel computes from data.
struct DataCount {
  unsigned result;
  unsigned dim;
};

/// One kernel run over tasks 0 .. tasks-1. The function's arguments are the
/// pointers, the sizes, begin and end.
struct Launch {
  mlir::func::FuncOp kernel;
  llvm::SmallVector<PointerArg> pointers;
  llvm::SmallVector<graph::DimExpr> sizes;
  graph::DimExpr tasks;
  double costPerTask =
      0; ///< estimate of flops and bytes, for the grain of parallel runs
  /// The run takes this launch where the expression is not 0: of several
  /// variants of a kernel it takes one.
  graph::DimExpr guard = 1;
};

struct KernelPlan {
  llvm::SmallVector<Launch> launches; ///< run in order
  llvm::SmallVector<graph::DimExpr> scratchBytes;
  /// Dimensions that depend on data: of results that share one, the first.
  llvm::SmallVector<DataCount> counts;
  /// Bound of a result's bytes over the operands' dimensions, one per result;
  /// empty where there are no counts. Equals the exact size of a result that
  /// has no data-dependent dimension.
  llvm::SmallVector<graph::DimExpr> capacityBytes;
  /// The kernels call routines of the runtime (runtime/routines/Routines.h), so
  /// they only run on the host.
  bool hostOnly = false;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_BUILDER_KERNELPLAN_H
