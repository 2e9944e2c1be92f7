// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a training is made of before its first step: texts read, the model
// split into parameters, first values, programs for step and validation.

#ifndef ZENITH_FRONTENDS_TRAINING_TRAININGSETUP_H
#define ZENITH_FRONTENDS_TRAINING_TRAININGSETUP_H

#include "frontends/training/BuildStep.h"
#include "frontends/training/Dataset.h"
#include "frontends/training/TrainOptions.h"
#include "passes/precision/PrecisionPolicy.h"

namespace zenith::training {

class ValueSources;

/// The texts of a command line, read.
struct TrainingTexts {
  Loss loss;
  Rule rule;
  std::vector<Initializer> inits;
  std::vector<std::string> freeze, trainable;
  std::optional<precision::Policy> policy; ///< none: everything as written
  LossScaling scaling;

  /// Errors are of code Usage; Unsupported for what a step cannot do.
  static llvm::Expected<TrainingTexts> read(const TrainOptions &options,
                                            mlir::MLIRContext *context);
  /// What a step takes of these texts and of the options.
  void describe(const TrainOptions &options, StepOptions &step,
                mlir::MLIRContext *context) const;
  /// Takes the policy of a text, empty where there is none, and --loss-scale,
  /// whose default depends on it.
  llvm::Error readPrecision(const std::string &policyText,
                            const TrainOptions &options,
                            mlir::MLIRContext *context);
};

/// The first value of a state that is the copy of no parameter.
Tensor filledTensor(const StateEntry &entry);

class TrainingSetup {
public:
  TrainingSetup(const TrainOptions &options, models::Diagnostics &diagnostics,
                mlir::MLIRContext *context)
      : options(options), diagnostics(diagnostics), context(context) {}

  /// Reads texts and the model, and gives parameters their first values.
  /// `example` has arrays of the rows and types that batches have.
  llvm::Error prepare(const Dataset &example);

  /// The step for batches of options.batchSize.
  llvm::Expected<BuiltStep> buildStep();
  /// The same on a loss that is not scaled, whose only figure is the largest
  /// absolute value of its gradients.
  llvm::Expected<BuiltStep> buildGradientProbe();
  bool measuresScale() const {
    return texts.scaling.kind == LossScaling::Kind::Auto;
  }
  /// The first scale of --loss-scale=auto.
  void setFirstScale(double scale);
  /// The same for an exporter to ONNX of this opset.
  llvm::Expected<BuiltStep> buildExportedStep(int64_t opset);
  /// A validation of that many rows at a time.
  llvm::Expected<BuiltStep> buildValidation(int64_t rows);

  /// First values of a step's state.
  llvm::Expected<std::vector<Tensor>> firstValues(const BuiltStep &step) const;
  /// Parameters that stay as they are, with their values.
  std::map<std::string, Tensor> frozen() const;
  /// Of labels of classes, in the order of the step's labels.
  llvm::Error checkLabels(const BuiltStep &step, const Dataset &set) const;

private:
  llvm::Expected<TrainedModel> load(int64_t rows, bool trains);
  llvm::Error takeOwnPolicy(const TrainedModel &model);
  llvm::Error chooseParameters(const TrainedModel &model);
  llvm::Error readValues(const TrainedModel &model);
  llvm::Error readValue(const Parameter &parameter, ValueSources &sources,
                        int64_t number);
  StepOptions stepOptions(int64_t rows) const;
  llvm::Expected<BuiltStep> build(const StepOptions &step, int64_t rows);

  const TrainOptions &options;
  models::Diagnostics &diagnostics;
  mlir::MLIRContext *context;
  TrainingTexts texts;
  const Dataset *example = nullptr;
  std::vector<Parameter> trained, running, kept;
  std::map<std::string, Tensor> values; ///< first ones, of all parameters
};

} // namespace zenith::training

#endif // ZENITH_FRONTENDS_TRAINING_TRAININGSETUP_H
