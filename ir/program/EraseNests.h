// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Erases programs whose regions are nested deeply.

#ifndef ZENITH_IR_PROGRAM_ERASENESTS_H
#define ZENITH_IR_PROGRAM_ERASENESTS_H

#include "mlir/IR/Operation.h"

namespace zenith::graph {

/// Erases what lies in the regions of `op`, the innermost regions first, in a
/// time that is linear in the number of ops. MLIR's own erasure visits each op
/// once per region that it lies in.
void eraseInside(mlir::Operation *op);

} // namespace zenith::graph

#endif // ZENITH_IR_PROGRAM_ERASENESTS_H
