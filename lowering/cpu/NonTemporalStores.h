// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Legalises non-temporal stores: whole, aligned cache lines only.

#ifndef ZENITH_LOWERING_CPU_NONTEMPORALSTORES_H
#define ZENITH_LOWERING_CPU_NONTEMPORALSTORES_H

#include "llvm/IR/PassManager.h"
#include <cstdint>

namespace zenith::cpu {

/// Non-temporal stores of vectors write whole aligned cache lines or fault.
/// Each one gets a test of its address and an ordinary store for the unaligned
/// case; stores that are not whole lines become ordinary ones. The function
/// ends with a fence, after which other threads see the data. The new branches
/// would hide a loop's stores from other passes, so this pass runs after them.
class NonTemporalStoresPass
    : public llvm::PassInfoMixin<NonTemporalStoresPass> {
public:
  explicit NonTemporalStoresPass(int64_t lineBytes) : lineBytes(lineBytes) {}
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);

private:
  uint64_t lineBytes; ///< of a cache line
};

} // namespace zenith::cpu

#endif // ZENITH_LOWERING_CPU_NONTEMPORALSTORES_H
