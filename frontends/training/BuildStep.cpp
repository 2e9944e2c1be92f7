// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls the objective's gradient, once or for each part of a batch, and applies
// the optimizer. The gradient is a function without a body that says what it is
// derived from; the clean phase fills it.

#include "frontends/training/BuildStep.h"

#include "frontends/training/Objective.h"
#include "ir/LLVMError.h"
#include "ir/matchers/RowBuilder.h"
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
  void declareGradient();
  BatchResults callGradient(ValueRange data, Value part);
  BatchResults sumParts(ValueRange data);
  Value partOf(Value batch, Value part);
  SmallVector<Value> dropoutKeys(Value part);
  SmallVector<Value> drawnMasks();
  Value gradientNorm(ArrayRef<Value> gradients);
  void update(RuleContext &context, BatchResults &batch,
              SmallVectorImpl<Value> &next);
  void finish(BuiltStep &step, ArrayRef<Value> figures, ValueRange next,
              RuleContext &context);

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
  SmallVector<Value> masks;
};
} // namespace

Value StepProgram::addState(const std::string &name, RankedTensorType type) {
  return function.front().insertArgument(stateCount++, type, b.loc);
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
  auto call = builder.create<func::CallOp>(b.loc, gradient, arguments);
  BatchResults results;
  results.loss = call.getResult(0);
  size_t moved = gradient.getNumResults() - 1 - parameters.size();
  for (size_t i = 0; i < moved; ++i)
    results.running.push_back(call.getResult(1 + i));
  for (size_t i = 0; i < parameters.size(); ++i)
    results.gradients.push_back(call.getResult(1 + moved + i));
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
  Type lossType = gradient.getResultTypes()[0];
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
  BatchResults batch =
      options.microBatches > 1 ? sumParts(data) : callGradient(data, Value());
  SmallVector<Value> figures{batch.loss}, next;
  Value norm;
  if (!options.forExport || options.skipsNonFinite)
    norm = gradientNorm(batch.gradients);
  if (options.skipsNonFinite) {
    Value finite = b.both(b.isFinite(batch.loss), b.isFinite(norm));
    context.gated(finite, [&] { update(context, batch, next); });
    SmallVector<Value> before(parameters);
    before.append(running);
    for (auto [value, past] : llvm::zip(next, before))
      value = b.select(finite, value, past);
  } else {
    update(context, batch, next);
  }
  if (!options.forExport) {
    figures.push_back(norm);
    if (context.learningRate)
      figures.push_back(context.learningRate);
  }
  finish(step, figures, next, context);
}

static StateKind kindOf(StringRef name) {
  return name.starts_with("ema/")   ? StateKind::Average
         : name.starts_with("rng/") ? StateKind::Random
                                    : StateKind::Optimizer;
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

void StepProgram::finish(BuiltStep &step, ArrayRef<Value> figures,
                         ValueRange next, RuleContext &context) {
  addModelState(step, options);
  SmallVector<Value> results(figures);
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
  step.figures = {"loss", "grad_norm", "learning_rate"};
  step.figures.resize(figures.size());
  for (Value figure : figures)
    step.figureTypes.push_back(StepBuilder::typeOf(figure));
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
  step.module = std::move(model.loaded.module);
  return step;
}

} // namespace zenith::training
