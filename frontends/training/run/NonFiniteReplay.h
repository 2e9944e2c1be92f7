// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the op that made a step's figures not finite, after the step has
// overwritten its state.

#ifndef ZENITH_FRONTENDS_TRAINING_RUN_NONFINITEREPLAY_H
#define ZENITH_FRONTENDS_TRAINING_RUN_NONFINITEREPLAY_H

#include "frontends/training/StepSession.h"
#include "frontends/training/run/TrainingData.h"

namespace zenith::training {

/// Steps are functions of their state, so that those since the last copy give
/// the same values again.
class NonFiniteReplay {
public:
  /// Keeps a copy of the state before step `step` (0-based).
  void keep(const StateValues &state, int64_t step) {
    copy = state.snapshot();
    first = step;
  }

  /// The first op of step `failed` (0-based) whose result is not finite, with
  /// its place; empty where there is none.
  llvm::Expected<std::string> firstOp(StepSession &session, TrainingData &data,
                                      int64_t failed) const;

private:
  std::vector<Tensor> copy;
  int64_t first = 0;
};

} // namespace zenith::training

#endif // ZENITH_FRONTENDS_TRAINING_RUN_NONFINITEREPLAY_H
