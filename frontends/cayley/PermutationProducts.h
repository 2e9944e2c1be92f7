// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products, powers and inverses of permutations that act from the right, as
// GAP writes them: a point p under a is p^a = a[p].

#ifndef ZENITH_FRONTENDS_CAYLEY_PERMUTATIONPRODUCTS_H
#define ZENITH_FRONTENDS_CAYLEY_PERMUTATIONPRODUCTS_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace zenith::cayley {

/// new[i] = old[permutation[i]].
using Permutation = std::vector<uint32_t>;

/// Permutations of different lengths meet: points beyond the end stay where
/// they are, and results have no such points at their end.
Permutation productOf(const Permutation &first, const Permutation &second);
Permutation inverseOf(const Permutation &permutation);
Permutation powerOf(const Permutation &permutation, int64_t exponent);
/// by^-1 * permutation * by.
Permutation conjugateOf(const Permutation &permutation, const Permutation &by);
/// The cycle that takes each point to the next and the last one to the first;
/// the points differ.
Permutation cycleOf(llvm::ArrayRef<int64_t> points);

} // namespace zenith::cayley

#endif // ZENITH_FRONTENDS_CAYLEY_PERMUTATIONPRODUCTS_H
