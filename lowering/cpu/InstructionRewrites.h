// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What passes that replace single instructions say of a function's analyses.

#ifndef ZENITH_LOWERING_CPU_INSTRUCTIONREWRITES_H
#define ZENITH_LOWERING_CPU_INSTRUCTIONREWRITES_H

#include "llvm/IR/PassManager.h"

namespace zenith::cpu {

/// Blocks and the branches between them are as they were; everything is where
/// no instruction was replaced.
inline llvm::PreservedAnalyses preservedByRewrites(bool changed) {
  if (!changed)
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace zenith::cpu

#endif // ZENITH_LOWERING_CPU_INSTRUCTIONREWRITES_H
