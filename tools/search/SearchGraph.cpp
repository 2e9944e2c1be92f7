// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the command of the command line.

#include "tools/search/SearchGraph.h"

#include "frontends/models/Diagnostics.h"
#include "tools/search/SearchCommands.h"
#include "tools/search/SearchRun.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace zenith;
using namespace zenith::tools;

/// Checks the folders of output files before the search that fills them.
static llvm::Error checkFolders(const SearchOptions &options) {
  for (const std::string *file :
       {&options.jsonFile, &options.graphFile, &options.gapFile,
        &options.layersFile, &options.adjacencyFile, &options.outputFile,
        &options.movesFile, &options.stepsFile}) {
    llvm::StringRef folder = llvm::sys::path::parent_path(*file);
    if (!folder.empty() && !llvm::sys::fs::is_directory(folder))
      return makeError(ErrorCode::Invalid,
                       "cannot write: no folder " + folder.str(), *file);
  }
  return llvm::Error::success();
}

static llvm::Error runCommand(SearchRun &search) {
  switch (search.options.command) {
  case SearchCommand::Bfs:
    return runBfs(search);
  case SearchCommand::Beam:
    return runBeam(search);
  case SearchCommand::Path:
    return runPath(search);
  case SearchCommand::Walks:
    return runWalks(search);
  case SearchCommand::Distance:
    return runDistance(search);
  case SearchCommand::Hash:
    return runHash(search);
  case SearchCommand::Info:
    return runInfo(search);
  }
  return makeError(ErrorCode::Internal, "no such command");
}

int zenith::tools::searchGraph(const SearchOptions &options,
                               Diagnostics &diagnostics) {
  if (llvm::Error error = checkFolders(options))
    return diagnostics.report(std::move(error));
  SearchRun search(options, diagnostics);
  return diagnostics.report(runCommand(search));
}
