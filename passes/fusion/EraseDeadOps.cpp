// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dead code elimination: removal of ops whose results nobody reads.

#include "passes/fusion/EraseDeadOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace zenith::fusion {

void eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

} // namespace zenith::fusion
