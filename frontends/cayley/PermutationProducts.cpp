// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of permutations as lists of images.

#include "frontends/cayley/PermutationProducts.h"

#include <algorithm>
#include <numeric>

namespace zenith::cayley {

static uint32_t imageOf(const Permutation &permutation, uint32_t point) {
  return point < permutation.size() ? permutation[point] : point;
}

static Permutation identity(size_t points) {
  Permutation result(points);
  std::iota(result.begin(), result.end(), 0);
  return result;
}

static Permutation withoutFixedEnd(Permutation permutation) {
  while (!permutation.empty() && permutation.back() + 1 == permutation.size())
    permutation.pop_back();
  return permutation;
}

Permutation productOf(const Permutation &first, const Permutation &second) {
  Permutation result = identity(std::max(first.size(), second.size()));
  for (uint32_t &point : result)
    point = imageOf(second, imageOf(first, point));
  return withoutFixedEnd(std::move(result));
}

Permutation inverseOf(const Permutation &permutation) {
  Permutation result(permutation.size());
  for (uint32_t i = 0; i < permutation.size(); ++i)
    result[permutation[i]] = i;
  return result;
}

Permutation powerOf(const Permutation &permutation, int64_t exponent) {
  Permutation base = exponent < 0 ? inverseOf(permutation) : permutation,
              result;
  uint64_t rest = exponent < 0 ? -uint64_t(exponent) : uint64_t(exponent);
  for (; rest; rest >>= 1) {
    if (rest & 1)
      result = productOf(result, base);
    base = productOf(base, base);
  }
  return result;
}

Permutation conjugateOf(const Permutation &permutation, const Permutation &by) {
  return productOf(productOf(inverseOf(by), permutation), by);
}

Permutation cycleOf(llvm::ArrayRef<int64_t> points) {
  int64_t last = -1;
  for (int64_t point : points)
    last = std::max(last, point);
  Permutation result = identity(size_t(last + 1));
  for (size_t i = 0; i < points.size(); ++i)
    result[points[i]] = uint32_t(points[(i + 1) % points.size()]);
  return withoutFixedEnd(std::move(result));
}

} // namespace zenith::cayley
