// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass that writes the schedule of each fusion.

#include "ir/remarks/Remark.h"
#include "lowering/LoweringPasses.h"
#include "lowering/decisions/Decide.h"
#include "lowering/decisions/RunnersUp.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace zenith {
#define GEN_PASS_DEF_SCHEDULEKERNELSPASS
#include "lowering/LoweringPasses.h.inc"
} // namespace zenith

namespace zenith::decisions {
namespace {

class ScheduleKernels : public impl::ScheduleKernelsPassBase<ScheduleKernels> {
public:
  using ScheduleKernelsPassBase::ScheduleKernelsPassBase;
  void runOnOperation() override;

private:
  LogicalResult schedule(graph::FusionOp fusion, graph::DimAnalysis &dims,
                         const target::TargetModel &model);
};

} // namespace

LogicalResult ScheduleKernels::schedule(graph::FusionOp fusion,
                                        graph::DimAnalysis &dims,
                                        const target::TargetModel &model) {
  bool isGiven = bool(fusion.getScheduleAttr());
  FailureOr<Decision> decision = decide(fusion, dims, model);
  if (failed(decision))
    return failure();
  fusion.setScheduleAttr(decision->schedule);
  if (!explain)
    return success();
  for (const Missing &missing : decision->missing)
    remarks::emit(fusion, remarks::Code::SCH002,
                  {missing.form, missing.capability});
  auto estimate = [](double microseconds) {
    return llvm::formatv("{0:F1}", microseconds).str();
  };
  std::string text = sched::textOf(decision->schedule),
              time = estimate(
                  decision->schedule.cost(fusion, dims, model).microseconds);
  if (isGiven) {
    remarks::emit(fusion, remarks::Code::SCH003, {text, time});
    return success();
  }
  auto others = runnersUp(fusion, decision->schedule, dims, model);
  std::string next = "none";
  if (!others.empty())
    next = sched::textOf(others.front().schedule) + ", about " +
           estimate(others.front().microseconds) + " us: " + others.front().why;
  remarks::emit(fusion, remarks::Code::SCH001, {text, time, next});
  return success();
}

void ScheduleKernels::runOnOperation() {
  target::TargetModel model = target::modelOf(getOperation());
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    graph::DimAnalysis dims;
    WalkResult result = function.walk([&](graph::FusionOp fusion) {
      return failed(schedule(fusion, dims, model)) ? WalkResult::interrupt()
                                                   : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
  }
}

} // namespace zenith::decisions
