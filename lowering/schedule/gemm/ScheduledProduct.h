// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What emission makes of a product: the loops, tiles and epilogues of all its
// variants, found once from the fusion and what its schedule says.

#ifndef ZENITH_LOWERING_SCHEDULE_GEMM_SCHEDULEDPRODUCT_H
#define ZENITH_LOWERING_SCHEDULE_GEMM_SCHEDULEDPRODUCT_H

#include "lowering/schedule/EpilogueForm.h"
#include "lowering/schedule/GemmSchedule.h"
#include "lowering/schedule/WinogradSchedule.h"

namespace zenith::kernels {

struct ScheduledWinograd {
  WinogradSchedule schedule;
  EpilogueForm form;
};

struct ScheduledGemm {
  ContractionSpace space;
  TargetModel target; ///< with the register tile
  EpilogueForm form;
  GemmSchedule schedule;
  graph::DimExpr guard; ///< 1 where a run takes this variant, else 0
};

struct ScheduledProduct {
  std::vector<ScheduledWinograd> winograd;
  std::optional<ScheduledGemm> small, plain; ///< of few rows, of any number
  /// 1 where a run takes a GEMM, which needs its preparations, else 0.
  graph::DimExpr gemmGuard = 1;
  llvm::SmallVector<graph::DimExpr> scratchBytes;
};

/// Reads the schedule of a product, which has all keys. Reports failure at the
/// op.
mlir::FailureOr<ScheduledProduct> scheduledProduct(graph::FusionOp fusion,
                                                   graph::DimAnalysis &dims,
                                                   const TargetModel &machine);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_GEMM_SCHEDULEDPRODUCT_H
