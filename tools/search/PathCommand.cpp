// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// zenith-search path and beam: paths from each start to the target, by one
// program.

#include "frontends/cayley/BeamModel.h"
#include "frontends/cayley/BuildBeam.h"
#include "frontends/cayley/BuildMeeting.h"
#include "frontends/cayley/StateOps.h"
#include "frontends/models/EntrySignature.h"
#include "frontends/models/Suggestion.h"
#include "ir/LLVMError.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tools/search/CheckpointKey.h"
#include "tools/search/Reachability.h"
#include "tools/search/SearchCommands.h"
#include "tools/search/SearchMetrics.h"
#include "tools/search/SearchRun.h"
#include "tools/search/SteppedRun.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;

namespace {

/// What both commands read.
struct PathTask {
  cayley::StateGraph graph;
  std::vector<cayley::State> starts;
  cayley::State target;
};

/// What a program found from one start.
struct PathResult {
  bool found = false;
  std::vector<int64_t> path;   ///< generators in order
  std::vector<int64_t> layers; ///< for the report
};

} // namespace

/// True for a score that is no word.
static bool isModel(llvm::StringRef score) {
  return score != "hamming" && score != "zero";
}

static llvm::Expected<PathTask> readTask(SearchRun &search) {
  auto task = search.read(search.options.from);
  if (!task)
    return task.takeError();
  auto target = search.state(search.options.to, task->graph);
  if (!target)
    return target.takeError();
  bool isKept =
      !search.options.checkpointDir.empty() || !search.options.resume.empty();
  if (isKept && task->states.size() > 1)
    return makeError(ErrorCode::Usage,
                     "a checkpoint is of one start, --from gives " +
                         llvm::Twine(task->states.size()));
  return PathTask{std::move(task->graph), std::move(task->states),
                  std::move(*target)};
}

/// Prints a path after walking it, and adds its names to the report.
static llvm::Error tellPath(SearchRun &search, const PathTask &task,
                            cayley::State state, const PathResult &result,
                            llvm::json::Object &report) {
  report["from"] = llvm::json::Array(state);
  report["found"] = result.found;
  report["path_length"] =
      result.found ? int64_t(result.path.size()) : int64_t(-1);
  if (!result.found) {
    search.out() << "found: false\n";
    return llvm::Error::success();
  }
  llvm::json::Array names;
  for (int64_t generator : result.path) {
    if (generator < 0 || generator >= int64_t(task.graph.generators()))
      return makeError(ErrorCode::Internal,
                       "the path has a generator " + std::to_string(generator));
    state = task.graph.apply(generator, state);
    names.push_back(task.graph.generatorNames[generator]);
  }
  if (state != task.target)
    return makeError(ErrorCode::Internal,
                     "the path that was found does not lead to the target");
  search.out() << "path:";
  for (int64_t generator : result.path)
    search.out() << " " << task.graph.generatorNames[generator];
  search.out() << "\n";
  report["path"] = std::move(names);
  return llvm::Error::success();
}

/// Sets why nothing was found.
static void giveReason(llvm::json::Object &report, llvm::StringRef reason) {
  report["reason"] = reason;
  report["complete"] = reason == "unreachable";
}

/// Layers that were found from both ends in turn, by end.
static std::array<std::vector<int64_t>, 2>
byEnds(llvm::ArrayRef<int64_t> inTurn) {
  std::array<std::vector<int64_t>, 2> ends;
  for (size_t end = 0; end < 2 && !inTurn.empty(); ++end) {
    ends[end].push_back(inTurn.front());
    for (size_t at = 1 + end; at < inTurn.size(); at += 2)
      ends[end].push_back(inTurn[at]);
  }
  return ends;
}

static void dropEmptyLayer(std::vector<int64_t> &layers) {
  if (!layers.empty() && layers.back() == 0)
    layers.pop_back();
}

/// The report of layers from both ends.
static llvm::json::Object endsReport(SearchRun &search,
                                     std::array<std::vector<int64_t>, 2> ends,
                                     size_t generators,
                                     std::vector<int64_t> &layers) {
  auto [forwards, backwards] = ends;
  dropEmptyLayer(forwards);
  dropEmptyLayer(backwards);
  layers = forwards;
  llvm::append_range(layers, backwards);
  llvm::json::Object report = search.report(layers);
  report["forward_layers"] = llvm::json::Array(forwards);
  report["backward_layers"] = llvm::json::Array(backwards);
  if (search.options.metrics)
    addPathMetrics(report, ends[0], ends[1], generators);
  return report;
}

