// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which results may lie in the memory of operands.

#ifndef ZENITH_LOWERING_DECISIONS_INPLACE_H
#define ZENITH_LOWERING_DECISIONS_INPLACE_H

#include "ir/GraphOps.h"

namespace zenith::decisions {

/// True where result `result` may share the bytes of operand `operand`: each
/// element is read before it is written, by the same task.
bool mayShareBytes(graph::FusionOp fusion, unsigned operand, unsigned result);

/// All such pairs.
llvm::SmallVector<graph::SharedBytes> sharedBytes(graph::FusionOp fusion);

} // namespace zenith::decisions

#endif // ZENITH_LOWERING_DECISIONS_INPLACE_H
