// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images of keys under the symmetries of a graph, as tables of what each part
// of a word becomes.

#ifndef ZENITH_PASSES_SEARCH_STATES_STATEIMAGES_H
#define ZENITH_PASSES_SEARCH_STATES_STATEIMAGES_H

#include "passes/search/states/StateKeys.h"

namespace zenith::search {

/// What dedup calls images, for keys with bits that lead back.
class StateImages {
public:
  /// Nothing where a symmetry does not take fields to fields, or where tables
  /// would not stay in a cache.
  static std::optional<StateImages>
  build(const BfsLoop &growth, const StateKeys &keys,
        const std::vector<GraphSymmetry> &group);

  /// Bits that hold the number of symmetries less 1.
  static unsigned tieBits(size_t symmetries);

  int64_t images() const { return int64_t(group.size()); }
  int64_t parts() const { return partCount; } ///< of a word, at most
  int64_t values() const { return int64_t(1) << keys.bits(); } ///< of a part
  /// By image, word and place; `bits` by value of the part, too.
  const std::vector<uint16_t> &partNumbers() const { return numbers; }
  const std::vector<uint64_t> &partBits() const { return bits; }

  /// The words of a state; nothing for one that is left to an image of it.
  std::optional<llvm::SmallVector<uint64_t>>
  packLeast(const BfsLoop::Row &row) const;

private:
  struct Part {
    uint16_t number;
    std::vector<uint64_t> bits; ///< by value
  };
  StateImages(const BfsLoop &growth, const StateKeys &keys,
              const std::vector<GraphSymmetry> &group)
      : growth(growth), keys(keys), group(group) {}
  bool fill();
  std::vector<uint64_t> codesOf(const GraphSymmetry &symmetry, int64_t origin,
                                int64_t field) const;
  bool addFields(const GraphSymmetry &symmetry,
                 std::vector<std::vector<Part>> &words) const;
  void addBackBits(const GraphSymmetry &symmetry,
                   std::vector<Part> &lastWord) const;

  const BfsLoop &growth;
  const StateKeys &keys;
  const std::vector<GraphSymmetry> &group;
  int64_t partCount = 0;
  std::vector<uint16_t> numbers;
  std::vector<uint64_t> bits;
};

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_STATES_STATEIMAGES_H