/// The report of a start from which the target is known to be out of reach:
/// that of a search that has taken no step.
static llvm::json::Object
unreachable(SearchRun &search, const cayley::State &start, size_t generators) {
  const SearchOptions &options = search.options;
  std::vector<int64_t> layers{1};
  llvm::json::Object report;
  if (options.command == SearchCommand::Path) {
    report = endsReport(search, {layers, layers}, generators, layers);
  } else {
    report = search.report(layers);
    if (options.metrics)
      addBeamMetrics(report, layers, generators, {});
    if (isModel(options.score))
      report["nan_scores"] = 0;
  }
  report["run_ms"] = 0.0; // that of the start before
  report["reason"] = "unreachable";
  report["path_length"] = -1;
  report["found"] = false;
  report["from"] = llvm::json::Array(start);
  search.out() << "found: false\n";
  return report;
}

/// Searches from each start that may reach the target, and writes the report.
static llvm::Error fromEachStart(
    SearchRun &search, const PathTask &task,
    llvm::function_ref<llvm::Error(const cayley::State &)> searchFrom) {
  Reachability reachability(task.graph);
  for (const cayley::State &start : task.starts) {
    if (!reachability.mayReach(start, task.target))
      search.add(unreachable(search, start, task.graph.generators()));
    else if (llvm::Error error = searchFrom(start))
      return error;
  }
  return search.write();
}

static llvm::Error pathFrom(SearchRun &search, const PathTask &task,
                            const cayley::State &start,
                            RankedTensorType rowType) {
  int64_t most =
      search.options.maxSteps < 0 ? INT64_MAX : search.options.maxSteps;
  auto values = runSearch(search, task.graph, {start, task.target},
                          {cayley::stateRow(start, rowType),
                           cayley::stateRow(task.target, rowType),
                           scalarOf(most, search.context.get())});
  PathResult result;
  size_t generators = task.graph.generators();
  if (!values) {
    auto report =
        endsReport(search, byEnds(search.layers()), generators, result.layers);
    report["from"] = llvm::json::Array(start);
    report["found"] = false;
    report["path_length"] = -1;
    return search.interrupted(values.takeError(), std::move(report),
                              result.layers, "layer");
  }
  std::array<std::vector<int64_t>, 2> ends = {integersOf((*values)[2]),
                                              integersOf((*values)[3])};
  int64_t steps = int64_t(ends[0].size() + ends[1].size()) - 2;
  auto report = endsReport(search, ends, generators, result.layers);
  result.found = *values->front().bytes() != 0;
  result.path = integersOf((*values)[1]);
  if (llvm::Error error = tellPath(search, task, start, result, report))
    return error;
  bool ranDry = ends[0].back() == 0 || ends[1].back() == 0;
  if (!result.found && search.isStopped() && !ranDry && steps < most)
    return search.interrupted(llvm::Error::success(), std::move(report),
                              result.layers, "layer");
  if (!result.found)
    giveReason(report, ranDry ? "unreachable" : "max_steps");
  search.add(std::move(report));
  return llvm::Error::success();
}

llvm::Error zenith::tools::runPath(SearchRun &search) {
  auto task = readTask(search);
  if (!task)
    return task.takeError();
  cayley::MeetingOptions meeting{task->starts.front(), task->target};
  auto module =
      cayley::buildMeeting(task->graph, meeting, search.context.get());
  if (!module)
    return module.takeError();
  auto main = (*module)->lookupSymbol<func::FuncOp>("main");
  auto rowType = cast<RankedTensorType>(main.getArgumentTypes().front());
  auto runs = search.compile(std::move(*module));
  if (!runs || !*runs)
    return runs.takeError();
  return fromEachStart(search, *task, [&](const cayley::State &start) {
    return pathFrom(search, *task, start, rowType);
  });
}

/// The entry of the model that scores states, in a module of its own; an empty
/// module where no model does.
static llvm::Expected<LoadedModel>
loadScore(SearchRun &search, cayley::BeamOptions &beam, func::FuncOp &model) {
  const std::string &score = search.options.score;
  LoadedModel loaded;
  if (!isModel(score)) {
    beam.score =
        score == "zero" ? cayley::BeamScore::Zero : cayley::BeamScore::Hamming;
    loaded.module = ModuleOp::create(UnknownLoc::get(search.context.get()));
    return loaded;
  }
  if (!llvm::sys::fs::exists(score) &&
      llvm::sys::path::extension(score).empty())
    return makeError(ErrorCode::Invalid,
                     "no score is called '" + score + "'" +
                         models::suggestion(score, {"hamming", "zero"}) +
                         "; known are hamming, zero and files of models");
  beam.score = cayley::BeamScore::Model;
  beam.modelName = score;
  auto read = search.load(score);
  if (!read)
    return read.takeError();
  auto entry = findFunction(*read->module, "");
  if (!entry)
    return entry.takeError();
  model = *entry;
  return std::move(*read);
}

