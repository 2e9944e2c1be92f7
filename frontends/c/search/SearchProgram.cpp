// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Settings of searches, and the builders they are for.

#include "frontends/c/search/SearchProgram.h"

#include "frontends/cayley/BuildBeam.h"
#include "frontends/cayley/BuildBfs.h"
#include "frontends/cayley/BuildMeeting.h"
#include "frontends/cayley/LoadStateGraph.h"
#include "frontends/cayley/StateOps.h"
#include "frontends/models/LoadModel.h"
#include "frontends/models/SearchCheckpoint.h"
#include "frontends/models/SearchStates.h"
#include "frontends/models/Suggestion.h"
#include "ir/LLVMError.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/search/states/SplitSearchLoop.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace zenith;
using namespace zenith::c;

static zenith_status *unknown(const char *what, llvm::StringRef name,
                              llvm::ArrayRef<std::string> known) {
  return usage(ZENITH_REASON_UNKNOWN_NAME,
               "no " + std::string(what) + " is called '" + name.str() + "'" +
                   models::suggestion(name, known) + "; known are " +
                   llvm::join(known, ", "));
}

static zenith_status *readKind(llvm::StringRef name, SearchKind &kind) {
  if (name == "walks")
    return notYet("zenith_search_create of kind 'walks'");
  if (name != "bfs" && name != "beam" && name != "path")
    return unknown("search", name, {"bfs", "beam", "path"});
  kind = name == "bfs"    ? SearchKind::Bfs
         : name == "beam" ? SearchKind::Beam
                          : SearchKind::Path;
  return nullptr;
}

/// The settings of a kind; those that all take come last.
static std::vector<std::string> namesOf(SearchKind kind) {
  std::vector<std::string> names;
  if (kind == SearchKind::Bfs)
    names = {"start", "max-layers"};
  else
    names = {"from", "to", "max-steps"};
  if (kind == SearchKind::Beam)
    names.insert(names.end(), {"width", "score", "history"});
  names.insert(names.end(), {"target", "max-memory"});
  return names;
}

static zenith_status *readNumber(llvm::StringRef name, llvm::StringRef text,
                                 int64_t least, int64_t most, int64_t &number) {
  if (!text.getAsInteger(10, number) && number >= least && number <= most)
    return nullptr;
  return usage(ZENITH_REASON_UNKNOWN_NAME,
               name.str() + " does not take '" + text.str() +
                   "', expected a number from " + std::to_string(least) +
                   " to " + std::to_string(most));
}

static zenith_status *readSetting(llvm::StringRef name, llvm::StringRef value,
                                  SearchSettings &settings) {
  constexpr int64_t many = 1 << 30;
  if (name == "start" || name == "from")
    settings.starts.push_back(value.str());
  else if (name == "to")
    settings.target = value.str();
  else if (name == "target")
    settings.compileTarget = value.str();
  else if (name == "max-layers" || name == "max-steps")
    return readNumber(name, value, 0, many, settings.limit);
  else if (name == "width")
    return readNumber(name, value, 1, many, settings.width);
  else if (name == "history")
    return readNumber(name, value, 0, 64, settings.history);
  else if (name == "max-memory")
    return readNumber(name, value, 0, INT64_MAX, settings.maxMemory);
  else if (value != "hamming" && value != "zero")
    return usage(ZENITH_REASON_UNKNOWN_NAME, "score does not take '" +
                                                 value.str() +
                                                 "', expected hamming or zero");
  else
    settings.score = value.str();
  return nullptr;
}

static zenith_status *readSettings(const char *const *settings, size_t count,
                                   SearchProgram &search) {
  std::vector<std::string> names = namesOf(search.kind);
  for (size_t i = 0; i < count; ++i) {
    if (!settings || !settings[i])
      return nullPointer("settings");
    auto [name, value] = llvm::StringRef(settings[i]).split('=');
    if (!llvm::is_contained(names, name))
      return unknown("setting", name, names);
    if (zenith_status *status = readSetting(name, value, search.settings))
      return status;
  }
  return nullptr;
}

static llvm::Error readStates(SearchProgram &search) {
  const SearchSettings &settings = search.settings;
  mlir::MLIRContext *context = search.program->mlir.get();
  auto starts = models::readStates(settings.starts, search.graph, context);
  if (!starts)
    return starts.takeError();
  search.starts = std::move(*starts);
  search.target = search.graph.central;
  if (search.kind == SearchKind::Bfs) {
    if (search.starts.empty())
      search.starts.push_back(search.graph.central);
    return llvm::Error::success();
  }
  if (search.starts.size() != 1)
    return makeError(ErrorCode::Usage, "a path is searched for from one state, "
                                       "the setting from gives " +
                                           llvm::Twine(search.starts.size()));
  if (settings.target.empty())
    return llvm::Error::success();
  auto targets = models::readStates(settings.target, search.graph, context);
  if (!targets)
    return targets.takeError();
  if (targets->size() != 1)
    return makeError(ErrorCode::Usage, "the setting to gives " +
                                           llvm::Twine(targets->size()) +
                                           " states, expected one");
  search.target = std::move(targets->front());
  return llvm::Error::success();
}

