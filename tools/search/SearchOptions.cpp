// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the options of zenith-search and checks their texts.

#include "tools/search/SearchOptions.h"

#include "frontends/cayley/StateGraph.h"
#include "runtime/SpillSpace.h"
#include "tools/model/CommandLine.h"
#include "tools/model/Diagnostics.h"
#include "tools/model/Executor.h"
#include "llvm/Support/FileSystem.h"
#include <CLI/CLI.hpp>

using namespace zenith;
using namespace zenith::tools;

/// Largest width of a beam and number of walks, and of steps.
static constexpr int64_t mostStates = 1 << 30, mostSteps = 1 << 30;

static constexpr const char *stateHelp =
    "digits, numbers with commas between, or @FILE.npy";

static std::string graphHelp() {
  std::string text = "\nGraphs:\n  NAME is one of";
  constexpr size_t columns = 79;
  size_t width = columns;
  for (const std::string &name : cayley::stateGraphNames()) {
    if (width + 1 + name.size() > columns) {
      text += "\n   ";
      width = 3;
    }
    text += " " + name;
    width += 1 + name.size();
  }
  return text + R"(
  lrx:0011 and the like: the arrangements of 0011; any list that begins with 0
  FILE.gap: permutations in GAP's notation; moves are these and their inverses
  FILE.json: {"generators": {"L": [1,2,0], "R": [2,0,1]}, "central": [0,1,2]},
    new[i] = old[p[i]]; or square matrices, with their "modulus"

Examples:
  zenith-search bfs lrx:8 --json=growth.json
  zenith-search path cube_333_qtm --from=@scramble.npy
  zenith-search beam pancake:7 --from=6,4,2,0,5,3,1 --width=1000 --max-steps=20
  zenith-search walks lrx:12 --width=1000 --length=30 -o walks.npy
)";
}

/// Options that all commands take.
static void addSharedOptions(CLI::App &app, SearchOptions &options) {
  app.add_option("graph", options.graph,
                 "NAME, FILE.gap or FILE.json: see below")
      ->required();
  app.footer(graphHelp());
  app.add_option("--json", options.jsonFile,
                 "file for the result as JSON; - is standard output");
  app.add_option("--target", options.run.target,
                 "cpu, cpu:ARCH, opencl, opencl:N or interp");
  addThreadsOption(app, options.run.threads, workerThreads);
  addCacheOption(app, options.run.cache);
  addMaxMemoryOption(app, options.run.maxMemory);
  app.add_option("--spill-dir", options.run.spillFolder,
                 "folder for what exceeds --max-memory, in files without "
                 "names; none: nothing may; default: TMPDIR, /var/tmp or /tmp, "
                 "whichever is on a disk");
  addBytesOption(
      app, "--max-spill", options.run.maxSpill,
      "cap for these files together; default: twice --max-memory, but "
      "at most half of what the disk has free");
  app.add_option("--random-seed", options.seed,
                 "key of the random numbers that walks take; default: 0");
  addExplainOption(app, options.run.explain,
                   {"search", "fusion", "fallback", "cache"});
  addExplainFormatOption(app, options.run.explainJSON);
  addReportOptions(app, options.run.reports, options.run.reportText,
                   {"time", "roofline"});
  app.add_option("--without", options.run.withoutSearchForms,
                 "forms of states that are not chosen, to compare with: keys, "
                 "back-bits, generator-table, dense-index, bit-rows, marks, "
                 "key-ranges, symmetry, symmetry-group, pieces, last-count, "
                 "score-first")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"keys", "back-bits", "generator-table",
                             "dense-index", "bit-rows", "marks", "key-ranges",
                             "symmetry", "symmetry-group", "pieces",
                             "last-count", "score-first"}));
  app.add_option_function<std::string>(
         "--emit",
         [&options](const std::string &) { options.emitGraphIR = true; },
         "graphir: prints the program instead of running it")
      ->check(CLI::IsMember({"graphir"}));
}

static void addGrowthOptions(CLI::App &app, SearchOptions &options) {
  addRepeated(app, "--start", options.starts,
              std::string("a state of layer 0: ") + stateHelp +
                  "; default: the central state");
  app.add_option("--max-layers", options.maxLayers,
                 "stops after this layer; layer 0 is the start")
      ->check(CLI::Range(int64_t(0), mostSteps));
  app.add_option("--store-layers", options.layersFile,
                 ".npy file for the states, layer by layer");
  app.add_option("--store-adjacency", options.adjacencyFile,
                 ".npy file for the positions of each stored state's "
                 "neighbours, one column per generator; -1: not stored");
  app.add_flag_callback(
      "--no-dense-index",
      [&options] {
        for (const char *form : {"dense-index", "bit-rows", "marks"})
          options.run.withoutSearchForms.push_back(form);
      },
      "keeps lists of states, no sets of bits: --without=dense-index,bit-rows,"
      "marks");
}

static void addEnds(CLI::App &app, SearchOptions &options) {
  app.add_option("--from", options.from,
                 std::string("the state to start from: ") + stateHelp)
      ->required();
  app.add_option("--to", options.to,
                 "the state to reach; default: the central state");
}

