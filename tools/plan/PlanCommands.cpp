// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a file, plans, writes a file.

#include "tools/plan/PlanCommands.h"

#include "frontends/files/JSONText.h"
#include "frontends/files/MappedBytes.h"
#include "frontends/models/Diagnostics.h"
#include "frontends/models/WriteModel.h"
#include "lowering/memory/arena/ArenaPacking.h"
#include "lowering/memory/arena/ArenaSearch.h"
#include "passes/remat/PlanMemory.h"
#include "passes/remat/ReadMemoryGraph.h"
#include "tools/plan/BufferTable.h"
#include "llvm/Support/raw_ostream.h"
#include <ctime>

using namespace zenith;
using namespace zenith::tools;
namespace json = llvm::json;

static Result<std::shared_ptr<const files::ByteSource>>
openInput(const std::string &path) {
  return files::ByteSource::open(path == "-" ? "/dev/stdin" : path);
}

static llvm::Error doesNotFit(const char *option, int64_t bytes,
                              int64_t lowerBound, int64_t leastFound) {
  llvm::errs() << json::Value(json::Object{{"lower_bound", lowerBound},
                                           {"least_found", leastFound}})
               << "\n";
  return makeError(ErrorCode::Memory,
                   std::string(option) + "=" + std::to_string(bytes) +
                       " cannot be met: lower bound " +
                       std::to_string(lowerBound) + ", least found " +
                       std::to_string(leastFound));
}

static Result<remat::MemoryGraph> readGraph(const std::string &path) {
  auto source = openInput(path);
  if (!source)
    return source.error();
  llvm::Expected<json::Value> text = files::parseJSON((*source)->bytes());
  if (!text)
    return invalid(llvm::toString(text.takeError()), path);
  Result<remat::MemoryGraph> graph = remat::parseMemoryGraph(*text);
  if (!graph)
    return graph.error().ofFile(path);
  return graph;
}

static json::Array frontierOf(const remat::PlanList &list) {
  json::Array points;
  for (const remat::RematPlan &plan : list.plans)
    points.push_back(json::Array{plan.peak, remat::costToJSON(plan.cost)});
  return points;
}

static llvm::Error planGraph(const PlanOptions &options) {
  Result<remat::MemoryGraph> graph = readGraph(options.graph);
  if (!graph)
    return makeError(graph.error());
  // Of the processor: what others run at the same time doesn't count.
  std::clock_t begin = std::clock();
  remat::PlanOptions how;
  how.recompute = options.remat == PlannedRemat::Auto;
  how.maxWork = uint64_t(options.timeLimit) * remat::workPerMillisecond;
  remat::PlanList list = remat::planMemory(*graph, how);
  double milliseconds = 1e3 * double(std::clock() - begin) / CLOCKS_PER_SEC;
  if (options.frontier)
    llvm::outs() << json::Value(frontierOf(list)) << "\n";
  int64_t budget = options.maxMemory.value_or(INT64_MAX);
  const remat::RematPlan *plan = list.within(budget);
  if (!plan)
    return doesNotFit("--max-memory", budget, list.lowerBound,
                      list.least().peak);
  if (options.frontier && options.output == "-")
    return llvm::Error::success();
  json::Array order;
  for (unsigned step : plan->order)
    order.push_back(int64_t(step));
  std::string text;
  llvm::raw_string_ostream(text)
      << json::Value(json::Object{{"order", std::move(order)},
                                  {"peak", plan->peak},
                                  {"cost", remat::costToJSON(plan->cost)},
                                  {"solve_ms", milliseconds},
                                  {"lower_bound", list.lowerBound}})
      << "\n";
  return models::writeFile(options.output, text);
}

static llvm::Error planArena(const PlanOptions &options) {
  // A node of the search looks at all buffers: some hundred in 5 us.
  constexpr uint64_t defaultBacktracks = 2'000'000, perMillisecond = 200;
  auto source = openInput(options.buffers);
  if (!source)
    return makeError(source.error());
  Result<BufferTable> table = readBuffers((*source)->bytes());
  if (!table)
    return makeError(table.error().ofFile(options.buffers));
  uint64_t backtracks = options.timeLimit
                            ? uint64_t(options.timeLimit) * perMillisecond
                            : defaultBacktracks;
  int64_t bound = memory::mostLive(table->buffers);
  int64_t total = memory::packBySize(table->buffers, nullptr);
  if (!options.capacity)
    total = memory::packBuffers(table->buffers, nullptr, backtracks);
  else if (total > *options.capacity &&
           !memory::searchOffsets(table->buffers, *options.capacity,
                                  backtracks))
    return doesNotFit("--capacity", *options.capacity, bound, total);
  return models::writeFile(options.output, writeOffsets(*table));
}

int zenith::tools::runPlanCommand(const PlanOptions &options,
                                  models::Diagnostics &diagnostics) {
  return diagnostics.report(options.command == PlanOptions::Graph
                                ? planGraph(options)
                                : planArena(options));
}
