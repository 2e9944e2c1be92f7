// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters become arguments, outputs and labels a loss, scalar inputs that
// stand for masks become dropouts.

#include "frontends/training/Objective.h"

#include "frontends/models/EntrySignature.h"
#include "frontends/models/Suggestion.h"
#include "ir/LLVMError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace zenith::training {

/// The dimensions of a convolution's kernel, where the parameter is one.
static FanDims fansOf(ArrayRef<Value> values) {
  for (Value value : values)
    for (Operation *user : value.getUsers())
      if (auto convolution = dyn_cast<graph::ConvolutionOp>(user))
        if (convolution.getKernel() == value)
          return {convolution.getDims().getKernelInput(),
                  convolution.getDims().getKernelOutput()};
  return {};
}

static llvm::StringMap<SmallVector<Value>> readsOf(ModuleOp module) {
  llvm::StringMap<SmallVector<Value>> reads;
  module.walk([&](graph::GetParamOp get) {
    reads[get.getParam()].push_back(get.getResult());
  });
  return reads;
}

llvm::Expected<std::vector<Parameter>>
parametersOf(const TrainedModel &model, ArrayRef<std::string> trainable) {
  ModuleOp module = *model.loaded.module;
  std::vector<Parameter> parameters;
  auto reads = readsOf(module);
  for (auto param : module.getOps<graph::ParamOp>()) {
    auto type = cast<RankedTensorType>(param.getType());
    if (isa<FloatType>(type.getElementType()))
      parameters.push_back({param.getSymName().str(), type,
                            param.getSourceAttr(),
                            fansOf(reads.lookup(param.getSymName())), false});
  }
  if (trainable.empty())
    return parameters;
  auto function = models::findFunction(module, "");
  if (!function)
    return function.takeError();
  std::vector<models::ArgumentInfo> arguments = models::argumentsOf(*function);
  std::vector<std::string> names;
  for (const models::ArgumentInfo &argument : arguments)
    names.push_back(argument.name);
  for (const std::string &name : trainable) {
    auto found = llvm::find(names, name);
    if (found == names.end())
      return makeError(ErrorCode::Usage,
                       "--trainable: the model has no input '" + name + "'" +
                           models::suggestion(name, names));
    RankedTensorType type = arguments[found - names.begin()].type;
    if (!isa<FloatType>(type.getElementType()) || !type.hasStaticShape())
      return makeError(ErrorCode::Usage, "--trainable: input '" + name +
                                             "' is no static tensor of floats");
    parameters.push_back({name, type, {}, {}, true});
  }
  return parameters;
}

namespace {
class ObjectiveBuilder {
public:
  ObjectiveBuilder(TrainedModel &model, const StepOptions &options,
                   func::FuncOp function)
      : model(model), options(options), function(function),
        body(function.front()), builder(function.getContext()),
        b(builder, function.getLoc()) {}

  llvm::Expected<Objective> make();

private:
  llvm::Error collectNames();
  Value bindParameter(const Parameter &parameter);
  llvm::Error bindDropouts();
  llvm::Expected<Value> buildLoss();
  Value outputNamed(StringRef name) const;
  std::string outputNames() const;

  TrainedModel &model;
  const StepOptions &options;
  func::FuncOp function;
  Block &body;
  OpBuilder builder;
  StepBuilder b;
  llvm::StringMap<Value> arguments; ///< of the model, by name
  std::vector<std::string> names;   ///< of these, in order
  std::vector<models::ResultInfo> outputs;
  SmallVector<Value> results; ///< of the model
  Objective objective;
};
} // namespace

llvm::Error ObjectiveBuilder::collectNames() {
  for (auto [info, argument] :
       llvm::zip(models::argumentsOf(function), body.getArguments())) {
    arguments[info.name] = argument;
    names.push_back(info.name);
  }
  outputs = models::resultsOf(function);
  results.assign(body.getTerminator()->getOperands().begin(),
                 body.getTerminator()->getOperands().end());
  for (BlockArgument argument : body.getArguments())
    if (!cast<RankedTensorType>(argument.getType()).hasStaticShape())
      return makeError(ErrorCode::Usage,
                       "an input has dimensions of unknown size, --dim gives "
                       "them: NAME=N");
  return llvm::Error::success();
}

