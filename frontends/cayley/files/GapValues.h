// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the statements of a GAP text into named permutations and lists.

#ifndef ZENITH_FRONTENDS_CAYLEY_FILES_GAPVALUES_H
#define ZENITH_FRONTENDS_CAYLEY_FILES_GAPVALUES_H

#include "frontends/cayley/StateGraph.h"
#include "frontends/cayley/files/GapTokens.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace zenith::cayley {

/// A permutation with its name; entries of lists may have none.
struct GapMove {
  std::string name;
  std::shared_ptr<const Permutation> permutation;
};

struct GapProgram {
  /// The last group's, else those of the last list of permutations, else all
  /// names.
  std::vector<GapMove> moves;
  std::vector<GapToken> hints;
};

/// Errors have `path` with line and column.
llvm::Expected<GapProgram> readGapProgram(llvm::StringRef path,
                                          llvm::StringRef text);

/// An error at a word of the text.
llvm::Error gapError(llvm::StringRef path, const GapToken &token,
                     const llvm::Twine &text);

} // namespace zenith::cayley

#endif // ZENITH_FRONTENDS_CAYLEY_FILES_GAPVALUES_H
