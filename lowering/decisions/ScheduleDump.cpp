// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedules of a module as JSON, equal bytes for equal modules.

#include "ir/LocationText.h"
#include "lowering/decisions/Decide.h"
#include "lowering/decisions/ProductKeys.h"
#include "lowering/decisions/RunnersUp.h"
#include "lowering/decisions/ScheduleKeys.h"
#include "lowering/decisions/Schedules.h"
#include "lowering/schedule/ContractionSpace.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/JSON.h"
#include <set>

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::decisions {

static StringRef placeOf(graph::RunOn on) {
  return on == graph::RunOn::Task    ? "task"
         : on == graph::RunOn::Group ? "group"
                                     : "host";
}

static StringRef boundOf(graph::ScheduleCost::Bound bound) {
  return bound == graph::ScheduleCost::Memory    ? "memory"
         : bound == graph::ScheduleCost::Compute ? "compute"
                                                 : "launch";
}

/// Places of the ops in the program that was read, each once.
static llvm::json::Array sourcesOf(graph::FusionOp fusion) {
  std::set<std::string> places;
  llvm::json::Array sources;
  for (Operation &op : fusion.getBody().front().without_terminator())
    if (std::string place = graph::placeOf(op.getLoc());
        !place.empty() && places.insert(place).second)
      sources.push_back(place);
  return sources;
}

/// Vector registers of accumulators.
static int64_t registersOf(graph::Schedule schedule) {
  auto product = productKeys(variantsOf(schedule).back());
  if (!product || !product->tile)
    return 0;
  if (product->item)
    return product->item[0] * product->item[1];
  return product->lanes ? product->tile[0] * product->tile[1] / product->lanes
                        : 0;
}

static void writeKernel(llvm::json::OStream &json, graph::FusionOp fusion,
                        StringRef function, unsigned number,
                        graph::DimAnalysis &dims,
                        const target::TargetModel &model,
                        const TasksOf &tasksOfEmission) {
  graph::Schedule schedule = fusion.getScheduleAttr();
  FailureOr<Decision> decision = decide(fusion, dims, model);
  std::optional<DimExpr> tasks =
      succeeded(decision) ? decision->tasks : std::nullopt;
  if (!tasks && schedule.runsOn() == graph::RunOn::Task)
    tasks = tasksOfEmission(fusion, dims, model);
  graph::ScheduleCost cost = schedule.cost(fusion, dims, model);
  ScheduleKeys keys = keysOf(schedule);
  json.object([&] {
    json.attribute("function", function);
    json.attribute("kernel", "k" + std::to_string(number) + "_" +
                                 stringifyEnum(fusion.getKind()).str());
    json.attribute("kind", variantsOf(schedule).back().kind());
    json.attribute("schedule", sched::textOf(schedule));
    json.attribute("on", placeOf(schedule.runsOn()));
    if (tasks)
      json.attribute("tasks", tasks->str());
    else
      json.attribute("tasks", nullptr);
    json.attributeArray("group", [&] {
      if (keys.group)
        for (int64_t size : keys.group.asArrayRef())
          json.value(size);
    });
    json.attributeArray("scratch_bytes", [&] {
      for (const DimExpr &bytes : schedule.scratch(fusion, dims))
        json.value(bytes.str());
    });
    json.attribute("local_bytes", schedule.localBytes(fusion));
    json.attribute("registers", registersOf(schedule));
    json.attribute("flops", cost.flops);
    json.attribute("bytes", cost.bytes);
    json.attribute("estimate_us", cost.microseconds);
    json.attribute("bound", boundOf(cost.bound));
    json.attribute("source", sourcesOf(fusion));
    json.attributeArray("rejected", [&] {
      for (const RunnerUp &other : runnersUp(fusion, schedule, dims, model))
        json.object([&] {
          json.attribute("schedule", sched::textOf(other.schedule));
          json.attribute("why", other.why);
          json.attribute("estimate_us", other.microseconds);
        });
    });
  });
}

/// The fields of the model under the names that the module's attribute has.
static void writeModel(llvm::json::OStream &json,
                       const target::TargetModel &model) {
  json.object([&] {
    target::forEachField(model, [&](StringRef name, const auto &field) {
      using Field = std::decay_t<decltype(field)>;
      if constexpr (std::is_same_v<Field, target::Kind>)
        json.attribute(name, field == target::Kind::CPU ? "cpu" : "gpu");
      else
        json.attribute(name, field);
    });
  });
}

std::string schedulesAsJSON(ModuleOp module, const TasksOf &tasksOfEmission) {
  target::TargetModel model = target::modelOf(module);
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("version", 1);
    json.attributeBegin("target_model");
    writeModel(json, model);
    json.attributeEnd();
    json.attributeArray("kernels", [&] {
      unsigned number = 0;
      for (auto function : module.getOps<func::FuncOp>()) {
        graph::DimAnalysis dims;
        function.walk([&](graph::FusionOp fusion) {
          if (fusion.getScheduleAttr())
            writeKernel(json, fusion, function.getSymName(), number++, dims,
                        model, tasksOfEmission);
        });
      }
    });
  });
  stream << "\n";
  return text;
}

} // namespace zenith::decisions
