// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// zenith-search distance: steps from the central state to given states.

#include "frontends/cayley/BuildDistances.h"
#include "frontends/cayley/StateOps.h"
#include "frontends/tensors/NpyFile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tools/search/Reachability.h"
#include "tools/search/SearchCommands.h"
#include "tools/search/SearchMetrics.h"
#include "tools/search/SearchRun.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;

namespace {
/// Distances so far, and the states whose distance only a search tells.
struct Distances {
  std::vector<int64_t> steps; ///< of all states; -1: not reached
  std::vector<size_t> places; ///< of those that are searched for
  std::vector<cayley::State> searched;
};
} // namespace

/// Leaves out the central state and those that are known to be out of reach,
/// which would make a search visit the whole orbit.
static Distances splitStates(const cayley::StateGraph &graph,
                             std::vector<cayley::State> states) {
  Distances distances;
  distances.steps.assign(states.size(), -1);
  Reachability reachability(graph);
  for (auto [place, state] : llvm::enumerate(states))
    if (state == graph.central) {
      distances.steps[place] = 0;
    } else if (reachability.mayReach(graph.central, state)) {
      distances.places.push_back(place);
      distances.searched.push_back(std::move(state));
    }
  return distances;
}

static llvm::Error writeDistances(SearchRun &search,
                                  llvm::ArrayRef<int64_t> steps) {
  auto type = RankedTensorType::get({int64_t(steps.size())},
                                    IntegerType::get(search.context.get(), 64));
  return tensors::writeNpy(
      search.options.outputFile,
      Tensor(type, llvm::ArrayRef(reinterpret_cast<const char *>(steps.data()),
                                  steps.size() * sizeof(int64_t))));
}

/// `report` with the counts of states in place of those of the layers.
static llvm::json::Object distanceReport(SearchRun &search,
                                         const Distances &distances,
                                         llvm::ArrayRef<int64_t> layers) {
  llvm::json::Object report = search.report(layers);
  int64_t reached =
      llvm::count_if(distances.steps, [](int64_t steps) { return steps >= 0; });
  report["states"] = int64_t(distances.steps.size());
  report["reached"] = reached;
  return report;
}

llvm::Error zenith::tools::runDistance(SearchRun &search) {
  const SearchOptions &options = search.options;
  auto task = search.read({"@" + options.statesFile});
  if (!task)
    return task.takeError();
  const cayley::StateGraph &graph = task->graph;
  cayley::DistanceOptions growth;
  growth.states = {graph.central};
  growth.leavesCentralOut = true;
  Distances distances = splitStates(graph, std::move(task->states));
  auto module = cayley::buildDistances(graph, growth, search.context.get());
  auto main = module->lookupSymbol<func::FuncOp>("main");
  auto type = cast<RankedTensorType>(main.getArgumentTypes().front());
  auto runs = search.compile(std::move(module));
  if (!runs || !*runs)
    return runs.takeError();
  int64_t most = options.maxSteps < 0 ? INT64_MAX : options.maxSteps;
  auto values = search.run({cayley::stateRows(distances.searched, type),
                            scalarOf(most, search.context.get())});
  if (!values) {
    std::vector<int64_t> layers = search.layers();
    return search.interrupted(values.takeError(),
                              distanceReport(search, distances, layers), layers,
                              "layer");
  }
  for (auto [place, steps] :
       llvm::zip_equal(distances.places, integersOf(values->front())))
    distances.steps[place] = steps;
  std::vector<int64_t> layers = integersOf((*values)[1]);
  if (llvm::Error error = writeDistances(search, distances.steps))
    return error;
  llvm::json::Object report = distanceReport(search, distances, layers);
  // Layers up to the limit may be all that there are.
  bool isOpen = llvm::any_of(distances.places, [&](size_t place) {
    return distances.steps[place] < 0;
  });
  bool ends = int64_t(layers.size()) <= most && !search.isStopped();
  search.printLayers(layers);
  if (isOpen && search.isStopped())
    return search.interrupted(llvm::Error::success(), std::move(report), layers,
                              "layer");
  if (llvm::is_contained(distances.steps, -1))
    report["reason"] = isOpen && !ends ? "max_steps" : "unreachable";
  report["complete"] = !isOpen || ends;
  if (options.metrics)
    addBfsMetrics(report, layers, graph.generators(), isOpen && ends);
  search.add(std::move(report));
  return search.write();
}
