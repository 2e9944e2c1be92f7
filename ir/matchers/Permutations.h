// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on permutations as graph.transpose writes them.

#ifndef ZENITH_IR_MATCHERS_PERMUTATIONS_H
#define ZENITH_IR_MATCHERS_PERMUTATIONS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"

namespace zenith::graph {

/// The permutation that undoes `permutation`.
llvm::SmallVector<int64_t> inverseOf(llvm::ArrayRef<int64_t> permutation);
bool isIdentity(llvm::ArrayRef<int64_t> permutation);

} // namespace zenith::graph

#endif // ZENITH_IR_MATCHERS_PERMUTATIONS_H
