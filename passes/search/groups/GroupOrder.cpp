// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of a group is the product of its chain's orbit lengths.

#include "passes/search/groups/GroupOrder.h"
#include "passes/search/groups/StabiliserChain.h"

namespace zenith::search {

double groupOrder(llvm::ArrayRef<std::vector<int64_t>> generators) {
  return StabiliserChain(generators.vec()).order();
}

} // namespace zenith::search
