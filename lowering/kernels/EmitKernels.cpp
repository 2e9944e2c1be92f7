// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the emitter of a fusion by its schedule.

#include "lowering/kernels/EmitKernels.h"
#include "lowering/gemm/GemmKernel.h"
#include "lowering/kernels/KernelEmitters.h"
#include "lowering/microkernels/Prefetch.h"
#include "lowering/routines/RoutineKernels.h"
#include "lowering/schedule/ContractionSpace.h"
#include "lowering/schedule/Schedule.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace zenith::kernels {

using Emitter = FailureOr<KernelPlan> (*)(const EmissionContext &context);

static FailureOr<KernelPlan>
emitPrefetchingReduction(const EmissionContext &context) {
  FailureOr<KernelPlan> plan = emitReduction(context);
  graph::FusionOp fusion = context.fusion;
  auto schedule =
      cast<sched::ReduceAttr>(sched::lastVariant(fusion.getScheduleAttr()));
  if (DenseI64ArrayAttr streams = schedule.getStreams();
      streams && succeeded(plan))
    prefetchOperands(context, *plan, streams.asArrayRef(), schedule.getAhead());
  return plan;
}

static FailureOr<KernelPlan> emitGemm(const EmissionContext &context) {
  auto product = scheduledProduct(context.fusion, context.dims, context.target);
  if (failed(product))
    return failure();
  return emitContraction(context, *product);
}

static FailureOr<KernelPlan>
emitScheduledAttention(const EmissionContext &context) {
  auto variants =
      scheduledAttention(context.fusion, context.dims, context.target);
  if (failed(variants))
    return failure();
  return emitAttention(context, *variants);
}

template <typename... Ops> static bool holds(graph::FusionOp fusion) {
  return llvm::any_of(fusion.getBody().front(),
                      [](Operation &op) { return isa<Ops...>(op); });
}

/// The kind of the schedule says which emitter; variants that a run chooses
/// among are of one kind. Some kinds have two emitters: one for ops whose
/// region says how elements combine, one for all others.
static Emitter emitterOf(graph::FusionOp fusion) {
  return llvm::TypeSwitch<Attribute, Emitter>(
             sched::lastVariant(fusion.getScheduleAttr()))
      .Case<sched::GemmAttr>([](Attribute) { return emitGemm; })
      .Case<sched::ConvAttr>([&](Attribute) {
        return fusion.getKind() == graph::FusionKind::contraction ? emitGemm
                                                                  : emitWindow;
      })
      .Case<sched::AttentionAttr>(
          [](Attribute) { return emitScheduledAttention; })
      .Case<sched::ScatterAttr>([](Attribute) { return emitScatter; })
      .Case<sched::ScanAttr>([](Attribute) { return emitScan; })
      .Case<sched::ReduceAttr>([&](Attribute) {
        return holds<graph::ReduceWithOp>(fusion) ? emitRegionReduce
                                                  : emitPrefetchingReduction;
      })
      .Case<sched::WindowAttr>([&](Attribute) {
        return holds<graph::ReduceWindowWithOp>(fusion) ? emitRegionReduce
                                                        : emitWindow;
      })
      .Case<sched::ElementsAttr>([&](Attribute) {
        return fusion.getKind() == graph::FusionKind::scatter ? emitUpdate
                                                              : emitPointwise;
      })
      .Default([](Attribute) { return emitRoutine; });
}

/// Fails where the schedule is not there, or of a form without an emitter.
static LogicalResult checkSchedule(graph::FusionOp fusion) {
  graph::Schedule schedule = fusion.getScheduleAttr();
  if (!schedule)
    return fusion.emitOpError(
        "has no schedule: the schedule phase has not run");
  if (schedule.runsOn() == graph::RunOn::Group)
    return fusion.emitOpError("schedule: on = group is not supported: no "
                              "kernels of work-groups are emitted");
  return success();
}

/// What the kernels use is what the schedule says, by which buffers are
/// planned. Names of sizes that depend on data are those of one analysis.
static LogicalResult checkScratch(graph::FusionOp fusion,
                                  graph::DimAnalysis &dims,
                                  ArrayRef<graph::DimExpr> used) {
  auto said = fusion.getScheduleAttr().scratch(fusion, dims);
  auto dependsOnData = [](const graph::DimExpr &bytes) {
    return bytes.str().find('%') != std::string::npos;
  };
  bool agrees = said.size() == used.size();
  for (auto [own, bytes] : llvm::zip(said, used))
    agrees &= own == bytes || dependsOnData(bytes);
  if (agrees)
    return success();
  return fusion.emitOpError("schedule: scratch: got ")
         << said.size() << " buffers that differ from the " << used.size()
         << " that its kernels use (sched_c9)";
}

std::optional<graph::DimExpr> largestTasks(const KernelPlan &plan) {
  std::optional<graph::DimExpr> largest;
  for (const Launch &launch : plan.launches)
    if (!largest || estimate(launch.tasks) > estimate(*largest))
      largest = launch.tasks;
  return largest;
}

/// Tasks that the schedule gives are those of a launch.
static LogicalResult checkTasks(graph::FusionOp fusion,
                                const KernelPlan &plan) {
  StringAttr given = sched::givenTasks(fusion.getScheduleAttr());
  auto tasks = largestTasks(plan);
  if (!given || !tasks || given.getValue().contains('%'))
    return success();
  auto wanted = graph::DimExpr::parse(given.str());
  if (llvm::any_of(plan.launches, [&](const Launch &launch) {
        return wanted == launch.tasks;
      }))
    return success();
  return fusion.emitOpError("schedule: tasks: got ")
         << given << ", expected \"" << tasks->str() << "\" (sched_c8)";
}

FailureOr<KernelPlan> emitKernels(graph::FusionOp fusion,
                                  graph::DimAnalysis &dims,
                                  const TargetModel &target, ModuleOp kernels,
                                  StringRef name) {
  if (failed(checkSchedule(fusion)))
    return failure();
  auto plan = emitterOf(fusion)({fusion, dims, target, kernels, name});
  if (failed(plan) || failed(checkScratch(fusion, dims, plan->scratchBytes)) ||
      failed(checkTasks(fusion, *plan)))
    return failure();
  return plan;
}

} // namespace zenith::kernels