static void addBeamOptions(CLI::App &app, SearchOptions &options) {
  addEnds(app, options);
  app.add_option("--width", options.width, "states kept in each step")
      ->required()
      ->check(CLI::Range(int64_t(1), mostStates));
  app.add_option("--max-steps", options.maxSteps, "steps before giving up")
      ->required()
      ->check(CLI::Range(int64_t(0), mostSteps));
  app.add_option("--score", options.score,
                 "states with the least scores are kept: hamming, zero or "
                 "MODEL.onnx; default: hamming");
  app.add_option("--history", options.history,
                 "states of so many last layers don't come back; default: 0")
      ->check(CLI::Range(0, 64));
}

static void addPathOptions(CLI::App &app, SearchOptions &options) {
  addEnds(app, options);
  app.add_option("--max-steps", options.maxSteps, "longest path to look for")
      ->check(CLI::Range(int64_t(0), mostSteps));
}

static void addWalkOptions(CLI::App &app, SearchOptions &options) {
  addRepeated(app, "--start", options.starts,
              std::string("where walks start: ") + stateHelp +
                  "; default: the central state");
  app.add_option("--width", options.width,
                 "number of walks, or most states of a layer")
      ->required()
      ->check(CLI::Range(int64_t(1), mostStates));
  app.add_option("--length", options.length,
                 "states of a walk, the start included")
      ->required()
      ->check(CLI::Range(int64_t(1), mostSteps));
  app.add_option("--kind", options.walkKind,
                 "classic (default); nbt: never straight back; bfs: random "
                 "parts of breadth-first layers")
      ->check(CLI::IsMember({"classic", "nbt", "bfs"}));
  app.add_option("-o,--output", options.walksFile,
                 ".npy file for the states, step by step");
  app.add_option("--steps", options.stepsFile,
                 ".npy file for the step number of each state");
}

/// Settles where memory above the cap goes: nowhere without a cap.
static llvm::Error chooseSpillFolder(RunOptions &options) {
  // Beyond this a search mostly waits for the disk.
  constexpr int64_t budgetsInFiles = 2;
  std::string &folder = options.spillFolder;
  if (!folder.empty() && folder != "none" &&
      !llvm::sys::fs::is_directory(folder))
    return makeError(ErrorCode::Usage, "--spill-dir needs a folder", folder);
  if (folder == "none" || !options.maxMemory) {
    folder.clear();
    return llvm::Error::success();
  }
  if (folder.empty())
    folder = runtime::spillFolder();
  if (!options.maxSpill) {
    options.maxSpill =
        std::min(*options.maxMemory, INT64_MAX / budgetsInFiles) *
        budgetsInFiles;
    // A disk that others use, too, keeps half of what it has left.
    auto space = llvm::sys::fs::disk_space(folder);
    if (space)
      options.maxSpill =
          std::min(*options.maxSpill, int64_t(space->available / 2));
  }
  return llvm::Error::success();
}

llvm::Expected<std::optional<SearchOptions>>
zenith::tools::parseSearchOptions(int argc, char **argv,
                                  bool &jsonDiagnostics) {
  CLI::App app("Searches graphs of states, such as Cayley graphs and puzzles.",
               "zenith-search");
  SearchOptions options;
  struct Command {
    SearchCommand command;
    const char *name, *help;
    void (*addOptions)(CLI::App &, SearchOptions &);
  };
  const Command commands[] = {
      {SearchCommand::Growth, "bfs",
       "breadth-first growth: the number of states in each layer",
       addGrowthOptions},
      {SearchCommand::Beam, "beam",
       "a path found by keeping the best states of each step", addBeamOptions},
      {SearchCommand::Path, "path",
       "a shortest path, searched for from both ends", addPathOptions},
      {SearchCommand::Walks, "walks", "states on random walks",
       addWalkOptions}};
  for (const Command &command : commands) {
    CLI::App *sub = app.add_subcommand(command.name, command.help);
    addSharedOptions(*sub, options);
    command.addOptions(*sub, options);
    sub->callback([&options, command] { options.command = command.command; });
  }
  app.footer(graphHelp());
  app.require_subcommand(1);
  addCommonOptions(app, jsonDiagnostics);
  llvm::Expected<bool> done = parseCommandLine(app, argc, argv);
  if (!done)
    return done.takeError();
  if (*done)
    return std::nullopt;
  if (llvm::Error error = chooseSpillFolder(options.run))
    return std::move(error);
  if (!isTarget(options.run.target))
    return makeError(ErrorCode::Usage,
                     "'" + options.run.target +
                         "' is no target; known are cpu, "
                         "cpu:ARCH, opencl, opencl:N, interp");
  if (options.run.target == "interp" && !options.run.reports.empty())
    return makeError(ErrorCode::Unsupported,
                     "--report: the interpreter has no kernels");
  if (options.command == SearchCommand::Walks && options.walksFile.empty() &&
      !options.emitGraphIR)
    return makeError(ErrorCode::Usage, "--output is required");
  return options;
}
