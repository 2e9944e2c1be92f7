// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the loops around the micro-kernels of one GEMM share.

#ifndef ZENITH_LOWERING_GEMM_GEMMCONTEXT_H
#define ZENITH_LOWERING_GEMM_GEMMCONTEXT_H

#include "lowering/gemm/GemmEpilogue.h"
#include "lowering/schedule/GemmSchedule.h"

namespace zenith::kernels {

struct GemmContext {
  KernelBuilder &k;
  const ContractionSpace &space;
  GemmSchedule schedule;
  GemmEpilogue &epilogue;
  int64_t mr, nr;
  mlir::Value a, b; ///< memory of the operands
  /// Offsets of the task's part of A and B: of its iteration of the outer axes.
  mlir::Value aBase, bBase;
  mlir::Value accumulators; ///< memory for those of a task

  int64_t tileSize() const { return mr * nr; }
  /// Distance of the accumulators of neighbouring rows of a tile, where those
  /// of several tiles are stored in the order of the rows.
  mlir::Value rowStrideOfSums() const {
    return k.size(space.rowStep() * graph::DimExpr(nr));
  }
  /// Memory for `count` elements on the stack, aligned to cache lines; call in
  /// the entry block.
  mlir::Value allocate(int64_t count, mlir::Type element) const;
  /// Emits `run` for a panel with all its columns, or for the last one, of
  /// which `rest` columns exist; a branch where only the run knows.
  void byFullness(mlir::Value rest,
                  llvm::function_ref<void(bool full)> run) const;
  /// Stores zeros to the accumulators [first, last).
  void clearSums(mlir::Value first, mlir::Value last) const;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_GEMM_GEMMCONTEXT_H
