// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Legalises float min/max: uses instructions that order -0 before 0.

#ifndef ZENITH_LOWERING_CPU_LEGALIZEMINMAX_H
#define ZENITH_LOWERING_CPU_LEGALIZEMINMAX_H

#include "llvm/IR/PassManager.h"

namespace zenith::cpu {

/// The code generator needs six instructions for llvm.maximum and llvm.minimum
/// of vectors: the maximum, two selects before it by the sign of zeros, one
/// after it for NaN. VRANGE orders zeros itself and ignores NaN, so under a
/// mask of ordered lanes, over the sum of both operands (which is NaN
/// elsewhere), three instructions are enough. With a constant operand, as in
/// relu, the ordinary min/max instructions take one or two.
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
