// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares a word with names by the edits between them.

#include "frontends/models/Suggestion.h"

using llvm::StringRef;

std::string zenith::models::suggestion(StringRef word,
                                       llvm::ArrayRef<std::string> names) {
  const std::string *nearest = nullptr;
  unsigned best = unsigned(word.size() + 1) / 2 + 1;
  for (const std::string &name : names) {
    unsigned distance =
        word.edit_distance(name, /*AllowReplacements=*/true, best);
    if (distance < best) {
      best = distance;
      nearest = &name;
    }
  }
  return nearest ? ", did you mean '" + *nearest + "'?" : "";
}
