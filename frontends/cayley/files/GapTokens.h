// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of GAP texts, each with its place.

#ifndef ZENITH_FRONTENDS_CAYLEY_FILES_GAPTOKENS_H
#define ZENITH_FRONTENDS_CAYLEY_FILES_GAPTOKENS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace zenith::cayley {

struct GapToken {
  /// Name: letters, digits, '_', '@' and escaped characters; Number: digits
  /// only; Symbol: ":=", one character, or a keyword without an escape; Hint:
  /// what follows "#@" in a line.
  enum Kind { Name, Number, Symbol, Hint, End };
  Kind kind = End;
  std::string text;             ///< of names without the escapes
  int64_t line = 1, column = 1; ///< from 1 on; columns in bytes

  bool is(llvm::StringRef symbol) const {
    return kind == Symbol && text == symbol;
  }
};

/// All words in order, then one End. Comments run from '#' to the end of the
/// line.
std::vector<GapToken> gapTokens(llvm::StringRef text);

/// True for the words that are names of GAP only with an escape in them.
bool isGapKeyword(llvm::StringRef word);

} // namespace zenith::cayley

#endif // ZENITH_FRONTENDS_CAYLEY_FILES_GAPTOKENS_H
