// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What emission makes of a fusion: functions over task ranges, their launches
// and scratch; and what it knows of the machine.

#ifndef ZENITH_LOWERING_BUILDER_KERNELPLAN_H
#define ZENITH_LOWERING_BUILDER_KERNELPLAN_H

#include "ir/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace zenith::kernels {

/// What emission knows of the machine.
struct KernelTarget {
  unsigned lanes = 8;  ///< native f32 lanes: 4 SSE, 8 AVX2, 16 AVX-512
  unsigned panel = 16; ///< columns of a packed panel
  unsigned rows = 6;   ///< rows of the contraction micro-kernel
  bool fma = true;
  bool opencl =
      false; ///< the kernels will be printed: no calls, no target intrinsics
  bool avx512 = false;
  bool bf16Pairs = false; ///< multiplies pairs of bf16 faster than f32
  bool vnni = false;
  bool vbmi = false; ///< looks bytes up in two vectors together
  /// What a kernel writes and the program never reads goes past the caches
  /// where it touches more bytes than this; 0 = nothing does.
  int64_t cachedBytes = 0;
};

/// What a pointer argument of a kernel points to, as an operand, result or
/// scratch buffer of the fusion; Count: one i64 that the kernel writes, entry
/// `index` of KernelPlan::counts.
struct PointerArg {
  enum Kind { Operand, Result, Scratch, Count } kind;
  unsigned index;
};

/// A dimension of a result that the kernel finds out.
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
