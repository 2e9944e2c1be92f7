// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of a training step from the API's struct.

#ifndef ZENITH_FRONTENDS_C_TRAINING_TRAININGSETTINGS_H
#define ZENITH_FRONTENDS_C_TRAINING_TRAININGSETTINGS_H

#include "frontends/c/CallStatus.h"
#include "frontends/training/TrainOptions.h"

namespace zenith::c {

struct TrainingSettings {
  training::TrainOptions options;
  std::vector<std::string> labels; ///< outputs; empty: all
};

/// Null, or what is wrong with the options.
zenith_status *readTrainingOptions(const zenith_training_options *given,
                                   TrainingSettings &settings);

} // namespace zenith::c

#endif // ZENITH_FRONTENDS_C_TRAINING_TRAININGSETTINGS_H
