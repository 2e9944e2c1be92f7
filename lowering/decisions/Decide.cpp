// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks the decider of a fusion's kind, and compares what is given with what the
// other keys demand.

#include "lowering/decisions/Decide.h"
#include "ir/ShapeChecks.h"
#include "lowering/decisions/Encodings.h"
#include "lowering/decisions/InPlace.h"
#include "lowering/decisions/ProductKeys.h"
#include "lowering/decisions/ScheduleChecks.h"
#include "lowering/decisions/ScheduleKeys.h"
#include "lowering/decisions/StreamStores.h"
#include "lowering/schedule/ContractionSpace.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::decisions {

StringAttr Request::tasks() const {
  return given ? keysOf(given).tasks : StringAttr();
}

sched::Stores Request::store() const {
  if (!given || givenAs<sched::ChoiceAttr>())
    return {};
  const sched::Stores own = keysOf(given).store;
  return own.how == sched::Store::Streaming && !own.results
             ? streamingStores(fusion, dims, target)
             : own;
}

DenseI64ArrayAttr Request::integers(ArrayRef<int64_t> values) const {
  return DenseI64ArrayAttr::get(context(), values);
}

ArrayAttr Request::scratchAttr(ArrayRef<DimExpr> bytes) const {
  if (bytes.empty())
    return {};
  SmallVector<Attribute> texts;
  for (const DimExpr &expr : bytes)
    texts.push_back(StringAttr::get(context(), expr.str()));
  return ArrayAttr::get(context(), texts);
}

/// Names of sizes that depend on data are numbered in the order in which they
/// are first asked for.
static bool dependsOnData(StringRef text) { return text.contains('%'); }

/// sched_c12: results that are streamed may be.
static LogicalResult checkStores(const Request &request) {
  const sched::Stores given = keysOf(request.given).store;
  if (given.how != sched::Store::Streaming)
    return success();
  graph::FusionOp fusion = request.fusion;
  const sched::Stores open =
      isa<sched::ElementsAttr, sched::ReduceAttr>(request.given)
          ? streamingStores(fusion, request.dims, request.target)
          : sched::Stores();
  if (open.how != sched::Store::Streaming)
    return refuse(fusion, ModelLimits, "store", "streaming",
                  "plain: no result goes to the caller alone, in whole lines");
  if (!given.results ||
      llvm::all_of(given.results.asArrayRef(), [&](int64_t result) {
        return result >= 0 && result < int64_t(fusion->getNumResults()) &&
               open.areStreaming(unsigned(result));
      }))
    return success();
  return refuse(fusion, ModelLimits, "store",
                "streaming of results " +
                    graph::listText(given.results.asArrayRef()),
                "results that go to the caller alone, in whole lines");
}

LogicalResult Request::check(const std::optional<DimExpr> &tasks,
                             ArrayRef<DimExpr> scratch) const {
  if (!given)
    return success();
  ScheduleKeys keys = keysOf(given);
  if (!givenAs<sched::ChoiceAttr>() && failed(checkStores(*this)))
    return failure();
  // sched_c8
  if (keys.tasks && tasks && !dependsOnData(keys.tasks) &&
      DimExpr::parse(keys.tasks.str()) != *tasks)
    return refuse(fusion, TaskCount, "tasks", sched::textOf(keys.tasks),
                  "\"" + tasks->str() + "\"");
  // sched_c9
  if (!keys.scratch)
    return success();
  auto fail = [&] {
    return refuse(fusion, ScratchBytes, "scratch", sched::textOf(keys.scratch),
                  scratch.empty() ? "none"
                                  : sched::textOf(scratchAttr(scratch)));
  };
  if (keys.scratch.size() != scratch.size())
    return fail();
  for (auto [text, bytes] : llvm::zip(keys.scratch, scratch)) {
    StringRef own = cast<StringAttr>(text).getValue();
    if (!dependsOnData(own) && DimExpr::parse(own.str()) != bytes)
      return fail();
  }
  return success();
}

static ArrayAttr sharesOf(graph::FusionOp fusion, graph::Schedule given) {
  if (ArrayAttr own = given ? keysOf(given).shares : ArrayAttr())
    return own;
  Builder builder(fusion.getContext());
  SmallVector<Attribute> pairs;
  for (graph::SharedBytes pair : sharedBytes(fusion))
    pairs.push_back(
        builder.getI64ArrayAttr({int64_t(pair.result), int64_t(pair.operand)}));
  return pairs.empty() ? ArrayAttr() : builder.getArrayAttr(pairs);
}

/// Forms of groups are kept as they are; emission refuses them.
static FailureOr<Decision> keepGroup(const Request &request) {
  std::optional<DimExpr> tasks;
  if (Operation *anchor = kernels::contractionAnchor(request.fusion))
    tasks = groupTasks(request.fusion, request.given,
                       request.dims.dimsOf(anchor->getResult(0)));
  if (failed(request.check(tasks, {})))
    return failure();
  return Decision{request.given, tasks, {}};
}

FailureOr<Decision> decide(graph::FusionOp fusion, graph::DimAnalysis &dims,
                           const target::TargetModel &target) {
  if (failed(writeEncodings(fusion)))
    return failure();
  graph::Schedule given = fusion.getScheduleAttr();
  Request request{fusion, dims, target, given, sharesOf(fusion, given)};
  if (given && given.runsOn() == graph::RunOn::Group)
    return keepGroup(request);
  using Decider = FailureOr<Decision> (*)(const Request &);
  auto decider =
      llvm::StringSwitch<Decider>(given && !isa<sched::ChoiceAttr>(given)
                                      ? given.kind()
                                      : sched::kindsOf(fusion).front())
          .Case(sched::ElementsAttr::getMnemonic(), decideElements)
          .Case(sched::ReduceAttr::getMnemonic(), decideReduction)
          .Case(sched::WindowAttr::getMnemonic(), decideWindow)
          .Case(sched::ScanAttr::getMnemonic(), decideScan)
          .Case(sched::ScatterAttr::getMnemonic(), decideScatter)
          .Cases(sched::GemmAttr::getMnemonic(), sched::ConvAttr::getMnemonic(),
                 decideProduct)
          .Case(sched::AttentionAttr::getMnemonic(), decideAttention)
          .Default(decideRoutine);
  FailureOr<Decision> decision = decider(request);
  bool isOpen = !given || isa<sched::ChoiceAttr>(given);
  if (succeeded(decision) && isOpen)
    decision->schedule =
        withStreamingStores(fusion, decision->schedule, dims, target);
  // Variants of a choice are those that sizes and target give: others would
  // need kernels of their own.
  if (succeeded(decision) && request.givenAs<sched::ChoiceAttr>() &&
      decision->schedule != given)
    return refuse(fusion, ChoiceForm, "choice", sched::textOf(given),
                  sched::textOf(decision->schedule) +
                      ", or one of its variants for all sizes");
  return decision;
}

} // namespace zenith::decisions
