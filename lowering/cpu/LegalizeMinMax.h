// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maxima and minima of floats by the instructions that know the order of zeros.

#ifndef ZENITH_LOWERING_CPU_LEGALIZEMINMAX_H
#define ZENITH_LOWERING_CPU_LEGALIZEMINMAX_H

#include "llvm/IR/PassManager.h"

namespace zenith::cpu {

/// llvm.maximum and llvm.minimum of vectors take the code generator six
/// instructions: the maximum, two choices before it by the sign of zeros, and
/// one behind it for NaN. vrange orders zeros by itself and leaves NaN aside;
/// under a mask of what is ordered, over a sum of both, it takes three. Beside
/// a number, as in relu, the instructions that any processor has take one or
/// two.
class LegalizeMinMaxPass : public llvm::PassInfoMixin<LegalizeMinMaxPass> {
public:
  /// `hasRange`: the processor has AVX512DQ and AVX512VL.
  explicit LegalizeMinMaxPass(bool hasRange) : hasRange(hasRange) {}
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);

private:
  bool hasRange;
};

} // namespace zenith::cpu

#endif // ZENITH_LOWERING_CPU_LEGALIZEMINMAX_H
