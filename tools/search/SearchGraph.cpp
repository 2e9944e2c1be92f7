// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commands of zenith-search: each builds a program, runs it and prints the
// answer.

#include "tools/search/SearchGraph.h"

#include "frontends/cayley/BuildAdjacency.h"
#include "frontends/cayley/BuildBeam.h"
#include "frontends/cayley/BuildBfs.h"
#include "frontends/cayley/BuildMeeting.h"
#include "frontends/cayley/BuildWalks.h"
#include "frontends/cayley/StateOps.h"
#include "frontends/models/Diagnostics.h"
#include "frontends/models/EntrySignature.h"
#include "frontends/tensors/NpyFile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tools/search/SearchRun.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;

/// Writes the edges between stored states, by a program of its own.
static llvm::Error storeAdjacency(SearchRun &search,
                                  const cayley::StateGraph &graph,
                                  const std::vector<cayley::State> &starts,
                                  const Tensor &states) {
  auto edges = search.run(
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

/// Stores the layers that were found before memory ran out, by another search
/// that stops where they fit.
static llvm::Error storeFound(SearchRun &search,
                              const cayley::StateGraph &graph,
                              cayley::BfsOptions growth, int64_t layers) {
  for (growth.maxLayers = layers - 1; growth.maxLayers >= 0;
       --growth.maxLayers) {
    auto values =
        search.run(cayley::buildBfs(graph, growth, search.context.get()));
    if (!values) {
      llvm::consumeError(values.takeError());
      continue;
    }
    if (llvm::Error error =
            storeStates(search, graph, growth.starts, (*values)[1]))
      return error;
    llvm::outs() << "stored: layers 0 to " << growth.maxLayers << "\n";
    break;
  }
  return llvm::Error::success();
}

static llvm::Error runBfs(SearchRun &search) {
  const SearchOptions &options = search.options;
  auto graph = search.graph();
  if (!graph)
    return graph.takeError();
  auto starts = search.states(options.starts, *graph);
  if (!starts)
    return starts.takeError();
  if (starts->empty())
    starts->push_back(graph->central);
  cayley::BfsOptions growth;
  growth.starts = std::move(*starts);
  growth.maxLayers = options.maxLayers;
  growth.keepLayers =
      !options.layersFile.empty() || !options.adjacencyFile.empty();
  auto values =
      search.run(cayley::buildBfs(*graph, growth, search.context.get()));
  if (!values) {
    auto found = int64_t(search.layers().size());
    llvm::Error error =
        search.incomplete(values.takeError(), "layer", search.layers());
    if (!growth.keepLayers)
      return error;
    return llvm::joinErrors(std::move(error),
                            storeFound(search, *graph, growth, found));
  }
  if (options.printed == PrintedForm::GraphIR)
    return llvm::Error::success();
  std::vector<int64_t> layers = integersOf(values->front());
  printLayers(layers);
  // A disk too full for the states may still take their counts.
  llvm::Error unstored = llvm::Error::success();
  if (growth.keepLayers)
    unstored = storeStates(search, *graph, growth.starts, (*values)[1]);
  return llvm::joinErrors(std::move(unstored),
                          search.write(search.report(layers)));
}

/// Prints a path after walking it: generators in order.
static llvm::Error reportPath(SearchRun &search,
                              const cayley::StateGraph &graph,
                              cayley::State state, const cayley::State &target,
                              bool found, llvm::ArrayRef<int64_t> path,
                              llvm::json::Object report) {
  report["found"] = found;
  if (!found) {
    llvm::outs() << "found: false\n";
    return search.write(std::move(report));
  }
  llvm::json::Array names;
  for (int64_t generator : path) {
    if (generator < 0 || generator >= int64_t(graph.generators()))
      return makeError(ErrorCode::Internal,
                       "the path has a generator " + std::to_string(generator));
    state = graph.apply(generator, state);
    names.push_back(graph.generatorNames[generator]);
  }
  if (state != target)
    return makeError(ErrorCode::Internal,
                     "the path that was found does not lead to the target");
  llvm::outs() << "path:";
  for (int64_t generator : path)
    llvm::outs() << " " << graph.generatorNames[generator];
  llvm::outs() << "\n";
  report["path"] = std::move(names);
  return search.write(std::move(report));
}

/// Generators that permute positions never change the multiset of values of a
/// state.
static bool canMeet(const cayley::StateGraph &graph, cayley::State from,
                    cayley::State to) {
  llvm::sort(from);
  llvm::sort(to);
  return graph.permutations.empty() || from == to;
}

/// The states that a program's @main takes.
static std::vector<Tensor>
arguments(ModuleOp program, llvm::ArrayRef<const cayley::State *> states) {
  std::vector<Tensor> rows;
  auto main = program.lookupSymbol<func::FuncOp>("main");
  for (auto [state, type] : llvm::zip_equal(states, main.getArgumentTypes()))
    rows.push_back(cayley::stateRow(*state, cast<RankedTensorType>(type)));
  return rows;
}

static llvm::Error runBeam(SearchRun &search) {
  const SearchOptions &options = search.options;
  auto graph = search.graph();
  if (!graph)
    return graph.takeError();
  cayley::BeamOptions beam;
  auto start = search.state(options.from.front(), *graph),
       target = search.state(options.to, *graph);
  if (!start || !target)
    return llvm::joinErrors(start.takeError(), target.takeError());
  beam.start = std::move(*start);
  beam.target = std::move(*target);
  beam.width = options.width;
  beam.maxSteps = options.maxSteps;
  beam.history = options.history;
  beam.memoryBytes = options.run.maxMemory.value_or(0);
  LoadedModel loaded;
  func::FuncOp model;
  if (options.score == "zero") {
    beam.score = cayley::BeamScore::Zero;
  } else if (options.score != "hamming") {
    beam.score = cayley::BeamScore::Model;
    beam.modelName = options.score;
    auto read = search.load(options.score);
    if (!read)
      return read.takeError();
    loaded = std::move(*read);
    auto entry = findFunction(*loaded.module, "");
    if (!entry)
      return entry.takeError();
    model = *entry;
  }
  if (!loaded.module)
    loaded.module = ModuleOp::create(UnknownLoc::get(search.context.get()));
  if (llvm::Error error =
          cayley::buildBeam(*graph, beam, *loaded.module, model))
    return error;
  std::vector<Tensor> from = arguments(*loaded.module, {&beam.start});
  auto values = search.run(std::move(loaded.module), from,
                           loaded.folder.empty() ? "." : loaded.folder);
  if (!values)
    return search.incomplete(values.takeError(), "step", search.layers());
  if (options.printed == PrintedForm::GraphIR)
    return llvm::Error::success();
  std::vector<int64_t> path = integersOf((*values)[1]);
  std::reverse(path.begin(), path.end());
  return reportPath(search, *graph, beam.start, beam.target,
                    *values->front().bytes() != 0, path,
                    search.report(integersOf((*values)[2])));
}

/// Layers that were found from both ends in turn: all of one end, then all of
/// the other, as a search that comes to its end lists them.
static std::vector<int64_t> byEnds(llvm::ArrayRef<int64_t> inTurn) {
  std::vector<int64_t> layers;
  for (size_t end = 0; end < 2 && !inTurn.empty(); ++end) {
    layers.push_back(inTurn.front());
    for (size_t at = 1 + end; at < inTurn.size(); at += 2)
      layers.push_back(inTurn[at]);
  }
  return layers;
}

static llvm::Error runPath(SearchRun &search) {
  const SearchOptions &options = search.options;
  auto graph = search.graph();
  if (!graph)
    return graph.takeError();
  auto start = search.state(options.from.front(), *graph),
       target = search.state(options.to, *graph);
  if (!start || !target)
    return llvm::joinErrors(start.takeError(), target.takeError());
  cayley::MeetingOptions meeting{*start, *target, options.maxSteps};
  // Otherwise the search of both ends would visit all states for a result that
  // is known beforehand.
  if (!canMeet(*graph, *start, *target))
    meeting.maxSteps = 0;
  auto module = cayley::buildMeeting(*graph, meeting, search.context.get());
  if (!module)
    return module.takeError();
  std::vector<Tensor> ends = arguments(**module, {&*start, &*target});
  auto values = search.run(std::move(*module), ends);
  if (!values)
    return search.incomplete(values.takeError(), "layer",
                             byEnds(search.layers()));
  if (options.printed == PrintedForm::GraphIR)
    return llvm::Error::success();
  std::vector<int64_t> layers = integersOf((*values)[2]);
  llvm::append_range(layers, integersOf((*values)[3]));
  return reportPath(search, *graph, *start, *target,
                    *values->front().bytes() != 0, integersOf((*values)[1]),
                    search.report(layers));
}

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

static llvm::Error runWalks(SearchRun &search) {
  const SearchOptions &options = search.options;
  auto graph = search.graph();
  if (!graph)
    return graph.takeError();
  if (options.starts.size() > 1)
    return makeError(ErrorCode::Usage, "walks start from one state");
  auto start = search.state(
      options.starts.empty() ? "" : options.starts.front(), *graph);
  if (!start)
    return start.takeError();
  cayley::WalkOptions walks;
  walks.kind = options.walkKind;
  walks.start = std::move(*start);
  walks.width = options.width;
  walks.length = options.length;
  walks.seed = options.seed;
  auto values =
      search.run(cayley::buildWalks(*graph, walks, search.context.get()));
  if (!values)
    return search.incomplete(values.takeError(), "step", search.layers());
  if (options.printed == PrintedForm::GraphIR)
    return llvm::Error::success();
  std::vector<int64_t> sizes = integersOf((*values)[1]);
  if (llvm::Error error = tensors::writeNpy(options.outputFile, values->front()))
    return error;
  if (!options.stepsFile.empty())
    if (llvm::Error error = writeSteps(search, sizes))
      return error;
  return search.write(search.report(sizes));
}

/// Checks the folders of output files before the search that fills them.
static llvm::Error checkFolders(const SearchOptions &options) {
  for (const std::string *file :
       {&options.jsonFile, &options.layersFile, &options.adjacencyFile,
        &options.outputFile, &options.stepsFile}) {
    llvm::StringRef folder = llvm::sys::path::parent_path(*file);
    if (!folder.empty() && !llvm::sys::fs::is_directory(folder))
      return makeError(ErrorCode::Invalid,
                       "cannot write: no folder " + folder.str(), *file);
  }
  return llvm::Error::success();
}

int zenith::tools::searchGraph(const SearchOptions &options,
                               Diagnostics &diagnostics) {
  if (llvm::Error error = checkFolders(options))
    return diagnostics.report(std::move(error));
  SearchRun search(options, diagnostics);
  switch (options.command) {
  case SearchCommand::Bfs:
    return diagnostics.report(runBfs(search));
  case SearchCommand::Beam:
    return diagnostics.report(runBeam(search));
  case SearchCommand::Path:
    return diagnostics.report(runPath(search));
  case SearchCommand::Walks:
    return diagnostics.report(runWalks(search));
  }
  return int(ErrorCode::Internal);
}
