// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on permutations.

#include "ir/matchers/Permutations.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace zenith::graph {

SmallVector<int64_t> inverseOf(ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> inverse(permutation.size());
  for (auto [d, source] : llvm::enumerate(permutation))
    inverse[source] = d;
  return inverse;
}

bool isIdentity(ArrayRef<int64_t> permutation) {
  return llvm::is_sorted(permutation);
}

} // namespace zenith::graph
