// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What --loss-scale says: how the cotangent of a loss is scaled so that
// gradients stay within f16.

#ifndef ZENITH_FRONTENDS_TRAINING_LOSSSCALING_H
#define ZENITH_FRONTENDS_TRAINING_LOSSSCALING_H

#include "ir/Error.h"
#include "passes/precision/LossScale.h"

namespace zenith::training {

struct LossScaling {
  enum class Kind { Off, Dynamic, Static, Auto };

  Kind kind = Kind::Off;
  double init = 32768; ///< of the first step; of Auto measured beforehand
  precision::ScaleRule rule;

  /// "dynamic[:KEY=NUMBER,...]", "static:NUMBER", "auto" or "off"; of an empty
  /// text dynamic where `computesInF16`, else off. Errors are of code Usage and
  /// say the nearest word.
  static Result<LossScaling> read(const std::string &text, bool computesInF16);

  /// The scale that begins where gradients of a loss that is not scaled have
  /// elements up to `largest`: the largest power of two that keeps them within
  /// f16, at most 2^15.
  static double scaleFor(double largest);
};

/// Names of its state, which every step takes and gives: f32, i32, i32.
inline constexpr const char *lossScaleName = "scale/loss_scale",
                            *goodStepsName = "scale/good_steps",
                            *skippedStepsName = "scale/skipped";

} // namespace zenith::training

#endif // ZENITH_FRONTENDS_TRAINING_LOSSSCALING_H
