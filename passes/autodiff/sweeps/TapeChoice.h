// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which form the tape of a loop has under a budget of memory.

#ifndef ZENITH_PASSES_AUTODIFF_SWEEPS_TAPECHOICE_H
#define ZENITH_PASSES_AUTODIFF_SWEEPS_TAPECHOICE_H

#include "passes/autodiff/RuleBuilder.h"
#include "passes/autodiff/Transformation.h"

namespace zenith::autodiff {

/// Choices of one derivation. A budget in bytes, 0 for none, decides where the
/// form is Default.
class TapeChoice {
public:
  TapeChoice(TapeForm form, int64_t budgetBytes)
      : form(form), budgetBytes(budgetBytes) {}

  /// Store or Sqrt; Default for a tape of `rows` rows, a tensor<i64> that is no
  /// constant, whose form is chosen when their number is known.
  TapeForm formOf(RuleBuilder &rule, mlir::Value rows,
                  mlir::ValueRange like) const;

  /// Whether a tape of `rows` rows of values like `like` may be stored: an i1.
  /// What it is compared with stands only after setLimits().
  static mlir::Value fits(RuleBuilder &rule, mlir::Value rows,
                          mlir::ValueRange like);

  /// Leaves to tapes what the function itself does not need of the budget; of a
  /// tape inside of a loop, which comes on top of the outer one, a part.
  void setLimits(mlir::Block &body) const;

private:
  TapeForm form;
  int64_t budgetBytes;
};

} // namespace zenith::autodiff

#endif // ZENITH_PASSES_AUTODIFF_SWEEPS_TAPECHOICE_H
