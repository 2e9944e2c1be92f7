// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which parameters are trained, and where their first values come from:
// --init, else --params, else the model.

#include "frontends/training/TrainingSetup.h"

#include "frontends/files/ElementNames.h"
#include "frontends/files/JSONText.h"
#include "frontends/models/Diagnostics.h"
#include "frontends/models/ParamFiles.h"
#include "frontends/tensors/Safetensors.h"
#include "frontends/training/Objective.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <set>

using namespace mlir;

namespace zenith::training {

static std::vector<std::string> listOf(const std::string &text) {
  std::vector<std::string> items;
  // Commas inside of braces belong to a glob.
  int depth = 0;
  std::string item;
  for (char c : text) {
    depth += (c == '{') - (c == '}');
    if (c == ',' && depth == 0) {
      items.push_back(std::move(item));
      item.clear();
    } else {
      item += c;
    }
  }
  if (!item.empty())
    items.push_back(std::move(item));
  return items;
}

llvm::Error TrainingTexts::readPrecision(const std::string &policyText,
                                         const TrainOptions &options,
                                         MLIRContext *context) {
  bool computesInF16 = false;
  if (!policyText.empty()) {
    auto read = precision::parsePolicy(policyText, context);
    if (!read)
      return makeError(std::move(read.error()));
    computesInF16 = read->compute == precision::FloatWord::F16;
    policy = std::move(*read);
  }
  Result<LossScaling> scale =
      LossScaling::read(options.lossScale, computesInF16);
  if (!scale)
    return makeError(std::move(scale.error()));
  scaling = *scale;
  return llvm::Error::success();
}

llvm::Expected<TrainingTexts> TrainingTexts::read(const TrainOptions &options,
                                                  MLIRContext *context) {
  TrainingTexts texts;
  Result<Loss> loss = Loss::read(options.loss);
  if (!loss)
    return makeError(std::move(loss.error()));
  texts.loss = std::move(*loss);
  Result<Rule> rule = readOptimizer(options.optimizer);
  if (!rule)
    return makeError(std::move(rule.error()));
  texts.rule = std::move(*rule);
  for (const std::string &text : options.inits) {
    Result<Initializer> init = Initializer::read(text);
    if (!init)
      return makeError(std::move(init.error()));
    texts.inits.push_back(std::move(*init));
  }
  texts.freeze = listOf(options.freeze);
  texts.trainable = listOf(options.trainable);
  for (const std::string &glob : texts.freeze)
    if (Status status = checkGlob(glob, "--freeze"); !status)
      return makeError(std::move(status.error()));
  if (llvm::Error error =
          texts.readPrecision(options.compile.mixedPrecision, options, context))
    return std::move(error);
  return texts;
}

void TrainingTexts::describe(const TrainOptions &options, StepOptions &step,
                             MLIRContext *context) const {
  step.loss = &loss;
  step.rule = rule;
  step.microBatches = options.microBatches;
  step.ema = options.ema;
  step.skipsNonFinite = options.onNaN == NonFinite::Skip;
  if (scaling.kind != LossScaling::Kind::Off)
    step.scaling = scaling;
  step.hasPolicy = bool(policy);
  if (policy && policy->output != precision::FloatWord::F32)
    step.outputAs = precision::elementTypeOf(policy->output, context);
}

//===----------------------------------------------------------------------===//
// First values
//===----------------------------------------------------------------------===//

/// Files that first values come from.
class ValueSources {
public:
  ValueSources(models::ParamFiles files,
               std::optional<tensors::Safetensors> given)
      : files(std::move(files)), given(std::move(given)) {}

  /// Names of the model by names of the file.
  std::map<std::string, std::string> renamed;

