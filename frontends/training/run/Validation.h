// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loss on examples that are not trained on.

#ifndef ZENITH_FRONTENDS_TRAINING_RUN_VALIDATION_H
#define ZENITH_FRONTENDS_TRAINING_RUN_VALIDATION_H

#include "frontends/training/StepSession.h"
#include "frontends/training/TrainingSetup.h"

namespace zenith::training {

class Validation {
public:
  struct Figure {
    double mean = 0;
    std::string text; ///< the shortest decimal of the loss's type, or NaN
  };

  /// Compiles a program for whole batches and one for the rest of the rows.
  static llvm::Expected<Validation>
  create(TrainingSetup &setup, const TrainOptions &options, const Dataset &set);

  /// The mean over all rows. `state` begins with parameters and running values,
  /// as a step's does.
  llvm::Expected<Figure> run(const StateValues &state);

private:
  const Dataset *set = nullptr;
  int64_t rows = 0; ///< of a whole batch
  std::unique_ptr<StepSession> whole, rest;
};

} // namespace zenith::training

#endif // ZENITH_FRONTENDS_TRAINING_RUN_VALIDATION_H
