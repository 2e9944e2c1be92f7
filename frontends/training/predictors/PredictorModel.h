// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models that guess how far a state is from the centre of its graph.

#ifndef ZENITH_FRONTENDS_TRAINING_PREDICTORS_PREDICTORMODEL_H
#define ZENITH_FRONTENDS_TRAINING_PREDICTORS_PREDICTORMODEL_H

#include "frontends/onnx/model/ONNXModel.h"

namespace zenith::training {

/// What a predictor takes: rows of `positions` integers from 0 to values - 1.
struct PredictorInput {
  int64_t positions = 0, values = 0;
};

/// The names of all predictors.
std::vector<std::string> predictorNames();

/// A model of input `states`, (batch, positions) of i64, and output `scores`,
/// (batch) of f32. Weights of matrices are zero: an initializer fills them;
/// biases are 0 and scales 1. `options` are `name=value,...` with the defaults
///   resmlp: hidden=[512,256,128], blocks=3, dropout=0.1
///   transformer: width=256, layers=4, heads=8, hidden=1024
///   cnn: channels=[32,64,128], size=3, hidden=[256,64]
/// Errors are of code Usage: an unknown name lists those there are.
Result<onnx::Model> buildPredictor(const std::string &name,
                                   const std::string &options,
                                   const PredictorInput &input);

} // namespace zenith::training

#endif // ZENITH_FRONTENDS_TRAINING_PREDICTORS_PREDICTORMODEL_H
