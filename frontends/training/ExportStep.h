// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A training step as an ONNX model of standard operators.

#ifndef ZENITH_FRONTENDS_TRAINING_EXPORTSTEP_H
#define ZENITH_FRONTENDS_TRAINING_EXPORTSTEP_H

#include "frontends/training/TrainingSetup.h"

namespace zenith::training {

/// Writes options.exportStep, for options.opset (17 without), and the first
/// values of its state beside it as FILE.state. Inputs: state under its names,
/// data, labels as label/KEY; outputs: the loss, then NAME_next for each state.
/// Errors are those of the exporter: 3 for what no opset can say.
llvm::Error exportStep(TrainingSetup &setup, const TrainOptions &options,
                       models::Diagnostics &diagnostics);

} // namespace zenith::training

#endif // ZENITH_FRONTENDS_TRAINING_EXPORTSTEP_H