/// Adds what a beam counts on request: results from the third on.
static void addBeamCounts(SearchRun &search, llvm::ArrayRef<Tensor> more,
                          const cayley::BeamOptions &beam, size_t generators,
                          int64_t modelBlock, const PathResult &result,
                          llvm::json::Object &report) {
  if (search.options.metrics) {
    BeamCounts counts{integersOf(more[0]), integersOf(more[1]), modelBlock,
                      result.found};
    addBeamMetrics(report, result.layers, generators, counts);
    more = more.drop_front(2);
  }
  if (beam.score != cayley::BeamScore::Model)
    return;
  report["nan_scores"] = integersOf(more[0]).front();
  if (int64_t steps = integersOf(more[1]).front())
    search.warn("all scores of " + std::to_string(steps) +
                    (steps == 1 ? " step are NaN" : " steps are NaN") +
                    ", so that the order of states decides",
                beam.modelName);
}

namespace {
/// The program of a beam and what its runs need.
struct BeamProgram {
  cayley::BeamOptions beam;
  RankedTensorType rowType;
  int64_t modelBlock = 0;
  int64_t mostSteps = 0;
};
} // namespace

static llvm::Error beamFrom(SearchRun &search, const PathTask &task,
                            const BeamProgram &program,
                            const cayley::State &start) {
  int64_t most = program.mostSteps;
  auto values = runSearch(search, task.graph, {start, task.target},
                          {cayley::stateRow(start, program.rowType),
                           scalarOf(most, search.context.get())});
  PathResult result;
  if (!values) {
    result.layers = search.layers();
    auto report = search.report(result.layers);
    report["from"] = llvm::json::Array(start);
    report["found"] = false;
    report["path_length"] = -1;
    return search.interrupted(values.takeError(), std::move(report),
                              result.layers, "step");
  }
  result.found = *values->front().bytes() != 0;
  result.path = integersOf((*values)[1]);
  std::reverse(result.path.begin(), result.path.end());
  result.layers = integersOf((*values)[2]);
  bool ranDry = result.layers.back() == 0,
       wasCut = llvm::is_contained(result.layers, program.beam.width);
  dropEmptyLayer(result.layers);
  auto report = search.report(result.layers);
  addBeamCounts(search, llvm::ArrayRef(*values).drop_front(3), program.beam,
                task.graph.generators(), program.modelBlock, result, report);
  if (llvm::Error error = tellPath(search, task, start, result, report))
    return error;
  if (!result.found && search.isStopped() && !ranDry &&
      int64_t(result.layers.size()) <= most)
    return search.interrupted(llvm::Error::success(), std::move(report),
                              result.layers, "step");
  if (!result.found)
    giveReason(report, !ranDry  ? "max_steps"
                       : wasCut ? "width"
                                : "unreachable");
  search.add(std::move(report));
  return llvm::Error::success();
}

llvm::Error zenith::tools::runBeam(SearchRun &search) {
  const SearchOptions &options = search.options;
  auto task = readTask(search);
  if (!task)
    return task.takeError();
  BeamProgram program;
  auto taken =
      resumedSteps(search, task->graph, {task->starts.front(), task->target});
  if (!taken)
    return taken.takeError();
  program.mostSteps = linkOptions(options).maxSteps;
  cayley::BeamOptions &beam = program.beam = linkOptions(options, *taken);
  beam.start = task->starts.front();
  beam.target = task->target;
  beam.history = options.history;
  beam.countsStates = options.metrics;
  func::FuncOp model;
  auto loaded = loadScore(search, beam, model);
  if (!loaded)
    return loaded.takeError();
  if (model)
    program.modelBlock = cayley::rowsOfBlock(model);
  if (llvm::Error error =
          cayley::buildBeam(task->graph, beam, *loaded->module, model))
    return error;
  auto main = loaded->module->lookupSymbol<func::FuncOp>("main");
  program.rowType = cast<RankedTensorType>(main.getArgumentTypes().front());
  auto runs = search.compile(std::move(loaded->module),
                             loaded->folder.empty() ? "." : loaded->folder);
  if (!runs || !*runs)
    return runs.takeError();
  return fromEachStart(search, *task, [&](const cayley::State &start) {
    return beamFrom(search, *task, program, start);
  });
}