  models::ParamFiles files;
  std::optional<tensors::Safetensors> given;
};

/// The name that a row of --params-map gives `name`; nothing where the row is
/// of others. `*` in the pattern stands for any text, and so for `*` in `to`.
static std::optional<std::string> renameBy(StringRef from, StringRef to,
                                           StringRef name) {
  auto [before, after] = from.split('*');
  if (from == before)
    return name == from ? std::optional(to.str()) : std::nullopt;
  if (name.size() < before.size() + after.size() || !name.starts_with(before) ||
      !name.ends_with(after))
    return std::nullopt;
  StringRef middle = name.drop_front(before.size()).drop_back(after.size());
  auto [head, tail] = to.split('*');
  return to == head ? to.str() : (head + middle + tail).str();
}

static llvm::Expected<std::map<std::string, std::string>>
readNames(const std::string &path, const tensors::Safetensors &file) {
  std::map<std::string, std::string> names;
  for (const auto &[name, value] : file.tensors())
    names[name] = name;
  if (path.empty())
    return names;
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return makeError(ErrorCode::Invalid,
                     "cannot open: " + buffer.getError().message(), path);
  auto parsed = files::parseJSON((*buffer)->getBuffer());
  if (!parsed || !parsed->getAsObject())
    return makeError(ErrorCode::Invalid,
                     parsed ? "is no object of JSON"
                            : llvm::toString(parsed.takeError()),
                     path);
  for (auto &[name, to] : names)
    for (const auto &[from, target] : *parsed->getAsObject())
      if (auto text = target.getAsString())
        if (auto renamed = renameBy(from, *text, name))
          to = *renamed;
  return names;
}

static llvm::Expected<ValueSources> openSources(const TrainOptions &options,
                                                const std::string &folder,
                                                MLIRContext *context) {
  auto files = models::ParamFiles::open(folder, "", context);
  if (!files)
    return files.takeError();
  std::optional<tensors::Safetensors> given;
  if (!options.params.empty()) {
    auto opened = tensors::Safetensors::open(options.params, context);
    if (!opened)
      return opened.takeError();
    given = std::move(*opened);
  }
  ValueSources sources(std::move(*files), std::move(given));
  if (sources.given) {
    auto names = readNames(options.paramsMap, *sources.given);
    if (!names)
      return names.takeError();
    for (const auto &[from, to] : *names)
      sources.renamed[to] = from;
  }
  return sources;
}

llvm::Error TrainingSetup::readValue(const Parameter &parameter,
                                     ValueSources &sources, int64_t number) {
  for (const Initializer &init : llvm::reverse(texts.inits)) {
    if (!matchesGlob(init.glob, parameter.name))
      continue;
    llvm::Expected<Tensor> value =
        init.make(parameter.type, parameter.fans, options.seed, number);
    if (!value)
      return value.takeError();
    values[parameter.name] = std::move(*value);
    return llvm::Error::success();
  }
  auto from = sources.renamed.find(parameter.name);
  if (from != sources.renamed.end()) {
    const Tensor &value = *sources.given->find(from->second);
    if (value.type() != parameter.type)
      return makeError(ErrorCode::Invalid,
                       "parameter '" + parameter.name + "' is " +
                           files::typeText(parameter.type) + ", the file has " +
                           files::typeText(value.type()),
                       options.params);
    values[parameter.name] = value;
    return llvm::Error::success();
  }
  if (auto elements = dyn_cast_or_null<ElementsAttr>(parameter.source)) {
    values[parameter.name] = Tensor::fromElements(elements);
    return llvm::Error::success();
  }
  llvm::Expected<Tensor> value =
      sources.files.load(parameter.name, parameter.type, parameter.source);
  if (!value)
    return value.takeError();
  if (!*value)
    return makeError(ErrorCode::Usage,
                     "parameter '" + parameter.name +
                         "' has no first value: --params or --init gives one");
  values[parameter.name] = std::move(*value);
  return llvm::Error::success();
}

llvm::Error TrainingSetup::readValues(const TrainedModel &model) {
  auto sources = openSources(options, model.loaded.folder, context);
  if (!sources)
    return sources.takeError();
  sources->files.expect(*model.loaded.module, options.verifyFiles);
  auto parameters = parametersOf(model, texts.trainable);
  if (!parameters)
    return parameters.takeError();
  std::vector<std::string> names;
  for (auto [number, parameter] : llvm::enumerate(*parameters)) {
    names.push_back(parameter.name);
    if (llvm::Error error = readValue(parameter, *sources, int64_t(number)))
      return error;
  }
  for (const Initializer &init : texts.inits)
    if (llvm::none_of(names, [&](const std::string &name) {
          return matchesGlob(init.glob, name);
        }))
      return makeError(ErrorCode::Usage, "--init: no parameter matches '" +
                                             init.glob + "' (there are " +
                                             llvm::join(names, ", ") + ")");
  std::vector<std::string> unused, missing;
  for (const auto &[to, from] : sources->renamed)
    if (!llvm::is_contained(names, to))
      unused.push_back(from);
  if (sources->given && !options.paramsMap.empty())
    for (const std::string &name : names)
      if (!sources->renamed.count(name))
        missing.push_back(name);
  if (!unused.empty())
    diagnostics.warning("the model has no parameter '" +
                            llvm::join(unused, "', '") + "'",
                        options.params);
  if (!missing.empty())
    diagnostics.warning("the file has no value of '" +
                            llvm::join(missing, "', '") + "'",
                        options.params);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

llvm::Error TrainingSetup::chooseParameters(const TrainedModel &model) {
  auto parameters = parametersOf(model, texts.trainable);
  if (!parameters)
    return parameters.takeError();
  std::set<std::string> moved, used;
  for (const RunningValue &value : model.form.running)
    moved.insert(value.name);
  std::vector<std::string> names;
  for (Parameter &parameter : *parameters) {
    names.push_back(parameter.name);
    bool isFrozen = false;
    for (const std::string &glob : texts.freeze)
      if (matchesGlob(glob, parameter.name)) {
        isFrozen = true;
        used.insert(glob);
      }
    if (llvm::is_contained(model.runningNames, parameter.name))
      (moved.count(parameter.name) ? running : kept)
          .push_back(std::move(parameter));
    else if (isFrozen || isAdditiveMask(values[parameter.name]))
      kept.push_back(std::move(parameter));
    else
      trained.push_back(std::move(parameter));
  }
  // Results of the model that move running values, in its order.
  std::vector<Parameter> ordered;
  for (const RunningValue &value : model.form.running)
    for (Parameter &parameter : running)
      if (parameter.name == value.name)
        ordered.push_back(std::move(parameter));
  running = std::move(ordered);
  for (const std::string &glob : texts.freeze)
    if (!used.count(glob))
      return makeError(ErrorCode::Usage, "--freeze: no parameter matches '" +
                                             glob + "' (there are " +
                                             llvm::join(names, ", ") + ")");
  return llvm::Error::success();
}

llvm::Expected<TrainedModel> TrainingSetup::load(int64_t rows, bool trains) {
  FormOptions form;
  form.trains = trains && !options.frozenNorm;
  form.load.dims = options.dims;
  for (const auto &[key, array] : example->data) {
    std::vector<int64_t> sizes(array.shape().begin(), array.shape().end());
    sizes[0] = rows;
    form.inputs[key] = std::move(sizes);
  }
  for (const auto &[key, array] : example->labels)
    form.outputs.push_back(key);
  return loadTrained(options.model, context, form, diagnostics);
}

/// graph.precision of a model, where no option says another policy.
llvm::Error TrainingSetup::takeOwnPolicy(const TrainedModel &model) {
  auto own = (*model.loaded.module)
                 ->getAttrOfType<StringAttr>(graph::precisionAttrName);
  if (!own || !options.compile.mixedPrecision.empty())
    return llvm::Error::success();
  return texts.readPrecision(own.str(), options, context);
}

void TrainingSetup::setFirstScale(double scale) {
  texts.scaling.init = scale;
  texts.scaling.rule.minScale = std::min(texts.scaling.rule.minScale, scale);
}

llvm::Error TrainingSetup::prepare(const Dataset &given) {
  example = &given;
  auto read = TrainingTexts::read(options, context);
  if (!read)
    return read.takeError();
  texts = std::move(*read);
  if (options.batchSize % options.microBatches)
    return makeError(ErrorCode::Usage,
                     "--micro-batches=" + std::to_string(options.microBatches) +
                         " does not divide --batch-size=" +
                         std::to_string(options.batchSize));
  if (options.microBatches > 1 && texts.loss.ignored())
    return makeError(ErrorCode::Unsupported,
                     "--micro-batches with ignore_index: parts of a batch "
                     "count for different numbers of labels");
  auto model = load(options.batchSize / options.microBatches, /*trains=*/true);
  if (!model)
    return model.takeError();
  if (llvm::Error error = takeOwnPolicy(*model))
    return error;
  if (llvm::Error error = readValues(*model))
    return error;
  return chooseParameters(*model);
}

StepOptions TrainingSetup::stepOptions(int64_t rows) const {
  StepOptions step;
  texts.describe(options, step, context);
  step.trained = trained;
  step.running = running;
  for (const auto &[key, array] : example->labels) {
    SmallVector<int64_t> shape(array.shape());
    shape[0] = rows;
    step.labels.push_back({key, array.type().clone(shape)});
  }
  return step;
}

/// Inputs of examples have the types of the model's.
static llvm::Error checkTypes(const BuiltStep &step, const Dataset &example) {
  for (auto [key, type] : llvm::zip(step.data, step.dataTypes)) {
    auto found = example.data.find(key);
    if (found == example.data.end())
      return makeError(ErrorCode::Usage,
                       "input '" + key + "' needs --data " + key + "=FILE.npy");
    SmallVector<int64_t> shape(found->second.shape());
    shape[0] = type.getDimSize(0);
    auto got = found->second.type().clone(shape);
    if (got != type)
      return makeError(ErrorCode::Invalid, "--data " + key + ": a batch is " +
                                               files::typeText(got) +
                                               ", input '" + key + "' is " +
                                               files::typeText(type));
  }
  for (const auto &[key, array] : example.data)
    if (!llvm::is_contained(step.data, key))
      return makeError(ErrorCode::Usage,
                       "--data: the model has no input '" + key + "'");
  return llvm::Error::success();
}

llvm::Expected<BuiltStep> TrainingSetup::build(const StepOptions &settings,
                                               int64_t rows) {
  auto model = load(rows, /*trains=*/true);
  if (!model)
    return model.takeError();
  if (settings.drawsMasks && !model->form.dropouts.empty())
    diagnostics.warning("dropout keys need opset 18: the exported step draws "
                        "masks of its own",
                        options.exportStep);
  auto step = training::buildStep(std::move(*model), settings);
  if (!step)
    return step.takeError();
  if (llvm::Error error = checkTypes(*step, *example))
    return std::move(error);
  return step;
}

llvm::Expected<BuiltStep> TrainingSetup::buildStep() {
  int64_t rows = options.batchSize / options.microBatches;
  return build(stepOptions(rows), rows);
}

llvm::Expected<BuiltStep> TrainingSetup::buildGradientProbe() {
  int64_t rows = options.batchSize / options.microBatches;
  StepOptions settings = stepOptions(rows);
  settings.scaling->init = 1;
  settings.measuresGradients = true;
  return build(settings, rows);
}

llvm::Expected<BuiltStep> TrainingSetup::buildExportedStep(int64_t opset) {
  int64_t rows = options.batchSize / options.microBatches;
  StepOptions settings = stepOptions(rows);
  settings.forExport = true;
  constexpr int64_t sinceBitwiseOps = 18;
  settings.drawsMasks = opset < sinceBitwiseOps;
  return build(settings, rows);
}

llvm::Expected<BuiltStep> TrainingSetup::buildValidation(int64_t rows) {
  auto model = load(rows, /*trains=*/false);
  if (!model)
    return model.takeError();
  StepOptions settings = stepOptions(rows);
  settings.microBatches = 1;
  return training::buildValidation(std::move(*model), settings);
}

Tensor filledTensor(const StateEntry &entry) {
  if (entry.fill == 0)
    return Tensor(entry.type);
  return Tensor::fromElements(DenseElementsAttr::get(
      entry.type,
      FloatAttr::get(entry.type.getElementType(), entry.fill).getValue()));
}

llvm::Expected<std::vector<Tensor>>
TrainingSetup::firstValues(const BuiltStep &step) const {
  std::vector<Tensor> first;
  for (const StepState &state : step.state) {
    const StateEntry &entry = state.entry;
    if (!entry.copyOf.empty()) {
      first.push_back(values.at(entry.copyOf));
      continue;
    }
    if (entry.name == randomKeyName) {
      auto key = foldedKey(context, options.seed, dropoutKeyNumber);
      if (!key)
        return key.takeError();
      first.push_back(std::move(*key));
      continue;
    }
    first.push_back(filledTensor(entry));
  }
  return first;
}

std::map<std::string, Tensor> TrainingSetup::frozen() const {
  std::map<std::string, Tensor> result;
  for (const Parameter &parameter : kept)
    result[parameter.name] = values.at(parameter.name);
  return result;
}

llvm::Error TrainingSetup::checkLabels(const BuiltStep &step,
                                       const Dataset &set) const {
  for (auto [key, classes] : llvm::zip(step.labels, step.classes))
    if (classes > 0)
      if (Status status =
              texts.loss.checkClasses(set.labels.at(key), classes, key);
          !status)
        return makeError(std::move(status.error()));
  return llvm::Error::success();
}

} // namespace zenith::training
