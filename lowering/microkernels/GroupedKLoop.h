// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop over K of dot products of narrow types, two or four neighbouring k
// at a time.

#ifndef ZENITH_LOWERING_MICROKERNELS_GROUPEDKLOOP_H
#define ZENITH_LOWERING_MICROKERNELS_GROUPEDKLOOP_H

#include "lowering/microkernels/KLoop.h"

namespace zenith::kernels {

class GroupedKLoop : KLoop {
public:
  using KLoop::KLoop;

  /// The loop over K where B is K-interleaved.
  Values interleavedLoop(mlir::ValueRange aMemory, mlir::ValueRange aRows,
                         mlir::Value bOffset, Values sums);
  /// Adds `count` pairs or groups of k from `ak` on, one per set: `next` holds
  /// the accumulators of each set and, last, the offset of B, which it
  /// advances. `half`: the last k of an odd number, and a zero.
  void groupStep(mlir::ValueRange aMemory, mlir::ValueRange aRows,
                 mlir::Value ak, unsigned count, Values &next,
                 bool half = false);

private:
  /// Neighbouring k that are multiplied at a time.
  unsigned groupSize() const;
  /// A group of k of one vector of columns: as i16, or int8 unwidened.
  mlir::Value groupOfColumns(mlir::Value offset, unsigned vector);
  /// A group of k of a row of A in every lane; `half`: the first of a pair, and
  /// a zero.
  mlir::Value groupOfRow(mlir::Value memory, mlir::Value offset, bool half);
  /// Interleaves two rows of B, as i16.
  mlir::Value interleavedRows(mlir::Value low, mlir::Value high);
  /// x[2i] * y[2i] + x[2i+1] * y[2i+1], in the type of the sums.
  mlir::Value sumOfProducts(mlir::Value x, mlir::Value y);
  /// sum[i] + x[2i] * y[2i] + x[2i+1] * y[2i+1].
  mlir::Value addPairs(mlir::Value sum, mlir::Value x, mlir::Value y);
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_MICROKERNELS_GROUPEDKLOOP_H
