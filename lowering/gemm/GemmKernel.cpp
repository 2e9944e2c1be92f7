// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the variants of a contraction: Winograd, small-M and plain GEMM, with
// the copies that they need.

#include "lowering/gemm/GemmKernel.h"
#include "lowering/builder/EmissionContext.h"
#include "lowering/builder/KernelBuilder.h"
#include "lowering/gemm/GemmNest.h"
#include "lowering/gemm/SyrkMirror.h"
#include "lowering/gemm/WinogradKernel.h"
#include "lowering/packing/PackPanels.h"
#include "lowering/schedule/gemm/GemmVariants.h"
#include "lowering/schedule/gemm/TileHeights.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {

/// Emits the kernels of a contraction into a plan.
struct GemmEmitter {
  graph::FusionOp fusion;
  graph::DimAnalysis &dims;
  const TargetModel &machine;
  ModuleOp kernels;
  StringRef name;
  KernelPlan plan;

  LogicalResult emitWinograd(const std::vector<WinogradSchedule> &variants,
                             bool onlyOne);
  LogicalResult emitPlain(const GemmVariants &variants);
  LogicalResult emitVariant(const ContractionSpace &space,
                            const TargetModel &target, const GivenTile &tile,
                            StringRef name, const DimExpr &guard);
  LogicalResult add(FailureOr<Launch> launch, const DimExpr &guard);
};

} // namespace

LogicalResult GemmEmitter::add(FailureOr<Launch> launch, const DimExpr &guard) {
  if (succeeded(launch))
    launch->guard = launch->guard * guard;
  return success(addLaunch(plan, std::move(launch)));
}

LogicalResult
GemmEmitter::emitWinograd(const std::vector<WinogradSchedule> &variants,
                          bool onlyOne) {
  for (auto [i, variant] : llvm::enumerate(variants)) {
    std::string own =
        onlyOne ? name.str() : (name + "_winograd" + Twine(i)).str();
    if (failed(emitWinogradConvolution(plan, variant, fusion, dims, machine,
                                       kernels, own)))
      return failure();
  }
  return success();
}

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
  return isOpen ? fusion.emitOpError(
                      "schedule: block, heights, finish, mirror: got keys "
                      "that are left open (sched_c3)")
                : success();
}

LogicalResult GemmEmitter::emitVariant(const ContractionSpace &space,
                                       const TargetModel &target,
                                       const GivenTile &tile, StringRef name,
                                       const DimExpr &guard) {
  auto form = EpilogueForm::make(fusion, dims, space, target);
  if (failed(form) || failed(checkKeys(fusion, space, *form, tile)))
    return add(failure(), guard);
  KernelBuilder kernel(fusion, dims, target, kernels, name);
  return add(
      emitGemm(kernel, space, *form, gemmScheduleOf(space, target, tile)),
      guard);
}

LogicalResult GemmEmitter::emitPlain(const GemmVariants &variants) {
  if (failed(variants.space))
    return failure();
  const ContractionSpace &space = *variants.space;
  const TargetModel &target = variants.target;
  for (const Preparation &preparation : space.preparations)
    if (failed(add(emitPreparation(
                       preparation, space, fusion, dims, target, kernels,
                       (name + "_prepare" + Twine(preparation.scratch)).str()),
                   variants.plainGuard)))
      return failure();
  if (const auto &small = variants.small;
      small && failed(emitVariant(small->space, small->target,
                                  givenTileOfFewRows(fusion),
                                  (name + "_small_m").str(), small->guard)))
    return failure();
  if (failed(emitVariant(space, target, givenTile(fusion), name,
                         variants.guardOfPlain())))
    return failure();
  if (space.symmetric)
    plan.launches.push_back(emitSyrkMirror(fusion, dims, target, kernels,
                                           (name + "_mirror").str(), space,
                                           givenTile(fusion).mirrorRows));
  return success();
}

FailureOr<KernelPlan> emitContraction(graph::FusionOp fusion,
                                      graph::DimAnalysis &dims,
                                      const TargetModel &machine,
                                      ModuleOp kernels, StringRef name) {
  GemmVariants variants(fusion, dims, machine, givenTile(fusion),
                        fusion.getScheduleAttr());
  bool hasPlain = variants.hasPlain();
  GemmEmitter emitter{fusion, dims, machine, kernels, name, {}};
  emitter.plan.scratchBytes = variants.scratchBytes;
  bool onlyOne = !hasPlain && variants.winograd.size() == 1;
  if (failed(emitter.emitWinograd(variants.winograd, onlyOne)) ||
      (hasPlain && failed(emitter.emitPlain(variants))))
    return failure();
  return std::move(emitter.plan);
}

} // namespace zenith::kernels
