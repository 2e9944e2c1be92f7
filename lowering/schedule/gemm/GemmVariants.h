// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variants of a fusion's GEMM, of which a run takes one by its sizes:
// Winograd convolutions, few rows, or the GEMM as it is.

#ifndef ZENITH_LOWERING_SCHEDULE_GEMM_GEMMVARIANTS_H
#define ZENITH_LOWERING_SCHEDULE_GEMM_GEMMVARIANTS_H

#include "lowering/schedule/GemmSchedule.h"
#include "lowering/schedule/SmallM.h"
#include "lowering/schedule/WinogradSchedule.h"

namespace zenith::kernels {

/// Of the last variant; nothing where the fusion has no schedule yet.
GivenTile givenTile(graph::FusionOp fusion);
/// Of the variant for few rows, which is the one before the last of a choice.
GivenTile givenTileOfFewRows(graph::FusionOp fusion);

struct GemmVariants {
  std::vector<WinogradSchedule> winograd;
  graph::DimExpr plainGuard = 1; ///< 1 where no other variant is taken, else 0
  TargetModel target;            ///< with the tile of the plain GEMM
  mlir::FailureOr<ContractionSpace> space = mlir::failure();
  std::optional<SmallMVariant> small;
  llvm::SmallVector<graph::DimExpr> scratchBytes;

  /// `schedule`: the one whose Winograd variants these have; null where
  /// sizes and target choose. Failure has been reported at the op.
  GemmVariants(graph::FusionOp fusion, graph::DimAnalysis &dims,
               const TargetModel &machine, const GivenTile &given,
               mlir::Attribute schedule);
  bool hasPlain() const { return !plainGuard.isConstant(0); }
  /// 1 where the plain GEMM is taken, at any number of rows.
  graph::DimExpr guardOfPlain() const {
    return small ? graph::DimExpr(1) - small->guard : plainGuard;
  }

private:
  /// A run takes one variant: all have the same scratch buffers, as large as
  /// the largest.
  void shareScratch(llvm::ArrayRef<graph::DimExpr> bytes);
};

/// The schedule that shapes and target choose, with what `given` asks for where
/// that is free: blocks of tiles and panels, and of K, prefetches, tiles that
/// are finished at once, sets of accumulators, squares. `storesColumns`: the
/// epilogue does.
GemmSchedule chooseGemm(const ContractionSpace &space,
                        const TargetModel &target, const GivenTile &given,
                        bool storesColumns);

/// Whether tasks may have any number of tiles and panels: nothing else was
/// chosen by their number.
bool hasFreeBlocks(const ContractionSpace &space, const GemmSchedule &schedule);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_GEMM_GEMMVARIANTS_H
