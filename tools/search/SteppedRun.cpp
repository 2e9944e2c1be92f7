// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Drives @run a few steps at a time and keeps the state between.

#include "tools/search/SteppedRun.h"

#include "frontends/models/SearchCheckpoint.h"
#include "ir/LLVMError.h"
#include "runtime/Stopwatch.h"
#include "tools/search/CheckpointKey.h"
#include "tools/search/SearchRun.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace zenith;
using namespace zenith::tools;

/// The checkpoint that options say to go on from.
static llvm::Expected<models::SearchCheckpoint> loadOf(const SearchRun &search,
                                                       const std::string &key) {
  const SearchOptions &options = search.options;
  const std::string &folder =
      options.resume == "default" ? options.checkpointDir : options.resume;
  std::string path = checkpointFile(folder);
  if (!llvm::sys::fs::exists(path))
    return makeError(ErrorCode::Invalid, "has no checkpoint to resume", folder);
  return models::loadCheckpoint(path, key, search.context.get());
}

static int64_t stepsOf(const models::SearchCheckpoint &checkpoint) {
  return std::max<int64_t>(1, int64_t(checkpoint.layers.size())) - 1;
}

llvm::Expected<int64_t>
zenith::tools::resumedSteps(SearchRun &search, const cayley::StateGraph &graph,
                            llvm::ArrayRef<cayley::State> states) {
  if (search.options.resume.empty())
    return 0;
  auto checkpoint =
      loadOf(search, checkpointKey(search.options, graph, states));
  if (!checkpoint)
    return checkpoint.takeError();
  return stepsOf(*checkpoint);
}

namespace {

class SteppedSearch {
public:
  SteppedSearch(SearchRun &search, const cayley::StateGraph &graph,
                llvm::ArrayRef<cayley::State> states)
      : search(search), graph(graph), options(search.options),
        key(checkpointKey(options, graph, states)), starts(states.size()) {}

  llvm::Expected<std::vector<Tensor>> run(llvm::ArrayRef<Tensor> arguments);

private:
  llvm::Error begin(llvm::ArrayRef<Tensor> arguments);
  llvm::Error resume();
  int64_t stepsOfPart();
  bool mayBeCut() const;
  llvm::Error advance(int64_t steps);
  llvm::Error save();
  llvm::Error tellStep();

  SearchRun &search;
  const cayley::StateGraph &graph;
  const SearchOptions &options;
  std::string key;
  size_t starts; ///< states, or a state and its target
  std::vector<Tensor> state;
  size_t carried = 0; ///< of the state: what steps change
  bool more = true, isSaved = false;
  int64_t step = 0;
  int64_t part = 1, lastSize = 0; ///< of the latest part: steps, and its layer
  double partMs = 0, growth = 1;
  runtime::Stopwatch sinceStep;
  double runMs = 0, saveMs = 0, lastSaveMs = 0;
};

} // namespace

llvm::Error SteppedSearch::begin(llvm::ArrayRef<Tensor> arguments) {
  auto first = search.run(arguments.vec(), "init");
  if (!first)
    return first.takeError();
  state = std::move(*first);
  carried = search.carriedValues();
  return options.resume.empty() ? llvm::Error::success() : resume();
}

llvm::Error SteppedSearch::resume() {
  auto checkpoint = loadOf(search, key);
  if (!checkpoint)
    return checkpoint.takeError();
  if (checkpoint->state.size() != carried)
    return makeError(ErrorCode::Invalid,
                     "the checkpoint holds another number of values",
                     options.graph);
  std::optional<int64_t> room;
  if (options.command == SearchCommand::Beam)
    room =
        cayley::linksInPlace(graph, linkOptions(options, stepsOf(*checkpoint)));
  for (auto [place, value] : llvm::enumerate(checkpoint->state)) {
    // Links of another limit: what is in use comes first and has room in both.
    mlir::RankedTensorType type = state[place].type();
    bool isLinks = room && type.getShape() == llvm::ArrayRef(*room) &&
                   value.shape().size() == 1 &&
                   value.elementType() == type.getElementType();
    // The file's bytes may be no one's to write.
    Tensor own(isLinks ? type : value.type());
    if (!own)
      return makeError(ErrorCode::Memory, "no memory for a checkpoint",
                       options.graph);
    std::copy_n(value.bytes(), std::min(own.byteSize(), value.byteSize()),
                own.writable());
    state[place] = std::move(own);
  }
  search.startFrom(std::move(checkpoint->layers));
  isSaved = true;
  return llvm::Error::success();
}

/// How many steps to take before the state is kept again: as many as lie
/// between checkpoints, and more while layers don't grow and are found at once,
/// so that what is kept costs a share of them and a signal still waits for one
/// part at most.
int64_t SteppedSearch::stepsOfPart() {
  constexpr double shortMs = 20;
  constexpr int64_t most = 1 << 16;
  if (options.stepwise)
    return options.stepwise;
  int64_t size = search.lastLayer();
  bool mayBeLonger =
      step > 0 && size <= lastSize && partMs < shortMs && part < most;
  if (mayBeLonger)
    part *= 2;
  else if (step == 0 || size > lastSize || partMs >= shortMs)
    part = options.checkpointDir.empty() ? 1 : options.checkpointEvery;
  growth = lastSize > 0 ? double(size) / double(lastSize) : 1;
  lastSize = size;
  return part;
}

