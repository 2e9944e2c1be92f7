// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a step is made of, and what it takes and gives.

#ifndef ZENITH_FRONTENDS_TRAINING_STEPDESCRIPTION_H
#define ZENITH_FRONTENDS_TRAINING_STEPDESCRIPTION_H

#include "frontends/training/Initializers.h"
#include "frontends/training/LossScaling.h"
#include "frontends/training/Losses.h"
#include "frontends/training/OptimizerRules.h"
#include "frontends/training/TrainingForm.h"

namespace zenith::training {

/// A parameter of a model: an initializer or graph.param of floats, or an
/// argument that is trained.
struct Parameter {
  std::string name;
  mlir::RankedTensorType type;
  mlir::Attribute source; ///< of a graph.param; else null
  FanDims fans;
  bool isArgument = false;
};

/// Labels of one output, per batch.
struct LabelType {
  std::string key;
  mlir::RankedTensorType type;
};

struct StepOptions {
  const Loss *loss = nullptr;
  Rule rule;
  std::vector<Parameter> trained; ///< those that gradients are computed for
  std::vector<Parameter> running; ///< those that the model itself moves
  std::vector<LabelType> labels;
  int64_t microBatches = 1; ///< the model is of a batch of so many parts
  std::optional<double> ema;
  bool skipsNonFinite =
      false; ///< leaves the update out where loss or gradient is not finite
  bool forExport = false; ///< the results are the loss and what goes on
  /// Dropouts take masks that the runtime draws: ONNX before opset 18 cannot
  /// say keys.
  bool drawsMasks = false;
  /// Of a kind that is not Off: gradients are computed of the scaled loss.
  std::optional<LossScaling> scaling;
  /// The type that predictions are rounded to, and widened again, before the
  /// loss; null: their own.
  mlir::Type outputAs;
  /// A policy narrows what the model computes: updates stay as they are.
  bool hasPolicy = false;
  /// The only figure is the largest absolute value of the gradients.
  bool measuresGradients = false;
};

enum class StateKind { Parameter, Running, Optimizer, Average, Random, Scale };

struct StepState {
  StateEntry entry; ///< without values
  StateKind kind = StateKind::Parameter;
};

/// A program, its arguments: state, then data, then labels; and its results:
/// see BuiltStep::figures, then state.
struct BuiltStep {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string entry; ///< "step" or "validate"
  std::string folder;
  std::vector<StepState> state;
  std::vector<std::string> data, labels;
  std::vector<mlir::RankedTensorType> dataTypes, labelTypes;
  /// Rates of dropouts whose masks are arguments after the labels.
  std::vector<double> maskRates;
  /// Scalar results before the state: loss, learning_rate, grad_norm, and with
  /// a scaled loss the loss_scale that was used and the steps skipped so far;
  /// some of them may be absent.
  std::vector<std::string> figures;
  std::vector<mlir::RankedTensorType> figureTypes;
  /// Classes that integer labels may have, by the order of `labels`; 0: any.
  std::vector<int64_t> classes;
};

/// The name of dropout's state, whose first value is fold_in(key(seed),
/// dropoutKeyNumber).
inline constexpr const char *randomKeyName = "rng/key";
inline constexpr int64_t dropoutKeyNumber = 0x7a;

} // namespace zenith::training

#endif // ZENITH_FRONTENDS_TRAINING_STEPDESCRIPTION_H
