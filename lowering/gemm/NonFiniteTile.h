// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The non-finite fallback of Winograd convolutions.

#ifndef ZENITH_LOWERING_GEMM_NONFINITETILE_H
#define ZENITH_LOWERING_GEMM_NONFINITETILE_H

#include "lowering/gemm/WinogradPosition.h"
#include "lowering/microkernels/WinogradTransforms.h"

namespace zenith::kernels {

/// Computes output tiles directly where the Winograd transforms give infinities
/// or NaNs.
class NonFiniteTile {
public:
  /// `panels` of `columns` columns hold the transformed filter, followed by the
  /// filter itself. Call in the entry block.
  NonFiniteTile(KernelBuilder &kernel, const WinogradSchedule &schedule,
                mlir::Value panels, int64_t columns);

  /// Unless all elements of `results` are finite, recomputes an output tile
  /// from the filter: `width` columns of a panel from `column` on.
  void recomputeTile(mlir::Value tile, mlir::Value column, int64_t width,
                     const TileView &results);

private:
  mlir::Value isFinite(int64_t width, const TileView &results);
  void compute(mlir::Value tile, mlir::Value column, int64_t width,
               const TileView &results);
  std::pair<mlir::Value, mlir::Value> tapsInside(mlir::Value first,
                                                 unsigned axis, int64_t taps);
  mlir::Value sumOf(const TileView &positions, const SpatialPosition &first,
                    mlir::Value filter);
  mlir::Value at(const TileView &view, mlir::Value y, mlir::Value x);

  KernelBuilder &k;
  const WinogradSchedule &schedule;
  mlir::Value panels;
  int64_t columns;
  mlir::Value input;
  mlir::VectorType type;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_GEMM_NONFINITETILE_H
