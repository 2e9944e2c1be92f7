// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What differs for small M: the register tile, half as wide and twice as tall,
// or a row-major B that is not copied.

#ifndef ZENITH_LOWERING_SCHEDULE_SMALLM_H
#define ZENITH_LOWERING_SCHEDULE_SMALLM_H

#include "lowering/schedule/ContractionSpace.h"
#include <optional>

namespace zenith::kernels {

/// The target with half of NR, and MR doubled by the registers that this frees.
TargetModel halved(TargetModel target);

/// The target with the register tile of the fusion's contraction: the halved
/// one where M is static, or gates have half a tile's width, and B is packed in
/// panels of half a tile's width.
TargetModel tileTarget(graph::FusionOp fusion, const TargetModel &target);

/// The small-M variant of a GEMM with dynamic M.
struct SmallMVariant {
  TargetModel target;
  ContractionSpace space;
  int64_t mostRows = 0;
  graph::DimExpr guard; ///< 1 where M is small, else 0
};
/// None where one variant suits any M. `wantedA`: how A comes to both.
std::optional<SmallMVariant> smallMVariant(graph::FusionOp fusion,
                                           graph::DimAnalysis &dims,
                                           const ContractionSpace &space,
                                           const TargetModel &target,
                                           const sched::Operand &wantedA);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_SMALLM_H
