// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images of keys under the symmetries of a graph, as tables: what each part of
// a word becomes in the image.

#ifndef ZENITH_PASSES_SEARCH_STATES_STATEIMAGES_H
#define ZENITH_PASSES_SEARCH_STATES_STATEIMAGES_H

#include "passes/search/states/StateKeys.h"

namespace zenith::search {

/// The images that search.dedup takes, for keys with a mask of inverse
/// generators.
class StateImages {
public:
  /// Nothing where a symmetry does not take fields to fields, or where the
  /// tables would exceed a cache.
  static std::optional<StateImages>
  build(const BfsLoop &bfs, const StateKeys &keys,
        const std::vector<GraphSymmetry> &group);

  /// Bits that hold the number of symmetries less 1.
  static unsigned tieBits(size_t symmetries);

  int64_t images() const { return int64_t(group.size()); }
  int64_t parts() const { return partCount; } ///< of a word, at most
  int64_t values() const { return int64_t(1) << keys.bits(); } ///< of a part
  /// Index of the source part by image, word and part; partBits() by the value
  /// of the source part, too.
  const std::vector<uint16_t> &sourceParts() const { return sources; }
  const std::vector<uint64_t> &partBits() const { return bits; }

  /// The words of a state; nothing where an image of it is less.
  std::optional<llvm::SmallVector<uint64_t>>
  packLeast(const BfsLoop::Row &row) const;

private:
  struct Part {
    uint16_t source;
    std::vector<uint64_t> bits; ///< by value
  };
  StateImages(const BfsLoop &bfs, const StateKeys &keys,
              const std::vector<GraphSymmetry> &group)
      : bfs(bfs), keys(keys), group(group) {}
  bool fill();
  std::vector<uint64_t> codesOf(const GraphSymmetry &symmetry, int64_t origin,
                                int64_t field) const;
  bool addFields(const GraphSymmetry &symmetry,
                 std::vector<std::vector<Part>> &words) const;
  void addInverseMask(const GraphSymmetry &symmetry,
                      std::vector<Part> &lastWord) const;

  const BfsLoop &bfs;
  const StateKeys &keys;
  const std::vector<GraphSymmetry> &group;
  int64_t partCount = 0;
  std::vector<uint16_t> sources;
  std::vector<uint64_t> bits;
};

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_STATES_STATEIMAGES_H
