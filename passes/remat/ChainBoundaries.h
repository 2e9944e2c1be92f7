// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where to cut a chain of steps into segments that are made again one by one.

#ifndef ZENITH_PASSES_REMAT_CHAINBOUNDARIES_H
#define ZENITH_PASSES_REMAT_CHAINBOUNDARIES_H

#include <cstdint>
#include <set>
#include <vector>

namespace zenith::remat {

/// A place at which a chain may be cut.
struct ChainPlace {
  unsigned place;
  int64_t saved;    ///< bytes that must be saved if it is cut here
  int64_t interior; ///< bytes that the steps since the place before make
};

/// Sets of places to cut at: every k-th one for several k, of which the square
/// root of the length is one (Chen et al. 2016), and for several limits of the
/// bytes of a segment the places that save least (dynamic programming, for
/// chains whose values differ in size). Ascending, none empty.
std::set<std::vector<unsigned>>
chainBoundaries(const std::vector<ChainPlace> &chain);

} // namespace zenith::remat

#endif // ZENITH_PASSES_REMAT_CHAINBOUNDARIES_H
