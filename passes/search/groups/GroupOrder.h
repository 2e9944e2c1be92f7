// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of a permutation group, by Schreier-Sims.

#ifndef ZENITH_PASSES_SEARCH_GROUPS_GROUPORDER_H
#define ZENITH_PASSES_SEARCH_GROUPS_GROUPORDER_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace zenith::search {

/// The number of elements of the group that the generators generate, for few
/// points: the product of the orbit lengths of a stabiliser chain. Points are
/// 0, 1, ..., the same for all generators.
double groupOrder(llvm::ArrayRef<std::vector<int64_t>> generators);

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_GROUPS_GROUPORDER_H
