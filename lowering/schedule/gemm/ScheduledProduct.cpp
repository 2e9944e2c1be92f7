// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Relates each variant of a schedule to the loops that it is said of.

#include "lowering/schedule/gemm/ScheduledProduct.h"
#include "lowering/schedule/gemm/GemmVariants.h"
#include "lowering/schedule/gemm/TileHeights.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

/// sched_c3: without the schedule phase, keys that are left open are not
/// decided.
static LogicalResult checkKeys(graph::FusionOp fusion,
                               const ContractionSpace &space,
                               const EpilogueForm &form,
                               const GivenTile &tile) {
  bool isOpen = !tile.tilesPerTask || !tile.panelsPerTask ||
                (hasFreeHeights(space) && tile.heights.empty()) ||
                (space.symmetric && !tile.mirrorRows) ||
                (form.rowRun && !tile.columnStores && space.gates == 1 &&
                 tile.loop.kind != sched::KLoop::Sweep);
  return isOpen
             ? fusion.emitOpError("schedule: block, heights, finish, mirror: "
                                  "got keys that are left open (sched_c3)")
             : success();
}

static FailureOr<ScheduledGemm>
scheduledGemm(graph::FusionOp fusion, graph::DimAnalysis &dims,
              ContractionSpace space, const TargetModel &target,
              const GivenTile &tile, const DimExpr &guard) {
  auto form = EpilogueForm::make(fusion, dims, space, target);
  if (failed(form) || failed(checkKeys(fusion, space, *form, tile)))
    return failure();
  GemmSchedule schedule = gemmScheduleOf(space, target, tile);
  return ScheduledGemm{std::move(space), target, std::move(*form),
                       std::move(schedule), guard};
}

FailureOr<ScheduledProduct> scheduledProduct(graph::FusionOp fusion,
                                             graph::DimAnalysis &dims,
                                             const TargetModel &machine) {
  const GivenTile tile = givenTile(fusion);
  GemmVariants found(fusion, dims, machine, tile, fusion.getScheduleAttr());
  ScheduledProduct product;
  product.gemmGuard = found.plainGuard;
  product.scratchBytes = std::move(found.scratchBytes);
  for (WinogradSchedule &variant : found.winograd) {
    auto form = EpilogueForm::make(fusion, dims, variant.space, machine);
    if (failed(form))
      return failure();
    product.winograd.push_back({std::move(variant), std::move(*form)});
  }
  if (!found.hasPlain())
    return product;
  if (failed(found.space))
    return failure();
  if (auto &small = found.small) {
    auto gemm =
        scheduledGemm(fusion, dims, std::move(small->space), small->target,
                      givenTileOfFewRows(fusion), small->guard);
    if (failed(gemm))
      return failure();
    product.small = std::move(*gemm);
  }
  auto gemm = scheduledGemm(fusion, dims, std::move(*found.space), found.target,
                            tile, found.guardOfPlain());
  if (failed(gemm))
    return failure();
  product.plain = std::move(*gemm);
  return product;
}

} // namespace zenith::kernels
