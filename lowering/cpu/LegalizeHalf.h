// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What processors compute with floats only, where it is asked of halves.

#ifndef ZENITH_LOWERING_CPU_LEGALIZEHALF_H
#define ZENITH_LOWERING_CPU_LEGALIZEHALF_H

#include "llvm/IR/PassManager.h"

namespace zenith::cpu {

/// Kernels compute f16 in f32; LLVM's simplifications turn comparisons and
/// roundings of widened halves into those of halves, which the code generator
/// takes apart lane by lane. This widens them again, and is to run after these
/// simplifications.
class LegalizeHalfPass : public llvm::PassInfoMixin<LegalizeHalfPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace zenith::cpu

#endif // ZENITH_LOWERING_CPU_LEGALIZEHALF_H
