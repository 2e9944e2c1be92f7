// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trains a predictor of a graph of states on random walks.

#ifndef ZENITH_FRONTENDS_TRAINING_PREDICTORS_PREDICTORRUN_H
#define ZENITH_FRONTENDS_TRAINING_PREDICTORS_PREDICTORRUN_H

#include "frontends/training/TrainOptions.h"
#include "llvm/Support/Error.h"

namespace zenith::training {

/// Trains options.predictor on walks of options.graph from its central state:
/// an epoch is new walks, and a state's label the number of its step. Without
/// others: adam(1e-3), mse, seed 42, batches of 1024. Errors: 1 for options, 2
/// for a graph's file, others as runTraining().
llvm::Error runPredictor(TrainOptions options,
                         models::Diagnostics &diagnostics);

} // namespace zenith::training

#endif // ZENITH_FRONTENDS_TRAINING_PREDICTORS_PREDICTORRUN_H
