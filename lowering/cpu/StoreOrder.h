// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders stores of several registers by ascending address.

#ifndef ZENITH_LOWERING_CPU_STOREORDER_H
#define ZENITH_LOWERING_CPU_STOREORDER_H

#include "llvm/IR/PassManager.h"

namespace zenith::cpu {

/// The code generator stores the last register of a wide vector first. If
/// registers are whole cache lines and rows aren't aligned to lines, each store
/// then writes to a line that the previous store has just left, which is slow.
/// This pass splits such stores in ascending order. It runs after the branches
/// that choose between stores are made.
class StoreOrderPass : public llvm::PassInfoMixin<StoreOrderPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace zenith::cpu

#endif // ZENITH_LOWERING_CPU_STOREORDER_H
