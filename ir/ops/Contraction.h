// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which dimensions the operands of a contraction have for themselves.

#ifndef ZENITH_IR_OPS_CONTRACTION_H
#define ZENITH_IR_OPS_CONTRACTION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace zenith::graph {

/// Dimensions below `rank` that neither list names, ascending. The result of
/// a matmul has them after the batching ones, those of the left operand first.
llvm::SmallVector<int64_t> freeDims(int64_t rank,
                                    llvm::ArrayRef<int64_t> batching,
                                    llvm::ArrayRef<int64_t> contracting);

} // namespace zenith::graph

#endif // ZENITH_IR_OPS_CONTRACTION_H