/// Whether a signal may end the next part before its first layer is whole: they
/// wait for as long as layers mostly take. Neighbours of few starts are found
/// at once.
bool SteppedSearch::mayBeCut() const {
  constexpr double longMs = 100;
  constexpr size_t fewStarts = 1000;
  if (step == 0)
    return !options.resume.empty() || starts > fewStarts;
  return partMs * std::max(growth, 1.0) > longMs;
}

/// Steps take the state over, unless a signal may end the run inside of the
/// first one: then it is that of the last layer which is whole.
llvm::Error SteppedSearch::advance(int64_t steps) {
  bool keeps = mayBeCut();
  std::vector<Tensor> arguments;
  if (keeps)
    arguments = state;
  else
    arguments.swap(state);
  arguments.push_back(scalarOf(steps, search.context.get()));
  // The first run tells the start too.
  const size_t layers = std::max<size_t>(1, search.layers().size());
  auto next =
      search.run(std::move(arguments), "run", /*continues=*/true, !keeps);
  if (!next && search.isStopped() && search.layers().size() == layers &&
      keeps) {
    llvm::consumeError(next.takeError());
    return llvm::Error::success();
  }
  if (!next)
    return next.takeError();
  more = *next->front().bytes() != 0;
  state.assign(std::make_move_iterator(next->begin() + 1),
               std::make_move_iterator(next->end()));
  ++step;
  isSaved = false;
  return llvm::Error::success();
}

/// A checkpoint, unless they would take more than their part of the time so far
/// and of what the last one will take; that one in any case.
llvm::Error SteppedSearch::save() {
  constexpr double partOfTime = 0.08;
  bool isLast = !more || search.isStopped();
  if (isSaved || (!isLast && saveMs + 2 * lastSaveMs > partOfTime * runMs))
    return llvm::Error::success();
  runtime::Stopwatch watch;
  const std::string &folder = options.checkpointDir;
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return makeError(ErrorCode::Invalid,
                     "cannot make the folder: " + error.message(), folder);
  models::SearchCheckpoint checkpoint;
  checkpoint.state.assign(state.begin(), state.begin() + carried);
  checkpoint.layers = search.layers();
  isSaved = true;
  llvm::Error error = models::saveCheckpoint(checkpointFile(folder), key,
                                             checkpoint, search.context.get());
  lastSaveMs = watch.restart();
  saveMs += lastSaveMs;
  return error;
}

/// The interpreter tells no progress: its sizes are in the results.
llvm::Error SteppedSearch::tellStep() {
  int64_t layer = search.lastLayer();
  if (options.run.isInterpreted()) {
    auto results = search.run(state, "results", /*continues=*/true);
    if (!results)
      return results.takeError();
    // The ends of a path take turns.
    size_t place = options.command == SearchCommand::Bfs    ? 0
                   : options.command == SearchCommand::Beam ? 2
                                                            : 3 - step % 2;
    std::vector<int64_t> sizes = integersOf((*results)[place]);
    layer = sizes.empty() ? 0 : sizes.back();
  }
  search.out() << llvm::json::Value(
                      llvm::json::Object{{"step", step},
                                         {"layer", layer},
                                         {"more", more},
                                         {"elapsed_ms", sinceStep.restart()}})
               << "\n";
  search.out().flush();
  return llvm::Error::success();
}

llvm::Expected<std::vector<Tensor>>
SteppedSearch::run(llvm::ArrayRef<Tensor> arguments) {
  if (llvm::Error error = begin(arguments))
    return std::move(error);
  bool saves = !options.checkpointDir.empty();
  runtime::Stopwatch watch;
  while (more && !search.isStopped()) {
    if (llvm::Error error = advance(stepsOfPart()))
      return std::move(error);
    if (options.stepwise)
      if (llvm::Error error = tellStep())
        return std::move(error);
    partMs = watch.restart();
    runMs += partMs;
    if (saves && step % (options.stepwise ? options.checkpointEvery : 1) == 0)
      if (llvm::Error error = save())
        return std::move(error);
    watch.restart();
  }
  if (saves)
    if (llvm::Error error = save())
      return std::move(error);
  return search.run(state, "results", /*continues=*/true);
}

llvm::Expected<std::vector<Tensor>>
zenith::tools::runSearch(SearchRun &search, const cayley::StateGraph &graph,
                         llvm::ArrayRef<cayley::State> states,
                         llvm::ArrayRef<Tensor> arguments) {
  if (!search.isStepped())
    return search.run(arguments.vec());
  return SteppedSearch(search, graph, states).run(arguments);
}
