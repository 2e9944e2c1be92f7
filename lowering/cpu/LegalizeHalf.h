// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Widens f16 operations that processors have for f32 only.

#ifndef ZENITH_LOWERING_CPU_LEGALIZEHALF_H
#define ZENITH_LOWERING_CPU_LEGALIZEHALF_H

#include "llvm/IR/PassManager.h"

namespace zenith::cpu {

/// Kernels compute f16 in f32. LLVM's simplifications turn comparisons and
/// roundings of widened f16 values into f16 operations, which the code
/// generator scalarises. This pass widens them again, so it runs after these
/// simplifications.
class LegalizeHalfPass : public llvm::PassInfoMixin<LegalizeHalfPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace zenith::cpu

#endif // ZENITH_LOWERING_CPU_LEGALIZEHALF_H
