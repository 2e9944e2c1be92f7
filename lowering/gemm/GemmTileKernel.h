// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the micro-kernel that sums a tile of a GEMM.

#ifndef ZENITH_LOWERING_GEMM_GEMMTILEKERNEL_H
#define ZENITH_LOWERING_GEMM_GEMMTILEKERNEL_H

#include "lowering/gemm/GemmTiles.h"

namespace zenith::kernels {

class GemmTileKernel {
public:
  explicit GemmTileKernel(const GemmContext &gemm);

  /// Sums a tile of one panel, full or not.
  void sum(const GemmTile &tile) const;
  /// Sums a tile of `panels` panels side by side; `full`: all their columns
  /// exist.
  void sum(const GemmTile &tile, bool full, unsigned panels = 1) const;

private:
  MicroKernel kernelFor(bool full, unsigned panels) const;
  bool computesPadding(int64_t panel) const;
  decltype(MicroKernel::form) formFor(const MicroKernel &kernel,
                                      bool masked) const;
  void callByHalves(mlir::Value rows, const MicroKernelArgs &args,
                    const MicroKernel &kernel) const;
  void callByHeight(mlir::Value rows, const MicroKernelArgs &args,
                    const MicroKernel &kernel) const;
  MicroKernelArgs insideOfInput(MicroKernelArgs args,
                                MicroKernel &kernel) const;

  const GemmContext &gemm;
  KernelBuilder &k;
  const ContractionSpace &space;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_GEMM_GEMMTILEKERNEL_H
