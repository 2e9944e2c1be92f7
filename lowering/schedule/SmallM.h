// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The register tile that a product's packed panels, or its number of rows, ask
// for.

#ifndef ZENITH_LOWERING_SCHEDULE_SMALLM_H
#define ZENITH_LOWERING_SCHEDULE_SMALLM_H

#include "lowering/schedule/ContractionSpace.h"
#include <optional>

namespace zenith::kernels {

/// Tiles half as wide: the registers that columns leave hold broadcast rows and
/// panels.
TargetModel halved(TargetModel target);

/// The target as the contraction of the fusion sees it: where few rows meet
/// panels half as wide as a tile, that of a tile half as wide and twice as
/// high.
TargetModel tileTarget(graph::FusionOp fusion, const TargetModel &target);

/// The other way to multiply of a product whose number of rows only the run
/// knows.
struct SmallMVariant {
  TargetModel target;
  ContractionSpace space;
  graph::DimExpr taken; ///< 1 where there are so few rows, else 0
};
/// None where one way suits any number of rows.
std::optional<SmallMVariant> smallMVariant(graph::FusionOp fusion,
                                           graph::DimAnalysis &dims,
                                           const ContractionSpace &space,
                                           const TargetModel &target);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_SMALLM_H
