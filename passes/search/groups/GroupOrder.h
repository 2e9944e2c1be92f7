// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of a permutation group by a chain of stabilisers.

#ifndef ZENITH_PASSES_SEARCH_GROUPS_GROUPORDER_H
#define ZENITH_PASSES_SEARCH_GROUPS_GROUPORDER_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace zenith::search {

/// The number of permutations that products of the generators give; for few
/// points (Schreier and Sims, without random choices). Points are numbered from
/// 0, all generators have as many.
double groupOrder(llvm::ArrayRef<std::vector<int64_t>> generators);

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_GROUPS_GROUPORDER_H
