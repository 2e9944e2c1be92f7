// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph that a search explores: generators that act on states, and the
// central state.

#ifndef ZENITH_FRONTENDS_CAYLEY_STATEGRAPH_H
#define ZENITH_FRONTENDS_CAYLEY_STATEGRAPH_H

#include "frontends/cayley/PermutationProducts.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace zenith::cayley {

using State = std::vector<int64_t>;

/// A square matrix with entries in 0 .. modulus-1, row by row. It multiplies a
/// state, read as a matrix of as many rows, from the left.
struct Matrix {
  uint32_t rows = 0;
  std::vector<int64_t> entries;
};

/// Generators are either permutations or matrices: the other list is empty.
struct StateGraph {
  std::string name; ///< as the user wrote it
  std::vector<std::string> generatorNames;
  std::vector<Permutation> permutations;
  std::vector<Matrix> matrices;
  int64_t modulus = 0; ///< of matrices; at least 2
  State central;

  size_t generators() const { return generatorNames.size(); }
  /// The neighbour of `state` along a generator.
  State apply(size_t generator, const State &state) const;
  /// The index of each generator's inverse; generators() where it has none.
  std::vector<size_t> inverses() const;
  /// Every generator has its inverse among the generators.
  bool isInverseClosed() const;
  /// The same states with each generator replaced by its inverse. An error
  /// where a matrix has none.
  llvm::Expected<StateGraph> reversed() const;
};

/// Digits where all are below 10 ("0213"), else numbers with commas between.
llvm::Expected<State> parseState(llvm::StringRef text);
std::string stateText(const State &state);

} // namespace zenith::cayley

#endif // ZENITH_FRONTENDS_CAYLEY_STATEGRAPH_H
