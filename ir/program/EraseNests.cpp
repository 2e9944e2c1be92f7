// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inner regions of what is erased are empty already, so that dropping the
// references of a region does not go into them again.

#include "ir/program/EraseNests.h"

using namespace mlir;

namespace zenith::graph {

void eraseInside(Operation *op) {
  op->walk<WalkOrder::PostOrder>([](Operation *inner) {
    for (Region &region : inner->getRegions()) {
      region.dropAllReferences();
      region.getBlocks().clear();
    }
  });
}

} // namespace zenith::graph
