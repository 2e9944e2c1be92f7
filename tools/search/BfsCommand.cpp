// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// zenith-search bfs: the sizes of layers, and the states of some.

#include "tools/search/SearchCommands.h"

#include "frontends/cayley/BuildAdjacency.h"
#include "frontends/cayley/BuildBfs.h"
#include "frontends/tensors/NpyFile.h"
#include "passes/search/groups/PermutationGroup.h"
#include "tools/search/Reachability.h"
#include "tools/search/SearchMetrics.h"
#include "tools/search/SearchRun.h"
#include "tools/search/SteppedRun.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;

/// Writes the edges between stored states, by a program of its own.
static llvm::Error storeAdjacency(SearchRun &search,
                                  const cayley::StateGraph &graph,
                                  const std::vector<cayley::State> &starts,
                                  const Tensor &states) {
  auto edges = search.runOnce(
      cayley::buildAdjacency(graph, starts, search.context.get()), states);
  if (!edges)
    return edges.takeError();
  return tensors::writeNpy(search.options.adjacencyFile, edges->front());
}

/// Writes the files that options ask for.
static llvm::Error storeStates(SearchRun &search,
                               const cayley::StateGraph &graph,
                               const std::vector<cayley::State> &starts,
                               const Tensor &states) {
  const SearchOptions &options = search.options;
  if (!options.layersFile.empty())
    if (llvm::Error error = tensors::writeNpy(options.layersFile, states))
      return error;
  if (options.adjacencyFile.empty())
    return llvm::Error::success();
  return storeAdjacency(search, graph, starts, states);
}

static std::vector<Tensor> limitOf(const SearchRun &search, int64_t layers) {
  return {scalarOf(layers < 0 ? INT64_MAX : layers, search.context.get())};
}

/// Stores the layers that were found before memory ran out, by another search
/// that stops where they fit.
static llvm::Error storeFound(SearchRun &search,
                              const cayley::StateGraph &graph,
                              const cayley::BfsOptions &growth,
                              int64_t layers) {
  for (int64_t last = layers - 1; last >= 0; --last) {
    auto values = search.run(limitOf(search, last));
    if (!values) {
      llvm::consumeError(values.takeError());
      continue;
    }
    if (llvm::Error error =
            storeStates(search, graph, growth.starts, (*values)[1]))
      return error;
    search.out() << "stored: layers 0 to " << last << "\n";
    break;
  }
  return llvm::Error::success();
}

/// What --layers says; checkOptions has refused other texts.
static cayley::KeptLayers keptLayers(const SearchOptions &options) {
  cayley::KeptLayers kept;
  if (options.layersFile.empty() && options.adjacencyFile.empty())
    return kept;
  llvm::StringRef text = options.storedLayers;
  if (text == "all" || text == "last") {
    kept.kind =
        text == "all" ? cayley::KeptLayers::All : cayley::KeptLayers::Last;
    return kept;
  }
  kept.kind = cayley::KeptLayers::Range;
  auto [first, last] = text.split("..");
  (void)first.getAsInteger(10, kept.first);
  (void)last.getAsInteger(10, kept.last);
  return kept;
}

/// Starts that the central state does not lead to are searched all the same.
static void warnOfOtherOrbits(SearchRun &search,
                              const cayley::StateGraph &graph,
                              llvm::ArrayRef<cayley::State> starts) {
  Reachability reachability(graph);
  for (const cayley::State &start : starts)
    if (!reachability.mayReach(graph.central, start)) {
      search.warn("the central state does not reach the start " +
                      cayley::stateText(start),
                  search.options.graph);
      return;
    }
}

/// The number of states, where it is that of the group's elements and known
/// soon; else 0.
static double statesOf(const cayley::StateGraph &graph) {
  constexpr int64_t budget = int64_t(1) << 27;
  std::set<int64_t> numbers(graph.central.begin(), graph.central.end());
  if (graph.permutations.empty() || numbers.size() != graph.central.size())
    return 0;
  auto group = search::PermutationGroup::build(graph.permutations, budget);
  return group ? group->order().roundToDouble() : 0;
}

static llvm::json::Object bfsReport(SearchRun &search,
                                    llvm::ArrayRef<int64_t> layers,
                                    size_t generators, bool isComplete) {
  llvm::json::Object report = search.report(layers);
  report["complete"] = isComplete;
  report["diameter"] = isComplete
                           ? llvm::json::Value(int64_t(layers.size()) - 1)
                           : llvm::json::Value(nullptr);
  if (!isComplete)
    report["reason"] = "max_layers";
  if (search.options.metrics)
    addBfsMetrics(report, layers, generators, isComplete);
  return report;
}

llvm::Error zenith::tools::runBfs(SearchRun &search) {
  const SearchOptions &options = search.options;
  auto task = search.read(options.starts);
  if (!task)
    return task.takeError();
  const cayley::StateGraph &graph = task->graph;
  warnOfOtherOrbits(search, graph, task->states);
  cayley::BfsOptions growth;
  growth.starts = std::move(task->states);
  if (growth.starts.empty())
    growth.starts.push_back(graph.central);
  growth.takesLimit = true;
  growth.kept = keptLayers(options);
  bool stores = growth.kept.kind != cayley::KeptLayers::None;
  // Compiled programs tell the sizes while they run; one that is printed is
  // for others.
  bool isPrinted = options.printed == PrintedForm::GraphIR;
  growth.listsSizes =
      options.run.isInterpreted() || (isPrinted && options.entries.empty());
  if (stores)
    search.storesLayers();
  if (search.tellsProgress())
    search.expectStates(statesOf(graph));
  auto runs =
      search.compile(cayley::buildBfs(graph, growth, search.context.get()));
  if (!runs || !*runs)
    return runs.takeError();
  auto values = runSearch(search, graph, growth.starts,
                          limitOf(search, options.maxLayers));
  size_t generators = graph.generators();
  if (!values) {
    std::vector<int64_t> layers = search.layers();
    llvm::Error error = search.interrupted(
        values.takeError(), bfsReport(search, layers, generators, false),
        layers, "layer");
    if (!stores || search.isStopped() || search.isStepped() ||
        growth.kept.kind != cayley::KeptLayers::All)
      return error;
    return llvm::joinErrors(
        std::move(error),
        storeFound(search, graph, growth, int64_t(layers.size())));
  }
  std::vector<int64_t> layers =
      growth.listsSizes ? integersOf(values->front()) : search.layers();
  // A search that its limit did not stop has come to an empty layer.
  bool isComplete =
      options.maxLayers < 0 || int64_t(layers.size()) <= options.maxLayers;
  // A disk too full for the states may still take their counts.
  llvm::Error unstored =
      stores ? storeStates(search, graph, growth.starts, (*values)[1])
             : llvm::Error::success();
  if (search.isStopped())
    return llvm::joinErrors(
        std::move(unstored),
        search.interrupted(llvm::Error::success(),
                           bfsReport(search, layers, generators, false), layers,
                           "layer"));
  search.printLayers(layers);
  search.add(bfsReport(search, layers, generators, isComplete));
  return llvm::joinErrors(std::move(unstored), search.write());
}
