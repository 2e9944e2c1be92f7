// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Families of permutation groups by name and size.

#ifndef ZENITH_FRONTENDS_CAYLEY_PERMUTATIONFAMILIES_H
#define ZENITH_FRONTENDS_CAYLEY_PERMUTATIONFAMILIES_H

#include "frontends/cayley/StateGraph.h"
#include "llvm/ADT/ArrayRef.h"

namespace zenith::cayley {

/// A named rule for generators of any size.
struct PermutationFamily {
  llvm::StringLiteral name;
  /// Sizes that the rule takes, for messages: "n" or "n,k".
  llvm::StringLiteral sizes;
  unsigned leastSizes, mostSizes;
  /// Adds generators and the length of states; false where the sizes make no
  /// sense.
  bool (*build)(llvm::ArrayRef<int64_t> sizes, StateGraph &graph);
};

llvm::ArrayRef<PermutationFamily> permutationFamilies();

/// Most positions that a state may have, and most entries of all generators
/// together.
inline constexpr int64_t maxPositions = 1 << 16, maxGeneratorEntries = 1 << 26;

} // namespace zenith::cayley

#endif // ZENITH_FRONTENDS_CAYLEY_PERMUTATIONFAMILIES_H