static llvm::Error buildProgram(SearchProgram &search) {
  const SearchSettings &settings = search.settings;
  Program &program = *search.program;
  mlir::MLIRContext *context = program.mlir.get();
  if (search.kind == SearchKind::Bfs) {
    cayley::BfsOptions growth;
    growth.starts = search.starts;
    growth.takesLimit = true;
    growth.kept.kind = cayley::KeptLayers::Last;
    // Compiled programs tell the sizes while they run.
    growth.listsSizes = search.isInterpreted();
    program.module = cayley::buildBfs(search.graph, growth, context);
  } else if (search.kind == SearchKind::Path) {
    cayley::MeetingOptions meeting{search.starts.front(), search.target};
    meeting.givesLayer = true;
    auto module = cayley::buildMeeting(search.graph, meeting, context);
    if (!module)
      return module.takeError();
    program.module = std::move(*module);
  } else {
    cayley::BeamOptions beam;
    beam.start = search.starts.front();
    beam.target = search.target;
    beam.width = settings.width;
    beam.maxSteps = settings.limit;
    beam.history = settings.history;
    beam.memoryBytes = settings.maxMemory;
    beam.givesBeam = true;
    if (settings.score == "zero")
      beam.score = cayley::BeamScore::Zero;
    program.module = mlir::ModuleOp::create(mlir::UnknownLoc::get(context));
    if (llvm::Error error =
            cayley::buildBeam(search.graph, beam, *program.module, nullptr))
      return error;
  }
  auto main = program.module->lookupSymbol<mlir::func::FuncOp>("main");
  if (!search.isInterpreted())
    main->setAttr(
        zenith::search::splitAttrName,
        mlir::Builder(context).getStrArrayAttr({"init", "run", "results"}));
  else if (failed(zenith::search::splitSearchLoop(main,
                                                  {"init", "run", "results"})))
    return makeError(ErrorCode::Internal, "the search has no loop");
  return llvm::Error::success();
}

/// What searches share that go on from each other's checkpoints.
static std::string keyOf(const SearchProgram &search, llvm::StringRef kind,
                         llvm::StringRef graph) {
  const SearchSettings &settings = search.settings;
  std::vector<cayley::State> states = search.starts;
  states.push_back(search.target);
  llvm::json::Object key{{"graph", graph},
                         {"kind", kind},
                         {"digest", models::digestOf(search.graph, states)},
                         {"target", settings.compileTarget},
                         {"max_memory", settings.maxMemory}};
  if (search.kind == SearchKind::Beam) {
    key["width"] = settings.width;
    key["score"] = settings.score;
    key["history"] = settings.history;
    key["max_steps"] = settings.limit;
  }
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(key));
  return text;
}

std::vector<Tensor> SearchProgram::arguments() const {
  mlir::MLIRContext *context = program->mlir.get();
  auto main = program->module->lookupSymbol<mlir::func::FuncOp>(
      isInterpreted() ? "init" : "main");
  std::vector<const cayley::State *> states;
  if (kind != SearchKind::Bfs)
    states.push_back(&starts.front());
  if (kind == SearchKind::Path)
    states.push_back(&target);
  std::vector<Tensor> values;
  for (const cayley::State *state : states)
    values.push_back(
        cayley::stateRow(*state, mlir::cast<mlir::RankedTensorType>(
                                     main.getArgumentTypes()[values.size()])));
  int64_t limit = settings.limit < 0 ? INT64_MAX : settings.limit;
  values.emplace_back(
      mlir::RankedTensorType::get({}, mlir::IntegerType::get(context, 64)),
      llvm::ArrayRef(reinterpret_cast<const char *>(&limit), sizeof(limit)));
  return values;
}

zenith_status *zenith::c::buildSearch(const char *kind, const char *graph,
                                      const char *const *settings, size_t count,
                                      SearchProgram &search) {
  if (zenith_status *status = readKind(kind, search.kind))
    return status;
  if (zenith_status *status = readSettings(settings, count, search))
    return status;
  constexpr int64_t beamSteps = 1000;
  if (search.kind == SearchKind::Beam && search.settings.limit < 0)
    search.settings.limit = beamSteps;
  auto loaded = cayley::loadStateGraph(graph);
  if (!loaded)
    return failure(loaded.takeError(), ZENITH_REASON_MALFORMED);
  search.graph = std::move(*loaded);
  search.program = std::make_shared<Program>();
  search.program->mlir = models::makeContext();
  search.program->folder = absoluteFolder("");
  if (llvm::Error error = readStates(search))
    return failure(std::move(error));
  if (llvm::Error error = buildProgram(search))
    return failure(std::move(error));
  search.key = keyOf(search, kind, graph);
  return nullptr;
}
