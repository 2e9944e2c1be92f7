// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of a training that do not go together, before any file is read.

#ifndef ZENITH_FRONTENDS_TRAINING_RUN_TRAININGCHECKS_H
#define ZENITH_FRONTENDS_TRAINING_RUN_TRAININGCHECKS_H

#include "frontends/training/TrainOptions.h"
#include "llvm/Support/Error.h"

namespace zenith::training {

/// An error of code Usage for what is missing or contradicts something else.
llvm::Error checkTraining(const TrainOptions &options);

} // namespace zenith::training

#endif // ZENITH_FRONTENDS_TRAINING_RUN_TRAININGCHECKS_H
