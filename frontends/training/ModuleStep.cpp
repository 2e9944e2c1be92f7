// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters become arguments of the step, and what @init reads.

#include "frontends/training/ModuleStep.h"

#include "frontends/models/EntrySignature.h"
#include "frontends/models/Suggestion.h"
#include "frontends/training/BuildStep.h"
#include "frontends/training/Objective.h"
#include "frontends/training/TrainingSetup.h"
#include "ir/LLVMError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace zenith::training {

namespace {
class ModuleStepBuilder {
public:
  ModuleStepBuilder(const TrainOptions &options, MLIRContext *context)
      : options(options), context(context) {}

  llvm::Expected<OwningOpRef<ModuleOp>> build(OwningOpRef<ModuleOp> module,
                                              ArrayRef<std::string> labelled);

private:
  llvm::Error chooseParameters(const TrainedModel &model);
  llvm::Error chooseLabels(func::FuncOp function,
                           ArrayRef<std::string> labelled);
  llvm::Error checkInputs(func::FuncOp function) const;
  void addInit(BuiltStep &built);

  const TrainOptions &options;
  MLIRContext *context;
  TrainingTexts texts;
  StepOptions step;
  /// Declarations of what is trained, which the step takes out of the module.
  std::vector<OwningOpRef<graph::ParamOp>> declarations;
};
} // namespace

/// Masks that are added to scores are constants to a training, where they are
/// in the module and so can be told.
static bool isMask(const Parameter &parameter) {
  auto elements = dyn_cast_or_null<ElementsAttr>(parameter.source);
  return elements && isAdditiveMask(Tensor::fromElements(elements));
}

llvm::Error ModuleStepBuilder::chooseParameters(const TrainedModel &model) {
  auto parameters = parametersOf(model, {});
  if (!parameters)
    return parameters.takeError();
  ModuleOp module = *model.loaded.module;
  std::vector<std::string> names;
  for (Parameter &parameter : *parameters) {
    names.push_back(parameter.name);
    bool isFrozen = isMask(parameter) ||
                    llvm::any_of(texts.freeze, [&](const std::string &glob) {
                      return matchesGlob(glob, parameter.name);
                    });
    if (isFrozen)
      continue;
    auto declared = module.lookupSymbol<graph::ParamOp>(parameter.name);
    declarations.emplace_back(cast<graph::ParamOp>(declared->clone()));
    step.trained.push_back(std::move(parameter));
  }
  for (const std::string &glob : texts.freeze)
    if (llvm::none_of(names, [&](const std::string &name) {
          return matchesGlob(glob, name);
        }))
      return makeError(ErrorCode::Usage, "freeze: no parameter matches '" +
                                             glob + "' (there are " +
                                             llvm::join(names, ", ") + ")");
  return llvm::Error::success();
}

llvm::Error ModuleStepBuilder::chooseLabels(func::FuncOp function,
                                            ArrayRef<std::string> labelled) {
  if (!texts.loss.output().empty())
    return llvm::Error::success();
  std::vector<std::string> names;
  for (const models::ResultInfo &result : models::resultsOf(function)) {
    names.push_back(result.name);
    if (!labelled.empty() && !llvm::is_contained(labelled, result.name))
      continue;
    RankedTensorType type = result.type;
    if (texts.loss.hasClasses())
      type = RankedTensorType::get(type.getShape().drop_back(),
                                   IntegerType::get(context, 64));
    step.labels.push_back({result.name, type});
  }
  for (const std::string &name : labelled)
    if (!llvm::is_contained(names, name))
      return makeError(ErrorCode::Usage, "labels: the model has no output '" +
                                             name + "'" +
                                             models::suggestion(name, names));
  return llvm::Error::success();
}

