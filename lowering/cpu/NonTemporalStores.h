// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores past the caches, where addresses allow them.

#ifndef ZENITH_LOWERING_CPU_NONTEMPORALSTORES_H
#define ZENITH_LOWERING_CPU_NONTEMPORALSTORES_H

#include "llvm/IR/PassManager.h"

namespace zenith::cpu {

/// Non-temporal stores of vectors write whole cache lines or fault: each gets a
/// test of its address and an ordinary store for the other case, and the
/// function ends with a fence, behind which other threads see them. Those that
/// are no whole lines become ordinary. Branches would hide from other passes
/// what a loop stores to: this is to run after them.
class NonTemporalStoresPass
    : public llvm::PassInfoMixin<NonTemporalStoresPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace zenith::cpu

#endif // ZENITH_LOWERING_CPU_NONTEMPORALSTORES_H
