// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs from files: generators as GAP permutations or as JSON.

#ifndef ZENITH_FRONTENDS_CAYLEY_FILES_STATEGRAPHFILES_H
#define ZENITH_FRONTENDS_CAYLEY_FILES_STATEGRAPHFILES_H

#include "frontends/cayley/StateGraph.h"

namespace zenith::cayley {

/// The graph of a .gap file, by parseGap.
llvm::Expected<StateGraph> readGapFile(llvm::StringRef path);

/// {"generators": {"L": [1, 2, 0], ...}, "central": [0, 1, 2]}: permutations
/// from 0 on, or with "modulus": matrices as lists of rows. Without "central",
/// the identity. "info" is skipped; another key, or one that is given twice, is
/// an error with line and column. Generators are in the order of the file.
llvm::Expected<StateGraph> readGeneratorFile(llvm::StringRef path);

} // namespace zenith::cayley

#endif // ZENITH_FRONTENDS_CAYLEY_FILES_STATEGRAPHFILES_H
