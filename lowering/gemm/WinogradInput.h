// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The input transform of Winograd convolutions.

#ifndef ZENITH_LOWERING_GEMM_WINOGRADINPUT_H
#define ZENITH_LOWERING_GEMM_WINOGRADINPUT_H

#include "lowering/gemm/WinogradPosition.h"

namespace zenith::kernels {

/// Transforms tiles of the input feature map.
class WinogradInput {
public:
  /// Call in the entry block.
  WinogradInput(KernelBuilder &kernel, const WinogradSchedule &schedule);

  /// Writes the transforms of tiles [first, last) to `to`, as
  /// [point][tile][feature] from element `offset` on, with these strides in
  /// elements.
  void transform(mlir::Value first, mlir::Value last, mlir::Value to,
                 mlir::Value offset, mlir::Value tileStride,
                 mlir::Value pointStride);

private:
  void tile(mlir::Value number, mlir::Value to, mlir::Value at,
            mlir::Value pointStride);
  mlir::Value isInside(const SpatialPosition &first);
  void copyTile(mlir::Value base, const SpatialPosition &first);

  KernelBuilder &k;
  const WinogradSchedule &schedule;
  unsigned lanes;
  mlir::Value input;
  mlir::Value tileCopy; ///< positions of a tile, zeros in the padding
};

/// Ends the function of `kernel`, which transforms all of the input into
/// scratch buffer `schedule.transformed`.
Launch emitInputTransform(KernelBuilder &kernel,
                          const WinogradSchedule &schedule);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_GEMM_WINOGRADINPUT_H
