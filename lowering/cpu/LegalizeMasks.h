// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks in forms that the processor has registers and instructions for.

#ifndef ZENITH_LOWERING_CPU_LEGALIZEMASKS_H
#define ZENITH_LOWERING_CPU_LEGALIZEMASKS_H

#include "llvm/IR/PassManager.h"

namespace zenith::cpu {

/// Rewrites what the code generator would take apart lane by lane, which takes
/// long to compile and long to run:
///   masks of the first lanes become compares of narrow numbers,
///   masked loads and stores of the first lanes that the processor lacks (bytes
///   without AVX-512) become copies of as many bytes, through the stack,
///   masks that are carried from block to block become vectors of integers,
///   where there are no registers for masks.
class LegalizeMasksPass : public llvm::PassInfoMixin<LegalizeMasksPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace zenith::cpu

#endif // ZENITH_LOWERING_CPU_LEGALIZEMASKS_H
