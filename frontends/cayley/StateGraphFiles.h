// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs from files: generators as GAP permutations or as JSON.

#ifndef ZENITH_FRONTENDS_CAYLEY_STATEGRAPHFILES_H
#define ZENITH_FRONTENDS_CAYLEY_STATEGRAPHFILES_H

#include "frontends/cayley/StateGraph.h"

namespace zenith::cayley {

/// Assignments `NAME:=(1,2,3)(4,5);` of permutations in cycle notation, from 1
/// on; other statements and comments are skipped. Moves are these, without a
/// common prefix "M_" of their names, and their inverses (NAME'), where an
/// inverse is another permutation; the central state is the identity.
llvm::Expected<StateGraph> readGapFile(llvm::StringRef path);

/// {"generators": {"L": [1, 2, 0], ...}, "central": [0, 1, 2]}: permutations
/// from 0 on, or with "modulus": matrices as lists of rows. Without "central",
/// the identity.
llvm::Expected<StateGraph> readGeneratorFile(llvm::StringRef path);

} // namespace zenith::cayley

#endif // ZENITH_FRONTENDS_CAYLEY_STATEGRAPHFILES_H
