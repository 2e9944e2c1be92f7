// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop over K of outer products: an element of each row of A times the
// columns of B.

#ifndef ZENITH_LOWERING_MICROKERNELS_OUTERPRODUCTLOOP_H
#define ZENITH_LOWERING_MICROKERNELS_OUTERPRODUCTLOOP_H

#include "lowering/microkernels/KLoop.h"

namespace zenith::kernels {

class OuterProductLoop : KLoop {
public:
  using KLoop::KLoop;

  /// The loop over K where strides are known.
  Values roundLoop(mlir::ValueRange aMemory, mlir::ValueRange aRows,
                   mlir::Value bOffset, Values sums);
  /// Adds `count` k, one per set: `next` holds the accumulators of each set,
  /// then the offsets of A and B, which it advances.
  void kStep(mlir::ValueRange aMemory, mlir::ValueRange aRows, unsigned count,
             Values &next);

  // Split words hold even and odd columns of each two vectors apart.
  /// From accumulators in memory order to those of even and of odd columns.
  void deinterleaveColumns(llvm::MutableArrayRef<mlir::Value> sums);
  /// And back.
  void interleaveColumns(llvm::MutableArrayRef<mlir::Value> sums);

private:
  /// Offset in B of a vector of columns, given that of its k.
  mlir::Value vectorOfK(mlir::Value bk, unsigned number);
  /// Multiplies and adds one k to one set of accumulators.
  void addK(mlir::ValueRange aMemory, mlir::ValueRange aRows, mlir::Value ak,
            mlir::Value bk, llvm::MutableArrayRef<mlir::Value> sums);
  /// The same for vectors of columns from `first` up to `last`.
  void addVectors(unsigned first, unsigned last, mlir::ValueRange aMemory,
                  mlir::ValueRange aRows, mlir::Value ak, mlir::Value bk,
                  llvm::MutableArrayRef<mlir::Value> sums);
  /// Even and odd columns of each two vectors.
  Values columnsOfSplitWords(mlir::Value offset);
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_MICROKERNELS_OUTERPRODUCTLOOP_H
