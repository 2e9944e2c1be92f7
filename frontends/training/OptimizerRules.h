// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Optimizers as functions that build ops: gradients in, what is added to the
// parameters out, state from step to step by name.

#ifndef ZENITH_FRONTENDS_TRAINING_OPTIMIZERRULES_H
#define ZENITH_FRONTENDS_TRAINING_OPTIMIZERRULES_H

#include "frontends/training/CallArguments.h"
#include "frontends/training/RateSchedules.h"
#include "frontends/training/StepBuilder.h"

#include <functional>

namespace zenith::training {

/// A parameter that is trained, and its value before the update.
struct TrainedParameter {
  std::string name;
  mlir::Value value;
};

/// A value that each step takes and gives.
struct StateEntry {
  std::string name; ///< "opt/0/mu/fc1.w"
  mlir::RankedTensorType type;
  double fill = 0;    ///< of every element before the first step
  std::string copyOf; ///< or the parameter whose first value it has
  mlir::Value current, next;
};

/// What rules build one update with.
class RuleContext {
public:
  using Value = mlir::Value;
  using NewArgument =
      std::function<Value(const std::string &name, mlir::RankedTensorType)>;

  RuleContext(StepBuilder &b, llvm::ArrayRef<TrainedParameter> parameters,
              NewArgument newArgument)
      : b(b), parameters(parameters), newArgument(std::move(newArgument)) {}

  StepBuilder &b;
  llvm::ArrayRef<TrainedParameter> parameters;
  /// The rate of the first scale_by_learning_rate, a scalar; null where there
  /// is none.
  Value learningRate;

  /// The state of that name, which begins as `fill`.
  Value read(const std::string &name, mlir::RankedTensorType type,
             double fill = 0);
  Value readCopy(const std::string &name, const TrainedParameter &parameter);
  /// What it is after the step: where a gate is closed, what it was.
  void write(const std::string &name, Value value);
  /// What it is after the step so far.
  Value next(const std::string &name) { return find(name).next; }
  /// The scalar of i32 `name`, which grows by one with each update, as f64.
  Value counted(const std::string &name);
  /// A schedule's value by the count `name`, which a constant one does not
  /// need; of f64 where parameters are, else of f32.
  Value scheduled(const Schedule &schedule, const std::string &name);
  mlir::Type rateType() const;
  /// Writes made inside of `body` happen where `condition` holds.
  void gated(Value condition, llvm::function_ref<void()> body);

  /// In order of first use.
  llvm::ArrayRef<StateEntry> entries() const { return states; }

private:
  StateEntry &find(const std::string &name);

  NewArgument newArgument;
  std::vector<StateEntry> states;
  std::vector<Value> gates;
};

/// One value for each parameter; null where a mask leaves it out.
using Updates = std::vector<mlir::Value>;
/// Replaces gradients by updates. `path` begins the names of its state.
using Rule =
    std::function<void(RuleContext &, const std::string &path, Updates &)>;

/// The optimizer that `text` says, in the words and with the numbers of Optax
/// 0.2.8. Errors are of code Usage and say the nearest name.
Result<Rule> readOptimizer(const std::string &text);

/// A call inside of such a text; a mistake goes to `reading`.
Rule readRule(const Expression &expression, TextReading &reading);

/// Applies `body` to each gradient that is there.
template <typename Body>
void forEach(RuleContext &c, Updates &updates, Body body) {
  for (size_t i = 0; i < updates.size(); ++i)
    if (updates[i])
      updates[i] = body(updates[i], c.parameters[i]);
}

// Rules that keep moments of gradients (MomentRules.cpp).
Rule scaleByAdam(const CallArguments &arguments);
Rule scaleByAmsgrad(const CallArguments &arguments);
Rule scaleByAdamax(const CallArguments &arguments);
Rule scaleByLion(const CallArguments &arguments);
Rule scaleByRms(const CallArguments &arguments);
Rule scaleByStddev(const CallArguments &arguments);
Rule scaleByRss(const CallArguments &arguments);
Rule scaleByAdadelta(const CallArguments &arguments);
Rule scaleByBelief(const CallArguments &arguments);
Rule scaleByYogi(const CallArguments &arguments);
Rule scaleByRadam(const CallArguments &arguments);
Rule scaleByNovograd(const CallArguments &arguments);
Rule scaleByFactoredRms(const CallArguments &arguments);
Rule traceOf(double decay, bool nesterov);
Rule emaOf(double decay, bool debias);

// Rules that scale, clip and decay (UpdateScaling.cpp).
Rule scaleBy(double factor);
Rule scaleByRate(Schedule rate, double sign, bool isLearningRate);
Rule clipTo(double most);
Rule clipByGlobalNorm(double most);
Rule clipByBlockRms(double threshold);
Rule adaptiveGradClip(const CallArguments &arguments);
Rule addDecayedWeights(Schedule decay);
Rule centralize();
Rule scaleBySign();
Rule scaleByTrustRatio(double minNorm, double coefficient, double eps);
Rule scaleByParamBlock(double least, bool isRms);

} // namespace zenith::training

#endif // ZENITH_FRONTENDS_TRAINING_OPTIMIZERRULES_H