llvm::Error ModuleStepBuilder::checkInputs(func::FuncOp function) const {
  for (const models::ArgumentInfo &input : models::argumentsOf(function)) {
    if (!input.type.hasStaticShape())
      return makeError(ErrorCode::Unsupported,
                       "input '" + input.name +
                           "' has dimensions of unknown size: the sizes are "
                           "given when the model is loaded");
    if (input.type.getRank() == 0)
      return makeError(ErrorCode::Usage, "input '" + input.name +
                                             "' is a scalar, which has no rows "
                                             "to train on");
    int64_t rows = input.type.getDimSize(0) * options.microBatches;
    if (options.batchSize && options.batchSize != rows)
      return makeError(ErrorCode::Usage,
                       "batch_size: got " + std::to_string(options.batchSize) +
                           ", input '" + input.name + "' takes " +
                           std::to_string(rows) + " rows a step");
  }
  for (const models::ResultInfo &result : models::resultsOf(function))
    if (!result.type.hasStaticShape() ||
        (texts.loss.hasClasses() && result.type.getRank() == 0))
      return makeError(ErrorCode::Unsupported,
                       "output '" + result.name +
                           "' has no static shape that a loss can take");
  return llvm::Error::success();
}

void ModuleStepBuilder::addInit(BuiltStep &built) {
  ModuleOp module = *built.module;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  for (OwningOpRef<graph::ParamOp> &declaration : declarations)
    builder.insert(declaration.release());
  builder.setInsertionPointToEnd(module.getBody());
  Location loc = module.getLoc();
  auto function = builder.create<func::FuncOp>(loc, "init",
                                               builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  SmallVector<Value> values;
  SmallVector<Type> types;
  for (const StepState &state : built.state) {
    const StateEntry &entry = state.entry;
    bool isParameter = state.kind == StateKind::Parameter;
    if (isParameter || !entry.copyOf.empty())
      values.push_back(builder.create<graph::GetParamOp>(
          loc, entry.type, isParameter ? entry.name : entry.copyOf));
    else
      values.push_back(builder.create<graph::ConstantOp>(
          loc, entry.type, filledTensor(entry).toElements()));
    types.push_back(entry.type);
  }
  builder.create<func::ReturnOp>(loc, values);
  function.setFunctionType(builder.getFunctionType({}, types));
  for (auto [i, state] : llvm::enumerate(built.state)) {
    function.setResultAttr(i, graph::nameAttrName,
                           builder.getStringAttr(state.entry.name));
    // A policy is of the whole module.
    function.setResultAttr(i, graph::highestPrecisionAttrName,
                           builder.getUnitAttr());
  }
}

llvm::Expected<OwningOpRef<ModuleOp>>
ModuleStepBuilder::build(OwningOpRef<ModuleOp> module,
                         ArrayRef<std::string> labelled) {
  auto read = TrainingTexts::read(options, context);
  if (!read)
    return read.takeError();
  texts = std::move(*read);
  if (texts.scaling.kind == LossScaling::Kind::Auto)
    return makeError(ErrorCode::Unsupported,
                     "loss-scale=auto of a step that is built without data");
  auto function = models::findFunction(*module, "");
  if (!function)
    return function.takeError();
  if (llvm::Error error = checkInputs(*function))
    return std::move(error);
  texts.describe(options, step, context);
  TrainedModel model;
  model.loaded.module = std::move(module);
  if (llvm::Error error = chooseParameters(model))
    return std::move(error);
  if (llvm::Error error = chooseLabels(*function, labelled))
    return std::move(error);
  auto built = buildStep(std::move(model), step);
  if (!built)
    return built.takeError();
  addInit(*built);
  // The step has the policy's name, for whoever compiles it.
  if (!options.compile.mixedPrecision.empty())
    (*built->module)
        ->setAttr(graph::precisionAttrName,
                  StringAttr::get(context, options.compile.mixedPrecision));
  return std::move(built->module);
}

llvm::Expected<OwningOpRef<ModuleOp>>
buildModuleStep(OwningOpRef<ModuleOp> model, const TrainOptions &options,
                ArrayRef<std::string> labelled) {
  MLIRContext *context = model->getContext();
  return ModuleStepBuilder(options, context).build(std::move(model), labelled);
}

} // namespace zenith::training
