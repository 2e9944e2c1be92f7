// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Positions that data decides.

#ifndef ZENITH_LOWERING_ELEMENTS_INDEXINGELEMENTS_H
#define ZENITH_LOWERING_ELEMENTS_INDEXINGELEMENTS_H

#include "lowering/elements/ElementEmitter.h"

namespace zenith::kernels {

/// Index of the operand's element that is the gather's element at `index`; none
/// after an unsupported op.
std::optional<llvm::SmallVector<LaneIndex>>
gatheredIndex(graph::GatherOp op, ElementEmitter &emitter,
              llvm::ArrayRef<LaneIndex> index);
/// Index of the result that an element of the update is written to; empty
/// after an unsupported op.
llvm::SmallVector<LaneIndex> updatedIndex(graph::DynamicUpdateSliceOp op,
                                          ElementEmitter &emitter,
                                          llvm::ArrayRef<LaneIndex> index);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_ELEMENTS_INDEXINGELEMENTS_H
