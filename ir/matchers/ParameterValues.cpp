// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The permutations and layouts that the room shares.

#include "ir/matchers/ParameterValues.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::layout {

Value transposed(OpBuilder &builder, Location loc, Value value,
                 ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> shape;
  for (int64_t source : permutation)
    shape.push_back(typeOf(value).getDimSize(source));
  return builder.create<TransposeOp>(loc, typeOf(value).clone(shape), value,
                                     permutation);
}

SmallVector<int64_t> inverseOf(ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> inverse(permutation.size());
  for (auto [d, source] : llvm::enumerate(permutation))
    inverse[source] = d;
  return inverse;
}

bool isIdentity(ArrayRef<int64_t> permutation) {
  return llvm::is_sorted(permutation);
}

} // namespace zenith::layout
