// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A training from files to files: data, step, log, validation, checkpoints.

#ifndef ZENITH_FRONTENDS_TRAINING_TRAININGRUN_H
#define ZENITH_FRONTENDS_TRAINING_TRAININGRUN_H

#include "frontends/training/Dataset.h"
#include "frontends/training/TrainOptions.h"
#include "llvm/Support/Error.h"

#include <functional>

namespace zenith::training {

/// Examples that are made anew for each epoch, instead of files; their types
/// are made in `context`.
using MakeEpoch = std::function<llvm::Expected<Dataset>(
    int64_t epoch, mlir::MLIRContext *context)>;

/// Trains as `options` say. Errors: 1 for options and texts, 2 for files that
/// do not fit, 3 for what has no derivative, by name; 6 where the run failed:
/// a loss that is not finite, a checkpoint that could not be saved, a signal.
llvm::Error runTraining(const TrainOptions &options,
                        models::Diagnostics &diagnostics,
                        MakeEpoch makeEpoch = {});

} // namespace zenith::training

#endif // ZENITH_FRONTENDS_TRAINING_TRAININGRUN_H
