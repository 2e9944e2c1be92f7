// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores of several registers by rising addresses.

#ifndef ZENITH_LOWERING_CPU_STOREORDER_H
#define ZENITH_LOWERING_CPU_STOREORDER_H

#include "llvm/IR/PassManager.h"

namespace zenith::cpu {

/// The code generator stores vectors of several registers from their end. Where
/// registers are whole cache lines and rows don't begin with one, each store
/// then meets a line that the one before has just left (Emerald Rapids: rows of
/// 257 numbers in the second-level cache take 1.45 times as long). This takes
/// such stores apart; branches that choose between them have to be there.
class StoreOrderPass : public llvm::PassInfoMixin<StoreOrderPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace zenith::cpu

#endif // ZENITH_LOWERING_CPU_STOREORDER_H
