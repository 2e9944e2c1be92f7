// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A training from files to files: data, step, log, validation, checkpoints.

#ifndef ZENITH_FRONTENDS_TRAINING_RUN_TRAININGRUN_H
#define ZENITH_FRONTENDS_TRAINING_RUN_TRAININGRUN_H

#include "frontends/training/run/TrainingData.h"

namespace zenith::training {

/// Trains as `options` say. Errors: 1 for options and texts, 2 for files that
/// do not fit, 3 for what has no derivative, by name; 6 where the run failed:
/// a loss that is not finite, a checkpoint that could not be saved, a signal.
llvm::Error runTraining(const TrainOptions &options,
                        models::Diagnostics &diagnostics,
                        MakeEpoch makeEpoch = {});

} // namespace zenith::training

#endif // ZENITH_FRONTENDS_TRAINING_RUN_TRAININGRUN_H
