// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dense index of all states that a search could reach, so that a set of
// states is a bitset.

#ifndef ZENITH_PASSES_SEARCH_STATES_DENSEINDEX_H
#define ZENITH_PASSES_SEARCH_STATES_DENSEINDEX_H

#include "passes/search/states/StateKeys.h"

namespace zenith::search {

class DenseIndex {
public:
  /// An index whose bitsets together take at most `bytes`; nothing, and the
  /// reason in `why`, where there is none or too few of its values would be
  /// states. States are those of `bfs`, packed by `keys`.
  static std::optional<DenseIndex> choose(const BfsLoop &bfs,
                                          const StateKeys &keys, int64_t bytes,
                                          std::string &why);

  /// Words of a bitset.
  int64_t words() const { return wordCount; }
  /// "ranks of permutations of 10", "lists of 26 bits".
  std::string description() const;

  uint64_t indexOf(llvm::ArrayRef<uint64_t> row) const;
  /// Indices of the neighbours along all generators of the states with the
  /// given indices.
  llvm::SmallVector<mlir::Value> neighbours(WordOps &ops,
                                            mlir::Value indices) const;

  /// A generator as bytes, for neighbour().
  llvm::SmallVector<uint64_t> bytes(size_t generator) const;
  /// The index of the neighbour along the generator whose bytes `byte` gives.
  mlir::Value neighbour(WordOps &ops, mlir::Value index,
                        StateKeys::ByteOf byte) const;
  /// How many ops neighbours() has.
  int64_t cost() const;
  /// An upper bound of the number of states.
  double states() const { return stateCount; }

private:
  DenseIndex(const BfsLoop &bfs, const StateKeys &keys)
      : bfs(bfs), keys(keys) {}
  struct Unranked;
  Unranked unrank(WordOps &ops, mlir::Value indices) const;
  mlir::Value rank(WordOps &ops, const Unranked &state,
                   llvm::ArrayRef<int64_t> sources) const;
  /// Positions before the fixed ones at the end.
  static int64_t movedPositions(llvm::ArrayRef<int64_t> sources);
  /// A generator's sources among the kept positions.
  llvm::SmallVector<int64_t> keptSources(size_t generator) const;

  const BfsLoop &bfs;
  const StateKeys &keys;
  bool isRank = false; ///< of permutations; else the packed word itself
  int64_t wordCount = 0;
  double stateCount = 0;
};

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_STATES_DENSEINDEX_H
