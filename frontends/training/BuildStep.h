// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A training step as one program: forward part, loss, gradients, update. Every
// value that goes on to the next step comes in as a donated argument and leaves
// as a result.

#ifndef ZENITH_FRONTENDS_TRAINING_BUILDSTEP_H
#define ZENITH_FRONTENDS_TRAINING_BUILDSTEP_H

#include "frontends/training/StepDescription.h"

namespace zenith::training {

/// The model in training form becomes a step. Errors: Usage where a label names
/// no output, Invalid where types do not fit.
llvm::Expected<BuiltStep> buildStep(TrainedModel model,
                                    const StepOptions &options);
/// The model in inference form becomes a program that gives its loss on a
/// batch: its state are the trained parameters and the running values.
llvm::Expected<BuiltStep> buildValidation(TrainedModel model,
                                          const StepOptions &options);

} // namespace zenith::training

#endif // ZENITH_FRONTENDS_TRAINING_BUILDSTEP_H
