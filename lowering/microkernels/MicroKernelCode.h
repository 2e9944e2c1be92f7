// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the code of every micro-kernel is made of: index arithmetic, loops,
// loads that widen, multiply-adds.

#ifndef ZENITH_LOWERING_MICROKERNELS_MICROKERNELCODE_H
#define ZENITH_LOWERING_MICROKERNELS_MICROKERNELCODE_H

#include "lowering/microkernels/MicroKernel.h"

namespace zenith::kernels {

/// The parts of a micro-kernel's writer derive from it.
class MicroKernelCode {
public:
  MicroKernelCode(mlir::OpBuilder &b, mlir::Location loc,
                  const MicroKernel &kernel, const TargetModel &target)
      : b(b), loc(loc), kernel(kernel), target(target),
        vectorType(mlir::VectorType::get({int64_t(kernel.lanes)}, kernel.sum)),
        sets(kernel.isAlongK() ? 1 : kernel.sets) {}

protected:
  using Values = llvm::SmallVector<mlir::Value>;
  using Body =
      llvm::function_ref<Values(mlir::Value iv, mlir::ValueRange iterArgs)>;

  mlir::Value index(int64_t value);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value zero();
  Values loop(mlir::Value high, mlir::Value step, mlir::ValueRange init,
              Body body, mlir::Value low = {});

  /// Widens an element in memory type, scalar or vector, to the type of the
  /// accumulators.
  mlir::Value toSum(mlir::Value x, mlir::Type element);
  mlir::Value multiplyAdd(mlir::Value x, mlir::Value y, mlir::Value sum);
  mlir::Value loadVector(mlir::Value memory, mlir::Value offset,
                         mlir::Type element, mlir::Value mask);
  /// The same without widening.
  mlir::Value loadRaw(mlir::Value memory, mlir::Value offset,
                      mlir::Type element, mlir::Value mask);
  /// A mask of the first `count` lanes.
  mlir::Value firstLanes(mlir::Value count);
  /// A vector of `count` lanes of x and y.
  mlir::Value shuffled(mlir::Value x, mlir::Value y, int64_t count,
                       llvm::function_ref<int64_t(int64_t lane)> source);
  mlir::Value addSums(mlir::Value x, mlir::Value y);
  /// Runs `body`, which may replace some of `sums`, where `condition` is true.
  void where(mlir::Value condition, llvm::MutableArrayRef<mlir::Value> sums,
             llvm::function_ref<void()> body);
  /// Runs `body`, which may replace accumulators of its row in `sums`, for each
  /// row of the tile that there is. `sums` is a set of accumulators, or empty.
  void forRows(mlir::Value lastRow, llvm::MutableArrayRef<mlir::Value> sums,
               llvm::function_ref<void(unsigned row)> body, unsigned first = 0);
  /// Adds halves of the vector until one lane is left: the order of the
  /// additions is part of the result.
  mlir::Value sumOfLanes(mlir::Value x);

  mlir::OpBuilder &b;
  mlir::Location loc;
  const MicroKernel &kernel;
  const TargetModel &target;
  mlir::VectorType vectorType;
  unsigned sets; ///< of accumulators
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_MICROKERNELS_MICROKERNELCODE_H
