// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls the objective's gradient, once or for each part of a batch, and applies
// the optimizer. The gradient is a function without a body that says what it is
// derived from; the clean phase fills it.

#include "frontends/training/BuildStep.h"

#include "frontends/training/Objective.h"
#include "ir/LLVMError.h"
#include "ir/matchers/RowBuilder.h"
#include "ir/matchers/ValueBuilders.h"
#include "passes/precision/LossScale.h"
#include "passes/precision/PrecisionAssignment.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using zenith::graph::ReduceKind;

namespace zenith::training {

namespace {
/// What one batch, or a part of one, gives.
struct BatchResults {
  Value loss;
  SmallVector<Value> running, gradients;
};

/// The state of a scaled loss.
struct ScaleValues {
  precision::ScaleState state;
  Value skipped;
};

class StepProgram {
public:
  StepProgram(ModuleOp module, const Objective &objective,
              const StepOptions &options, ArrayRef<DropoutMask> dropouts)
      : module(module), objective(objective), options(options),
        dropouts(dropouts), builder(module.getContext()),
        b(builder, UnknownLoc::get(module.getContext())) {}

  void build(BuiltStep &step);

private:
  Value addState(const std::string &name, RankedTensorType type);
  void scaleObjective();
  void declareGradient();
  ScaleValues readScale(RuleContext &context);
  Value unscale(RuleContext &context, const ScaleValues &scale,
                BatchResults &batch);
  Value largestOf(ArrayRef<Value> gradients);
  BatchResults callGradient(ValueRange data, Value part);
  BatchResults sumParts(ValueRange data);
  Value partOf(Value batch, Value part);
  SmallVector<Value> dropoutKeys(Value part);
  SmallVector<Value> drawnMasks();
  Value gradientNorm(ArrayRef<Value> gradients);
  void update(RuleContext &context, BatchResults &batch,
              SmallVectorImpl<Value> &next);
  void keepUpdates(Operation *gradients);
  void finish(BuiltStep &step, ValueRange next, RuleContext &context);