/// A new argument at the end in the place of the parameter.
Value ObjectiveBuilder::bindParameter(const Parameter &parameter) {
  Value value = body.addArgument(parameter.type, function.getLoc());
  if (parameter.isArgument) {
    arguments[parameter.name].replaceAllUsesWith(value);
    return value;
  }
  SmallVector<graph::GetParamOp> reads;
  model.loaded.module->walk([&](graph::GetParamOp get) {
    if (get.getParam() == parameter.name)
      reads.push_back(get);
  });
  for (graph::GetParamOp get : reads) {
    get.replaceAllUsesWith(value);
    get.erase();
  }
  if (auto param =
          model.loaded.module->lookupSymbol<graph::ParamOp>(parameter.name))
    param.erase();
  return value;
}

/// x * (the scalar of a mask) becomes a dropout of x.
llvm::Error ObjectiveBuilder::bindDropouts() {
  auto keyType = RankedTensorType::get(
      {2}, builder.getIntegerType(32, /*isSigned=*/false));
  for (const DropoutMask &mask : model.form.dropouts) {
    Value key;
    if (!options.drawsMasks)
      key = body.addArgument(keyType, function.getLoc());
    Value scalar = arguments[mask.input];
    SmallVector<Value> forms{scalar};
    for (Operation *user : scalar.getUsers())
      if (isa<graph::BroadcastOp, graph::ReshapeOp, graph::ExpandOp>(user))
        forms.push_back(user->getResult(0));
    for (Value form : forms)
      for (Operation *user : llvm::make_early_inc_range(form.getUsers())) {
        auto product = dyn_cast<graph::MulOp>(user);
        if (!product)
          continue;
        Value x =
            product.getLhs() == form ? product.getRhs() : product.getLhs();
        builder.setInsertionPoint(product);
        Value dropped;
        if (options.drawsMasks) {
          objective.masks.push_back(StepBuilder::typeOf(x));
          dropped = b.mul(x, body.addArgument(x.getType(), function.getLoc()));
        } else {
          dropped = builder.create<graph::DropoutOp>(
              product.getLoc(), x.getType(), x, key, llvm::APFloat(mask.rate));
        }
        product.replaceAllUsesWith(dropped);
        product.erase();
      }
    for (Value form : llvm::reverse(forms))
      if (form != scalar && form.use_empty())
        form.getDefiningOp()->erase();
    if (!scalar.use_empty())
      return makeError(ErrorCode::Unsupported,
                       "Dropout of this form in training; --frozen-norm "
                       "trains without");
  }
  return llvm::Error::success();
}

Value ObjectiveBuilder::outputNamed(StringRef name) const {
  for (auto [info, value] : llvm::zip(outputs, results))
    if (info.name == name)
      return value;
  return {};
}

std::string ObjectiveBuilder::outputNames() const {
  std::vector<std::string> names;
  size_t count = outputs.size() - model.form.running.size();
  for (const models::ResultInfo &info : ArrayRef(outputs).take_front(count))
    names.push_back(info.name);
  return llvm::join(names, ", ");
}

