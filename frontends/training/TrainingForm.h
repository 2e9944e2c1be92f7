// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An ONNX model that is trained: a batch of a fixed size, batch normalisation
// by statistics of the batch, dropout that drops.

#ifndef ZENITH_FRONTENDS_TRAINING_TRAININGFORM_H
#define ZENITH_FRONTENDS_TRAINING_TRAININGFORM_H

#include "frontends/models/LoadModel.h"

#include <map>

namespace zenith::onnx {
struct Model;
}

namespace zenith::training {

/// A running value of batch normalisation: a parameter that no gradient trains.
struct RunningValue {
  std::string name;   ///< of the parameter
  std::string result; ///< of the model, what it is after a batch
};

/// A scalar input that stands for the mask of one dropout.
struct DropoutMask {
  std::string input;
  double rate = 0;
};

/// What toTrainingForm() added to a model.
struct TrainingForm {
  std::vector<RunningValue> running;
  std::vector<DropoutMask> dropouts; ///< in program order
};

/// A model as GraphIR, with static shapes, and what training needs to know of
/// it.
struct TrainedModel {
  models::LoadedModel loaded;
  TrainingForm form;
  /// Names of running values in inference form, too: nothing trains them.
  std::vector<std::string> runningNames;
};

struct FormOptions {
  bool trains = true; ///< otherwise in inference form
  /// Sizes of the first dimensions of inputs of these names, and the rest of
  /// their dimensions.
  std::map<std::string, std::vector<int64_t>> inputs;
  /// Values of the graph that are compared with labels: results, although the
  /// model may not give them.
  std::vector<std::string> outputs;
  models::LoadOptions load;
};

/// Reads a model for batches of the given sizes. Errors: Usage where an input
/// has no data or there is no such input; Unsupported for batch normalisation
/// and dropout of opsets that cannot say the training form, by name.
llvm::Expected<TrainedModel> loadTrained(const std::string &path,
                                         mlir::MLIRContext *context,
                                         const FormOptions &options,
                                         models::Diagnostics &diagnostics);

/// Writes the model of `path` with other values of initializers, everything
/// else as it is. Errors: Invalid where a value has another type or size.
llvm::Error writeTrained(const std::string &path, const std::string &output,
                         const std::map<std::string, Tensor> &values);

/// SHA-256, in hexadecimal digits, of a model without the values of its
/// weights.
llvm::Expected<std::string> modelDigest(const std::string &path);

} // namespace zenith::training

#endif // ZENITH_FRONTENDS_TRAINING_TRAININGFORM_H
