// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A search that runs in parts: step by step, with checkpoints, or on from one.

#ifndef ZENITH_TOOLS_SEARCH_STEPPEDRUN_H
#define ZENITH_TOOLS_SEARCH_STEPPEDRUN_H

#include "frontends/cayley/StateGraph.h"
#include "ir/tensor/Tensor.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace zenith::tools {

class SearchRun;

/// How many steps the checkpoint has taken that a search of these states goes
/// on from; 0 where it starts anew.
llvm::Expected<int64_t> resumedSteps(SearchRun &search,
                                     const cayley::StateGraph &graph,
                                     llvm::ArrayRef<cayley::State> states);

/// Runs the program that `search` has compiled, as its options say: in one
/// piece, or by @init, @run and @results, with a line of JSON after each step,
/// checkpoints, and from a checkpoint on. The results are those of @main.
/// `graph` and `states` (the starts, the target) are what a checkpoint must be
/// of.
llvm::Expected<std::vector<Tensor>>
runSearch(SearchRun &search, const cayley::StateGraph &graph,
          llvm::ArrayRef<cayley::State> states,
          llvm::ArrayRef<Tensor> arguments);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_SEARCH_STEPPEDRUN_H
