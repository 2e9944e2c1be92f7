// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the options of zenith-search and checks their texts.

#include "tools/search/SearchOptions.h"

#include "frontends/cayley/LoadStateGraph.h"
#include "frontends/models/Diagnostics.h"
#include "runtime/SpillSpace.h"
#include "tools/model/CommandLine.h"
#include "tools/model/Executor.h"
#include "tools/model/OptionEffects.h"
#include "llvm/Support/FileSystem.h"

using namespace zenith;
using namespace zenith::tools;

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
  zenith-search distance lrx:10 --states=scrambles.npy -o distances.npy
  zenith-search info cube_333_qtm --json=cube.json --gap=cube.gap
)";
}

static void addSearchOptions(CLI::App &app, ToolSet tool,
                             SearchOptions &given) {
#define ZENITH_SEARCH_OPTION ZENITH_ADD_OPTION
#include "lowering/pipeline/CompileOptions.def"
  addOptions(app, tool, given.run);
}

/// Decides where memory above the cap is spilled: nowhere without a cap.
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

static llvm::Error checkSearchEffects(const CLI::App &app, ToolSet tool,
                                      const SearchOptions &search) {
  using options::Condition;
  llvm::SmallVector<Fact> facts = runFacts(search.run);
  bool runs = search.printed == PrintedForm::None;
  facts.append({{Condition::BoundsMemory, search.run.maxMemory.has_value()},
                {Condition::RunsProgram, runs},
                {Condition::PrintsProgram, !runs},
                {Condition::KeepsCheckpoints, !search.checkpointDir.empty()},
                {Condition::StoresLayers,
                 !search.layersFile.empty() || !search.adjacencyFile.empty()}});
  return checkEffects(app, tool, facts);
}

/// "all", "last" or LO..HI.
static llvm::Error checkLayers(llvm::StringRef text) {
  auto [low, high] = text.split("..");
  int64_t first, last;
  bool isRange = !low.getAsInteger(10, first) && !high.getAsInteger(10, last) &&
                 first >= 0 && first <= last;
  if (isRange || text == "all" || text == "last")
    return llvm::Error::success();
  return makeError(ErrorCode::Usage,
                   "--layers takes last, all or LO..HI with 0 <= LO <= HI, got "
                   "'" +
                       text + "'");
}

/// What options demand of each other.
static llvm::Error checkOptions(SearchOptions &search) {
  RunOptions &run = search.run;
  if (llvm::Error error = chooseSpillFolder(run))
    return error;
  if (search.noDenseIndex)
    for (pipeline::SearchForm form :
         {pipeline::SearchForm::DenseIndex, pipeline::SearchForm::BitRows,
          pipeline::SearchForm::Marks})
      run.compile.without.push_back(form);
  if (!isTarget(run.compile.target))
    return makeError(ErrorCode::Usage,
                     "'" + run.compile.target +
                         "' is no target; known are cpu, "
                         "cpu:ARCH, opencl, opencl:N, interp");
  if (run.wants(Report::Memory))
    return makeError(ErrorCode::Usage,
                     "--report: memory is not a report of zenith-search; there "
                     "are time and roofline");
  if (run.isInterpreted() && !run.reports.empty())
    return makeError(ErrorCode::Unsupported,
                     "--report: the interpreter has no kernels");
  if (search.resume == "default" && search.checkpointDir.empty())
    return makeError(ErrorCode::Usage,
                     "--resume needs a folder, its own or --checkpoint-dir");
  bool writes = search.command == SearchCommand::Walks ||
                search.command == SearchCommand::Distance ||
                search.command == SearchCommand::Hash;
  if (writes && search.outputFile.empty() &&
      search.printed == PrintedForm::None)
    return makeError(ErrorCode::Usage, "--output is required");
  if (!search.movesFile.empty() && search.walkKind == WalkKind::Layers)
    return makeError(ErrorCode::Usage,
                     "--moves has no effect with --walk-kind=bfs, whose states "
                     "are on no walks");
  if (search.hashKind == HashKind::Poly32 && search.lanes != 1)
    return makeError(ErrorCode::Usage, "--lanes: poly32 has one hash of a row");
  if (llvm::Error error = checkLayers(search.storedLayers))
    return error;
  return llvm::Error::success();
}

llvm::Expected<std::optional<SearchOptions>>
zenith::tools::parseSearchOptions(int argc, char **argv,
                                  CommonOptions &common) {
  CLI::App app("Searches graphs of states, such as Cayley graphs and puzzles.",
               "zenith-search");
  SearchOptions search;
  const CLI::App *given = nullptr;
  ToolSet tool;
  struct Command {
    SearchCommand command;
    ToolSet tool;
    const char *name, *help;
  };
  const Command commands[] = {
      {SearchCommand::Bfs, options::Bfs, "bfs",
       "breadth-first search: the number of states in each layer"},
      {SearchCommand::Beam, options::Beam, "beam",
       "a path found by keeping the best states of each step"},
      {SearchCommand::Path, options::Path, "path",
       "a shortest path, searched for from both ends"},
      {SearchCommand::Walks, options::Walks, "walks", "states on random walks"},
      {SearchCommand::Distance, options::Distance, "distance",
       "steps from the central state to given states"},
      {SearchCommand::Hash, options::Hash, "hash",
       "hashes of the rows of a file"},
      {SearchCommand::Info, options::Info, "info",
       "what a graph is, as text, JSON and GAP"}};
  for (const Command &command : commands) {
    CLI::App *sub = app.add_subcommand(command.name, command.help);
    addSearchOptions(*sub, command.tool, search);
    // Options of all tools may stand on either side of the command.
    sub->fallthrough();
    sub->footer(graphHelp());
    sub->callback([&, sub, command] {
      search.command = command.command;
      tool = command.tool;
      given = sub;
    });
  }
  app.footer(graphHelp());
  app.require_subcommand(1);
  return finishCommandLine(app, options::Search, argc, argv, common, search,
                           [&](SearchOptions &parsed) -> llvm::Error {
                             if (llvm::Error error =
                                     checkSearchEffects(*given, tool, parsed))
                               return error;
                             return checkOptions(parsed);
                           });
}
