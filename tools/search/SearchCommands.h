// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commands of zenith-search: each builds a program, runs it and reports.

#ifndef ZENITH_TOOLS_SEARCH_SEARCHCOMMANDS_H
#define ZENITH_TOOLS_SEARCH_SEARCHCOMMANDS_H

#include "llvm/Support/Error.h"

namespace zenith::tools {

class SearchRun;

llvm::Error runBfs(SearchRun &search);
llvm::Error runBeam(SearchRun &search);
llvm::Error runPath(SearchRun &search);
llvm::Error runWalks(SearchRun &search);
llvm::Error runDistance(SearchRun &search);
llvm::Error runHash(SearchRun &search);
llvm::Error runInfo(SearchRun &search);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_SEARCH_SEARCHCOMMANDS_H
