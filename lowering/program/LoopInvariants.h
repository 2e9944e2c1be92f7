// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a loop's steps would all compute alike moves in front of the loop.

#ifndef ZENITH_LOWERING_PROGRAM_LOOPINVARIANTS_H
#define ZENITH_LOWERING_PROGRAM_LOOPINVARIANTS_H

#include "ir/GraphOps.h"

namespace zenith::pipeline {

/// Packs right-hand sides of products that the body takes from outside into
/// panels of `panel` columns in front of the loop; what depends on parameters
/// only is left to the passes that pack those.
void packInvariants(graph::WhileOp loop, int64_t panel);

/// Moves ops of the body whose operands come from outside in front of the loop,
/// where their results take no more memory than what they read.
void hoistInvariants(graph::WhileOp loop);

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PROGRAM_LOOPINVARIANTS_H
