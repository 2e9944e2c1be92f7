// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preserved analyses of passes that replace single instructions.

#ifndef ZENITH_LOWERING_CPU_INSTRUCTIONREWRITES_H
#define ZENITH_LOWERING_CPU_INSTRUCTIONREWRITES_H

#include "llvm/IR/PassManager.h"

namespace zenith::cpu {

/// Passes that replace instructions keep blocks and branches; all analyses are
/// preserved if nothing was replaced.
inline llvm::PreservedAnalyses preservedByRewrites(bool changed) {
  if (!changed)
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace zenith::cpu

#endif // ZENITH_LOWERING_CPU_INSTRUCTIONREWRITES_H