  ModuleOp module;
  const Objective &objective;
  const StepOptions &options;
  ArrayRef<DropoutMask> dropouts;
  OpBuilder builder;
  StepBuilder b;
  func::FuncOp function, gradient;
  unsigned stateCount = 0; ///< arguments so far that are state
  SmallVector<Value> parameters, running;
  Value stepKey; ///< of dropout; null without
  Value seed;    ///< cotangent of the loss; null without a scale
  SmallVector<std::pair<std::string, Value>> figures;
  SmallVector<Value> masks;
};
} // namespace

Value StepProgram::addState(const std::string &name, RankedTensorType type) {
  return function.front().insertArgument(stateCount++, type, b.loc);
}

/// The objective gives the scaled loss before its results, and takes the scale
/// as its last argument: the cotangent of the loss itself is then the scale.
void StepProgram::scaleObjective() {
  func::FuncOp of = objective.function;
  Block &body = of.front();
  Operation *end = body.getTerminator();
  Value scale =
      body.addArgument(RankedTensorType::get({}, builder.getF32Type()), b.loc);
  builder.setInsertionPoint(end);
  Value loss = end->getOperand(0);
  SmallVector<Value> results{
      b.mul(loss, b.convert(scale, StepBuilder::elementOf(loss)))};
  results.append(end->operand_begin(), end->operand_end());
  end->setOperands(results);
  of.setFunctionType(
      builder.getFunctionType(body.getArgumentTypes(), end->getOperandTypes()));
}

void StepProgram::declareGradient() {
  func::FuncOp of = objective.function;
  FunctionType type = of.getFunctionType();
  SmallVector<Type> results(type.getResults());
  SmallVector<std::string> wrt;
  for (auto [index, parameter] : llvm::enumerate(options.trained)) {
    results.push_back(parameter.type);
    wrt.push_back(std::to_string(index));
  }
  builder.setInsertionPointToEnd(module.getBody());
  gradient = builder.create<func::FuncOp>(
      b.loc, "objective_grad",
      builder.getFunctionType(type.getInputs(), results));
  gradient.setPrivate();
  gradient->setAttr(
      graph::deriveAttrName,
      builder.getDictionaryAttr(
          {builder.getNamedAttr("rule", builder.getStringAttr("grad")),
           builder.getNamedAttr("of", FlatSymbolRefAttr::get(of)),
           builder.getNamedAttr(
               "options",
               builder.getStringAttr("wrt=" + llvm::join(wrt, ",")))}));
}

/// A key for each dropout, of its number and, where a batch has parts, of the
/// part's.
SmallVector<Value> StepProgram::dropoutKeys(Value part) {
  SmallVector<Value> keys;
  for (size_t i = 0; i < dropouts.size(); ++i) {
    Value number = b.scalar(builder.getI64Type(), double(i));
    if (part)
      number = b.add(b.mul(part, double(dropouts.size())), number);
    keys.push_back(builder.create<graph::FoldInOp>(b.loc, stepKey.getType(),
                                                   stepKey, number));
  }
  return keys;
}

/// Masks of the forward and of the backward part are one value: an argument,
/// which the exporter replaces by a dropout of ones.
SmallVector<Value> StepProgram::drawnMasks() {
  if (masks.empty())
    for (RankedTensorType type : objective.masks)
      masks.push_back(function.front().addArgument(type, b.loc));
  return masks;
}

BatchResults StepProgram::callGradient(ValueRange data, Value part) {
  SmallVector<Value> arguments(parameters);
  arguments.append(running);
  arguments.append(data.begin(), data.end());
  arguments.append(options.drawsMasks ? drawnMasks() : dropoutKeys(part));
  if (seed)
    arguments.push_back(seed);
  auto call = builder.create<func::CallOp>(b.loc, gradient, arguments);
  BatchResults results;
  ValueRange values = call.getResults();
  if (seed)
    values = values.drop_front(); // the scaled loss
  results.loss = values.front();
  ValueRange moved = values.drop_front().drop_back(parameters.size());
  results.running.assign(moved.begin(), moved.end());
  ValueRange gradients = values.take_back(parameters.size());
  results.gradients.assign(gradients.begin(), gradients.end());
  return results;
}

Value StepProgram::partOf(Value batch, Value part) {
  RankedTensorType type = StepBuilder::typeOf(batch);
  SmallVector<int64_t> shape(type.getShape());
  shape[0] /= options.microBatches;
  Value zero = b.scalar(builder.getI64Type(), 0);
  SmallVector<Value> starts(shape.size(), zero);
  starts[0] = b.mul(part, double(shape[0]));
  return builder.create<graph::DynamicSliceOp>(b.loc, type.clone(shape), batch,
                                               starts);
}

/// Gradients of parts are added in the loop that computes them, so that one
/// part's activations are alive at a time.
BatchResults StepProgram::sumParts(ValueRange data) {
  Type lossType = gradient.getResultTypes()[seed ? 1 : 0];
  Value zero = b.scalar(builder.getI64Type(), 0);
  SmallVector<Value> inits{zero, b.filled(cast<RankedTensorType>(lossType), 0)};
  inits.append(running);
  for (const Parameter &parameter : options.trained)
    inits.push_back(b.filled(parameter.type, 0));
  SmallVector<Type> types;
  for (Value init : inits)
    types.push_back(init.getType());
  graph::RowBuilder rows(builder, b.loc);
  SmallVector<Value> outer = running;
  ValueRange end = rows.loop(
      types, inits,
      [&](ValueRange now) {
        return b.compare(graph::CompareDirection::lt, now[0],
                         double(options.microBatches));
      },
      [&](ValueRange now) -> SmallVector<Value> {
        SmallVector<Value> parts;
        for (Value batch : data)
          parts.push_back(partOf(batch, now[0]));
        running.assign(now.begin() + 2, now.begin() + 2 + outer.size());
        BatchResults part = callGradient(parts, now[0]);
        SmallVector<Value> next{b.add(now[0], 1.0), b.add(now[1], part.loss)};
        next.append(part.running);
        for (auto [i, sum] : llvm::enumerate(part.gradients))
          next.push_back(b.add(now[2 + outer.size() + i], sum));
        return next;
      });
  running = outer;
  double share = 1.0 / double(options.microBatches);
  BatchResults results;
  results.loss = b.mul(end[1], share);
  for (size_t i = 0; i < outer.size(); ++i)
    results.running.push_back(end[2 + i]);
  for (size_t i = 0; i < parameters.size(); ++i)
    results.gradients.push_back(b.mul(end[2 + outer.size() + i], share));
  return results;
}

ScaleValues StepProgram::readScale(RuleContext &context) {
  auto scale = RankedTensorType::get({}, builder.getF32Type());
  auto count = RankedTensorType::get({}, builder.getI32Type());
  return {{context.read(lossScaleName, scale, options.scaling->init),
           context.read(goodStepsName, count)},
          context.read(skippedStepsName, count)};
}

/// Takes the scale out of the gradients and says whether they are finite.
Value StepProgram::unscale(RuleContext &context, const ScaleValues &scale,
                           BatchResults &batch) {
  precision::UnscaledGradients unscaled = precision::unscaleGradients(
      builder, b.loc, batch.gradients, scale.state.scale);
  batch.gradients = unscaled.gradients;
  precision::ScaleState next = precision::nextScale(
      builder, b.loc, options.scaling->rule, scale.state, unscaled.finite);
  context.write(lossScaleName, next.scale);
  context.write(goodStepsName, next.goodSteps);
  context.write(skippedStepsName, b.select(unscaled.finite, scale.skipped,
                                           b.add(scale.skipped, 1.0)));
  return unscaled.finite;
}

Value StepProgram::largestOf(ArrayRef<Value> gradients) {
  Value largest;
  for (Value value : gradients) {
    Value most = b.convert(b.reduceAll(ReduceKind::max, b.abs(value)),
                           builder.getF32Type());
    largest = largest ? b.max(largest, most) : most;
  }
  return largest;
}

/// Updates have the digits of the state, whatever the policy says of the model:
/// all that is computed of the gradients keeps its types.
void StepProgram::keepUpdates(Operation *gradients) {
  for (Operation *op = gradients->getNextNode(); op; op = op->getNextNode())
    op->walk([&](Operation *inner) {
      if (graph::familyOf(inner))
        inner->setAttr(graph::highestPrecisionAttrName, builder.getUnitAttr());
    });
}

Value StepProgram::gradientNorm(ArrayRef<Value> gradients) {
  Value sum;
  for (Value value : gradients) {
    Value part = b.sumAll(b.square(value));
    sum = sum ? b.add(sum, b.convert(part, StepBuilder::elementOf(sum))) : part;
  }
  return b.sqrt(sum);
}

void StepProgram::update(RuleContext &context, BatchResults &batch,
                         SmallVectorImpl<Value> &next) {
  Updates updates(batch.gradients.begin(), batch.gradients.end());
  options.rule(context, "opt", updates);
  for (auto [i, change] : llvm::enumerate(updates)) {
    Value value = b.add(parameters[i], change);
    next.push_back(value);
    if (!options.ema)
      continue;
    const TrainedParameter &trained = context.parameters[i];
    std::string name = "ema/" + trained.name;
    Value average = context.readCopy(name, trained);
    context.write(name, b.add(b.mul(average, *options.ema),
                              b.mul(value, 1 - *options.ema)));
  }
  next.append(batch.running);
}

void StepProgram::build(BuiltStep &step) {
  if (options.scaling)
    scaleObjective();
  declareGradient();
  builder.setInsertionPointToEnd(module.getBody());
  function = builder.create<func::FuncOp>(b.loc, "step",
                                          builder.getFunctionType({}, {}));
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  SmallVector<TrainedParameter> trained;
  for (const Parameter &parameter : options.trained) {
    parameters.push_back(addState(parameter.name, parameter.type));
    trained.push_back({parameter.name, parameters.back()});
  }
  for (const Parameter &parameter : options.running)
    running.push_back(addState(parameter.name, parameter.type));
  SmallVector<Value> data;
  auto whole = [&](RankedTensorType type) {
    SmallVector<int64_t> shape(type.getShape());
    shape[0] *= options.microBatches;
    data.push_back(block->addArgument(type.clone(shape), b.loc));
    return type.clone(shape);
  };
  for (RankedTensorType type : objective.dataTypes)
    step.dataTypes.push_back(whole(type));
  for (const LabelType &label : options.labels)
    step.labelTypes.push_back(whole(label.type));
  RuleContext context(b, trained,
                      [&](const std::string &name, RankedTensorType type) {
                        return addState(name, type);
                      });
  if (!dropouts.empty() && !options.drawsMasks) {
    auto keyType = RankedTensorType::get(
        {2}, builder.getIntegerType(32, /*isSigned=*/false));
    Value key = context.read(randomKeyName, keyType);
    Value count = context.read("rng/count",
                               RankedTensorType::get({}, builder.getI64Type()));
    context.write("rng/count", b.add(count, 1.0));
    stepKey = builder.create<graph::FoldInOp>(b.loc, key.getType(), key, count);
  }
  ScaleValues scale;
  if (options.scaling) {
    scale = readScale(context);
    seed = scale.state.scale;
  }
  BatchResults batch =
      options.microBatches > 1 ? sumParts(data) : callGradient(data, Value());
  Operation *gradients = &block->back();
  Value finite;
  if (options.scaling)
    finite = unscale(context, scale, batch);
  SmallVector<Value> next;
  Value norm;
  if (!options.forExport || options.skipsNonFinite)
    norm = gradientNorm(batch.gradients);
  if (options.skipsNonFinite) {
    Value isUsable = b.both(b.isFinite(batch.loss), b.isFinite(norm));
    finite = finite ? b.both(finite, isUsable) : isUsable;
  }
  if (options.measuresGradients)
    figures.emplace_back("largest_gradient", largestOf(batch.gradients));
  if (finite) {
    context.gated(finite, [&] { update(context, batch, next); });
    SmallVector<Value> before(parameters);
    before.append(running);
    for (auto [value, past] : llvm::zip(next, before))
      value = b.select(finite, value, past);
  } else {
    update(context, batch, next);
  }
  if (!options.measuresGradients)
    figures.emplace_back("loss", batch.loss);
  if (!options.measuresGradients && !options.forExport) {
    if (context.learningRate)
      figures.emplace_back("learning_rate", context.learningRate);
    figures.emplace_back("grad_norm", norm);
    if (options.scaling) {
      figures.emplace_back("loss_scale", scale.state.scale);
      figures.emplace_back("skipped", context.next(skippedStepsName));
    }
  }
  if (options.hasPolicy)
    keepUpdates(gradients);
  finish(step, next, context);
}

static StateKind kindOf(StringRef name) {
  return name.starts_with("ema/")     ? StateKind::Average
         : name.starts_with("rng/")   ? StateKind::Random
         : name.starts_with("scale/") ? StateKind::Scale
                                      : StateKind::Optimizer;
}

/// What a policy is to make of arguments and results: parameters are masters;
/// data are rounded if it says so; other state, labels and results keep their
/// digits.
static void markDigits(func::FuncOp function, const BuiltStep &step) {
  UnitAttr mark = UnitAttr::get(function.getContext());
  auto keepArgument = [&](size_t index) {
    function.setArgAttr(index, graph::highestPrecisionAttrName, mark);
  };
  for (auto [i, state] : llvm::enumerate(step.state)) {
    if (state.kind == StateKind::Parameter)
      function.setArgAttr(i, precision::masterAttrName, mark);
    else
      keepArgument(i);
  }
  for (size_t i = 0; i < step.labels.size(); ++i)
    keepArgument(step.state.size() + step.data.size() + i);
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    function.setResultAttr(i, graph::highestPrecisionAttrName, mark);
}

/// The state that every step and validation takes: what the model has.
static void addModelState(BuiltStep &step, const StepOptions &options) {
  auto add = [&](const std::vector<Parameter> &parameters, StateKind kind) {
    for (const Parameter &parameter : parameters)
      step.state.push_back(
          {{parameter.name, parameter.type, 0, parameter.name, {}, {}}, kind});
  };
  add(options.trained, StateKind::Parameter);
  add(options.running, StateKind::Running);
}

void StepProgram::finish(BuiltStep &step, ValueRange next,
                         RuleContext &context) {
  addModelState(step, options);
  SmallVector<Value> results;
  for (const auto &[name, value] : figures) {
    results.push_back(value);
    step.figures.push_back(name);
    step.figureTypes.push_back(StepBuilder::typeOf(value));
  }
  results.append(next.begin(), next.end());
  for (const StateEntry &entry : context.entries()) {
    results.push_back(entry.next);
    step.state.push_back({entry, kindOf(entry.name)});
    step.state.back().entry.current = step.state.back().entry.next = {};
  }
  builder.create<func::ReturnOp>(b.loc, results);
  SmallVector<Type> types;
  for (Value result : results)
    types.push_back(result.getType());
  function.setFunctionType(
      builder.getFunctionType(function.front().getArgumentTypes(), types));
  step.data = objective.data;
  for (const LabelType &label : options.labels)
    step.labels.push_back(label.key);
  step.classes = objective.classes;
  if (options.drawsMasks)
    for (const DropoutMask &mask : dropouts)
      step.maskRates.push_back(mask.rate);
  std::vector<std::string> arguments, outputs = step.figures;
  for (const StepState &state : step.state) {
    arguments.push_back(state.entry.name);
    outputs.push_back(state.entry.name + "_next");
  }
  arguments.insert(arguments.end(), step.data.begin(), step.data.end());
  for (const std::string &label : step.labels)
    arguments.push_back("label/" + label);
  for (auto [i, name] : llvm::enumerate(arguments)) {
    function.setArgAttr(i, graph::nameAttrName, builder.getStringAttr(name));
    if (i < step.state.size())
      function.setArgAttr(i, "graph.donated", builder.getUnitAttr());
  }
  for (auto [i, name] : llvm::enumerate(outputs))
    function.setResultAttr(i, graph::nameAttrName, builder.getStringAttr(name));
  if (options.hasPolicy)
    markDigits(function, step);
}

llvm::Expected<BuiltStep> buildStep(TrainedModel model,
                                    const StepOptions &options) {
  if (options.trained.empty())
    return makeError(ErrorCode::Usage,
                     "the model has no parameter of floats to train");
  llvm::Expected<Objective> objective = makeObjective(model, options);
  if (!objective)
    return objective.takeError();
  BuiltStep step;
  step.entry = "step";
  step.folder = model.loaded.folder;
  StepProgram(*model.loaded.module, *objective, options, model.form.dropouts)
      .build(step);
  step.module = std::move(model.loaded.module);
  return step;
}

llvm::Expected<BuiltStep> buildValidation(TrainedModel model,
                                          const StepOptions &options) {
  llvm::Expected<Objective> objective = makeObjective(model, options);
  if (!objective)
    return objective.takeError();
  BuiltStep step;
  step.entry = "validate";
  step.folder = model.loaded.folder;
  func::FuncOp function = objective->function;
  function.setName(step.entry);
  function.setPublic();
  addModelState(step, options);
  step.data = objective->data;
  step.dataTypes = objective->dataTypes;
  for (const LabelType &label : options.labels) {
    step.labels.push_back(label.key);
    step.labelTypes.push_back(label.type);
  }
  step.figures = {"loss"};
  step.figureTypes = {
      cast<RankedTensorType>(function.getResultTypes().front())};
  step.classes = objective->classes;
  if (options.hasPolicy)
    markDigits(function, step);
  step.module = std::move(model.loaded.module);
  return step;
}

} // namespace zenith::training
