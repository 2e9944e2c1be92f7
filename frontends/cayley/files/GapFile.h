// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs from GAP texts: assignments of permutations, lists and groups.

#ifndef ZENITH_FRONTENDS_CAYLEY_FILES_GAPFILE_H
#define ZENITH_FRONTENDS_CAYLEY_FILES_GAPFILE_H

#include "frontends/cayley/StateGraph.h"

namespace zenith::cayley {

/// Statements `NAME := VALUE;` of permutations in cycle notation, from 1 on:
/// `()`, names, parentheses, `*`, `/`, `^` with an integer or a permutation
/// (the conjugate); lists of permutations; `Group(...)` of permutations, lists
/// or names; lists of points, which have no effect. Values are taken at their
/// statement, and a name that is given twice keeps its place and last value.
///
/// Moves are the last group's, else those of the last list of permutations,
/// else all names, and their inverses (NAME'), where an inverse is another
/// permutation; without a common prefix "M_". An entry of a list or group
/// that is no name is called GROUP.2 by its number. The central state is the
/// identity.
///
/// Hints: `#@ inverses no` (moves are these alone), `#@ central [0,0,1]`.
/// All else is an error with line and column in `path`.
llvm::Expected<StateGraph> parseGap(llvm::StringRef path, llvm::StringRef text);

} // namespace zenith::cayley

#endif // ZENITH_FRONTENDS_CAYLEY_FILES_GAPFILE_H