llvm::Expected<Value> ObjectiveBuilder::buildLoss() {
  const Loss &loss = *options.loss;
  if (!loss.output().empty()) {
    Value value = outputNamed(loss.output());
    if (!value || StepBuilder::typeOf(value).getNumElements() != 1 ||
        !isa<FloatType>(StepBuilder::elementOf(value)))
      return makeError(ErrorCode::Usage,
                       "--loss: the model has no scalar result of floats '" +
                           loss.output() + "' (it has " + outputNames() + ")");
    value = b.reshape(value, {});
    if (!StepBuilder::elementOf(value).isF64())
      value = b.convert(value, builder.getF32Type());
    return value;
  }
  Value sum;
  for (const LabelType &label : options.labels) {
    Value prediction = outputNamed(label.key);
    if (!prediction)
      return makeError(ErrorCode::Usage, "--labels: the model has no output '" +
                                             label.key + "' (it has " +
                                             outputNames() + ")");
    RankedTensorType type = StepBuilder::typeOf(prediction);
    if (!type.hasStaticShape())
      return makeError(ErrorCode::Unsupported,
                       "output '" + label.key +
                           "' has a size that depends on data");
    if (Status status = loss.check(type, label.type, label.key); !status)
      return makeError(std::move(status.error()));
    objective.classes.push_back(
        loss.hasClasses() && !isa<FloatType>(label.type.getElementType())
            ? type.getShape().back()
            : 0);
    if (options.outputAs && type.getElementType().isF32())
      prediction = b.convert(b.convert(prediction, options.outputAs),
                             type.getElementType());
    Value argument = body.addArgument(label.type, function.getLoc());
    Value part = loss.build(b, prediction, argument);
    sum = sum ? b.add(sum, b.convert(part, StepBuilder::elementOf(sum))) : part;
  }
  if (!sum)
    return makeError(ErrorCode::Usage,
                     "--labels KEY=FILE.npy is needed; outputs are " +
                         outputNames());
  return sum;
}

llvm::Expected<Objective> ObjectiveBuilder::make() {
  if (llvm::Error error = collectNames())
    return std::move(error);
  unsigned count = body.getNumArguments();
  for (const Parameter &parameter : options.trained)
    bindParameter(parameter);
  for (const Parameter &parameter : options.running)
    bindParameter(parameter);
  // Data comes after parameters; what became something else goes.
  auto isData = [&](StringRef name) {
    auto isNamed = [&](const Parameter &p) {
      return p.isArgument && p.name == name;
    };
    return llvm::none_of(options.trained, isNamed) &&
           llvm::none_of(model.form.dropouts, [&](const DropoutMask &mask) {
             return mask.input == name;
           });
  };
  for (unsigned i = 0; i < count; ++i) {
    if (!isData(names[i]))
      continue;
    auto type = cast<RankedTensorType>(body.getArgument(i).getType());
    Value value = body.addArgument(type, body.getArgument(i).getLoc());
    body.getArgument(i).replaceAllUsesWith(value);
    objective.data.push_back(names[i]);
    objective.dataTypes.push_back(type);
  }
  builder.setInsertionPoint(body.getTerminator());
  llvm::Expected<Value> loss = buildLoss();
  if (!loss)
    return loss.takeError();
  if (llvm::Error error = bindDropouts())
    return std::move(error);
  SmallVector<Value> all{*loss};
  for (const RunningValue &running : model.form.running)
    all.push_back(outputNamed(running.result));
  body.eraseArguments(0, count);
  body.getTerminator()->setOperands(all);
  SmallVector<Type> types;
  for (Value value : all)
    types.push_back(value.getType());
  function.removeArgAttrsAttr();
  function.removeResAttrsAttr();
  function.setFunctionType(
      builder.getFunctionType(body.getArgumentTypes(), types));
  function.setName("objective");
  function.setPrivate();
  objective.function = function;
  return std::move(objective);
}

llvm::Expected<Objective> makeObjective(TrainedModel &model,
                                        const StepOptions &options) {
  auto function = models::findFunction(*model.loaded.module, "");
  if (!function)
    return function.takeError();
  return ObjectiveBuilder(model, options, *function).make();
}

bool isAdditiveMask(const Tensor &value) {
  constexpr double leastMasked = -1e4; // exp of it is zero in every type
  bool masks = false;
  auto check = [&](double element) {
    masks |= element <= leastMasked;
    return element == 0 || element <= leastMasked;
  };
  if (value.elementType().isF32()) {
    auto *elements = reinterpret_cast<const float *>(value.bytes());
    return std::all_of(elements, elements + value.size(), check) && masks;
  }
  if (value.elementType().isF64()) {
    auto *elements = reinterpret_cast<const double *>(value.bytes());
    return std::all_of(elements, elements + value.size(), check) && masks;
  }
  return false;
}

} // namespace zenith::training
