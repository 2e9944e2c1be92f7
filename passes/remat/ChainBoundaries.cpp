// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places by distance, and by dynamic programming over the last cut.

#include "passes/remat/ChainBoundaries.h"

#include <algorithm>

namespace zenith::remat {

/// The places of least saved bytes together for which no segment makes more
/// than `limit`, unless it has one place only.
static std::vector<unsigned>
cheapestPlaces(const std::vector<ChainPlace> &chain, int64_t limit) {
  // best[i]: saved bytes of the places up to chain[i - 1], which is cut.
  std::vector<int64_t> best(chain.size() + 1, 0);
  std::vector<size_t> previous(chain.size() + 1, 0);
  for (size_t i = 1; i <= chain.size(); ++i) {
    best[i] = INT64_MAX;
    int64_t interior = 0;
    for (size_t before = i; before-- > 0;) {
      interior += chain[before].interior;
      if (before + 1 < i && interior > limit)
        break;
      if (best[before] < best[i]) {
        best[i] = best[before];
        previous[i] = before;
      }
    }
    best[i] += chain[i - 1].saved;
  }
  // The end of the chain need not be cut.
  int64_t interior = 0, least = INT64_MAX;
  size_t last = chain.size();
  for (size_t i = chain.size(); i > 0 && interior <= limit; --i) {
    if (best[i] < least) {
      least = best[i];
      last = i;
    }
    interior += chain[i - 1].interior;
  }
  std::vector<unsigned> places;
  for (; last > 0; last = previous[last])
    places.push_back(chain[last - 1].place);
  std::reverse(places.begin(), places.end());
  return places;
}

std::set<std::vector<unsigned>>
chainBoundaries(const std::vector<ChainPlace> &chain) {
  std::set<std::vector<unsigned>> sets;
  for (size_t distance : {1, 2, 3, 4, 6, 8, 12, 16, 24}) {
    std::vector<unsigned> places;
    for (size_t i = distance - 1; i < chain.size(); i += distance)
      places.push_back(chain[i].place);
    if (!places.empty())
      sets.insert(std::move(places));
  }
  int64_t all = 0;
  for (const ChainPlace &place : chain)
    all += place.interior;
  for (int64_t parts : {2, 3, 5, 8, 13})
    if (std::vector<unsigned> places = cheapestPlaces(chain, all / parts);
        !places.empty())
      sets.insert(std::move(places));
  return sets;
}

} // namespace zenith::remat
