// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// zenith-search walks: states on random walks, their moves and step numbers.

#include "frontends/cayley/BuildWalks.h"
#include "frontends/tensors/NpyFile.h"
#include "tools/search/SearchCommands.h"
#include "tools/search/SearchMetrics.h"
#include "tools/search/SearchRun.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;

/// The step number of each state.
static llvm::Error writeSteps(SearchRun &search,
                              llvm::ArrayRef<int64_t> sizes) {
  std::vector<int64_t> steps;
  for (auto [step, size] : llvm::enumerate(sizes))
    steps.insert(steps.end(), size, step);
  auto type = RankedTensorType::get({int64_t(steps.size())},
                                    IntegerType::get(search.context.get(), 64));
  return tensors::writeNpy(
      search.options.stepsFile,
      Tensor(type, llvm::ArrayRef(reinterpret_cast<const char *>(steps.data()),
                                  steps.size() * sizeof(int64_t))));
}

llvm::Error zenith::tools::runWalks(SearchRun &search) {
  const SearchOptions &options = search.options;
  auto task = search.read(options.starts);
  if (!task)
    return task.takeError();
  const cayley::StateGraph &graph = task->graph;
  cayley::WalkOptions walks;
  walks.kind = options.walkKind;
  walks.starts = std::move(task->states);
  if (walks.starts.empty())
    walks.starts.push_back(graph.central);
  walks.width = options.width;
  walks.length = options.length;
  walks.seed = options.seed;
  walks.givesMoves = !options.movesFile.empty();
  auto runs =
      search.compile(cayley::buildWalks(graph, walks, search.context.get()));
  if (!runs || !*runs)
    return runs.takeError();
  auto values = search.run();
  std::vector<int64_t> layers = search.layers();
  if (!values)
    return search.interrupted(values.takeError(), search.report(layers), layers,
                              "step");
  if (search.isStopped())
    return search.interrupted(llvm::Error::success(), search.report(layers),
                              layers, "step");
  std::vector<int64_t> sizes = integersOf((*values)[1]);
  if (llvm::Error error =
          tensors::writeNpy(options.outputFile, values->front()))
    return error;
  if (walks.givesMoves)
    if (llvm::Error error = tensors::writeNpy(options.movesFile, (*values)[2]))
      return error;
  if (!options.stepsFile.empty())
    if (llvm::Error error = writeSteps(search, sizes))
      return error;
  llvm::json::Object report = search.report(sizes);
  if (options.metrics)
    addWalkMetrics(report, sizes, graph.generators());
  search.add(std::move(report));
  return search.write();
}
