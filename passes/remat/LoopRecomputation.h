// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes that say which loops compute values again.

#ifndef ZENITH_PASSES_REMAT_LOOPRECOMPUTATION_H
#define ZENITH_PASSES_REMAT_LOOPRECOMPUTATION_H

#include "llvm/ADT/StringRef.h"

namespace zenith::remat {

/// Unit attribute of modules whose loops shall compute stacks again.
inline constexpr llvm::StringLiteral recomputeLoopsAttrName =
    "graph.recompute_loops";
/// On functions: arithmetic of the loops of which stacks are computed again,
/// and of these recomputations, as two f64.
inline constexpr llvm::StringLiteral loopFlopsAttrName = "graph.loop_flops";

} // namespace zenith::remat

#endif // ZENITH_PASSES_REMAT_LOOPRECOMPUTATION_H
