// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Edits the nodes of an ONNX model before it is imported, since GraphIR no
// longer has the momentum of running values nor dropouts of inference.

#include "frontends/training/TrainingForm.h"

#include "frontends/models/Diagnostics.h"
#include "frontends/models/EntrySignature.h"
#include "frontends/models/SpecializeDims.h"
#include "frontends/onnx/ImportONNX.h"
#include "frontends/tensors/PbFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"

#include <set>

using namespace mlir;

namespace zenith::training {

static bool isDefaultDomain(const onnx::Node &node) {
  return node.domain.empty() || node.domain == "ai.onnx";
}

static const onnx::Tensor *findInitializer(const onnx::Model &model,
                                           const std::string &name) {
  const auto &all = model.graph.initializers;
  auto found = llvm::find_if(
      all, [&](const onnx::Tensor &tensor) { return tensor.name == name; });
  return found == all.end() ? nullptr : &*found;
}

static bool isBatchNorm(const onnx::Node &node) {
  return node.op == "BatchNormalization" && isDefaultDomain(node) &&
         node.inputs.size() == 5;
}

/// Statistics of the batch normalise; running values become results.
static Status trainBatchNorm(onnx::Model &model, onnx::Node &node,
                             TrainingForm &form) {
  constexpr int64_t sinceOutputs = 7, sinceTrainingMode = 14;
  if (model.opset("") < sinceOutputs)
    return unsupported("BatchNormalization of opset " +
                           std::to_string(model.opset("")) +
                           " has no training form, opset 7 has; "
                           "--frozen-norm trains without",
                       node.location());
  // Older nodes train where they give running values.
  if (model.opset("") >= sinceTrainingMode) {
    llvm::erase_if(node.attributes, [](const onnx::NodeAttribute &attribute) {
      return attribute.name == "training_mode";
    });
    onnx::NodeAttribute mode;
    mode.name = "training_mode";
    mode.kind = onnx::NodeAttribute::Int;
    mode.i = 1;
    node.attributes.push_back(std::move(mode));
  }
  node.outputs.resize(3);
  for (size_t i : {1, 2}) {
    const std::string &name = node.inputs[i + 2];
    if (!findInitializer(model, name))
      return unsupported("running value '" + name + "' is no initializer",
                         node.location());
    bool isShared = llvm::any_of(form.running, [&](const RunningValue &value) {
      return value.name == name;
    });
    if (isShared)
      return unsupported("running value '" + name + "' of two nodes",
                         node.location());
    if (node.outputs[i].empty())
      node.outputs[i] = name + "/next";
    form.running.push_back({name, node.outputs[i]});
    onnx::ValueInfo output;
    output.name = node.outputs[i];
    model.graph.outputs.push_back(std::move(output));
  }
  return noError();
}

/// The rate that a dropout of inference would drop at; nothing where that is
/// not known.
static std::optional<double> dropoutRate(const onnx::Model &model,
                                         const onnx::Node &node) {
  constexpr double usualRate = 0.5; // ONNX's default
  if (const onnx::NodeAttribute *ratio = node.attribute("ratio"))
    return ratio->f;
  if (node.inputs.size() < 2 || node.inputs[1].empty())
    return usualRate;
  const onnx::Tensor *value = findInitializer(model, node.inputs[1]);
  std::optional<onnx::Tensor> constant;
  if (!value)
    for (const onnx::Node &other : model.graph.nodes)
      if (other.op == "Constant" && other.outputs.size() == 1 &&
          other.outputs[0] == node.inputs[1])
        if (const onnx::NodeAttribute *given = other.attribute("value"))
          if (!given->tensors.empty())
            value = &given->tensors[0];
  if (!value)
    return std::nullopt;
  std::string_view bytes = value->data.view();
  if (value->type == onnx::DataType::Float && bytes.size() == sizeof(float)) {
    float rate;
    std::memcpy(&rate, bytes.data(), sizeof(rate));
    return rate;
  }
  if (value->type == onnx::DataType::Double && bytes.size() == sizeof(double)) {
    double rate;
    std::memcpy(&rate, bytes.data(), sizeof(rate));
    return rate;
  }
  return std::nullopt;
}

/// A product with a scalar input, which BuildStep makes a graph.dropout of.
static Status trainDropout(onnx::Model &model, onnx::Node &node,
                           onnx::DataType element, TrainingForm &form) {
  std::optional<double> rate = dropoutRate(model, node);
  if (!rate || !(*rate >= 0 && *rate < 1))
    return unsupported("Dropout whose ratio is no constant in [0, 1)",
                       node.location());
  if (node.outputs.size() > 1 && !node.outputs[1].empty())
    return unsupported("Dropout whose mask is used", node.location());
  std::string input = "dropout/" + std::to_string(form.dropouts.size());
  form.dropouts.push_back({input, *rate});
  onnx::ValueInfo info;
  info.name = input;
  info.type.kind = onnx::ValueType::TensorKind;
  info.type.element = element;
  info.type.hasShape = true;
  model.graph.inputs.push_back(std::move(info));
  node.op = "Mul";
  node.attributes.clear();
  node.inputs = {node.inputs[0], input};
  node.outputs.resize(1);
  return noError();
}

/// The element type of most weights, and so of what dropouts drop.
static onnx::DataType weightType(const onnx::Model &model) {
  for (const onnx::Tensor &tensor : model.graph.initializers)
    if (tensor.type == onnx::DataType::Double ||
        tensor.type == onnx::DataType::Float16 ||
        tensor.type == onnx::DataType::BFloat16)
      if (!tensor.dims.empty())
        return tensor.type;
  return onnx::DataType::Float;
}

static Status toTrainingForm(onnx::Model &model, TrainingForm &form) {
  onnx::DataType element = weightType(model);
  for (onnx::Node &node : model.graph.nodes) {
    Status status = noError();
    if (isBatchNorm(node))
      status = trainBatchNorm(model, node, form);
    else if (node.op == "Dropout" && isDefaultDomain(node))
      status = trainDropout(model, node, element, form);
    if (!status)
      return status;
  }
  return noError();
}

/// Gives inputs the sizes of a batch.
static llvm::Error setSizes(onnx::Model &model, const FormOptions &options) {
  std::set<std::string> known;
  for (onnx::ValueInfo &input : model.graph.inputs) {
    known.insert(input.name);
    auto given = options.inputs.find(input.name);
    if (given == options.inputs.end()) {
      if (findInitializer(model, input.name))
        continue;
      return makeError(ErrorCode::Usage, "input '" + input.name +
                                             "' needs --data " + input.name +
                                             "=FILE.npy");
    }
    const std::vector<int64_t> &sizes = given->second;
    std::vector<onnx::Dim> &dims = input.type.dims;
    if (!input.type.hasShape)
      dims.assign(sizes.size(), {});
    input.type.hasShape = true;
    bool fits = dims.size() == sizes.size();
    for (size_t i = 1; fits && i < dims.size(); ++i)
      fits = !dims[i].value || *dims[i].value == sizes[i];
    if (!fits) {
      std::string expected, got;
      for (const onnx::Dim &dim : dims)
        expected += (expected.empty() ? "" : ", ") +
                    (dim.value ? std::to_string(*dim.value)
                               : (dim.symbol.empty() ? "?" : dim.symbol));
      for (int64_t size : sizes)
        got += (got.empty() ? "" : ", ") + std::to_string(size);
      return makeError(ErrorCode::Invalid, "--data " + input.name +
                                               ": a batch is [" + got +
                                               "], input '" + input.name +
                                               "' is [" + expected + "]");
    }
    for (size_t i = 0; i < dims.size(); ++i)
      dims[i] = onnx::Dim{sizes[i], ""};
  }
  for (const auto &[name, sizes] : options.inputs)
    if (!known.count(name))
      return makeError(ErrorCode::Usage,
                       "--data: the model has no input '" + name + "'");
  // What the model declares was for other sizes.
  for (onnx::ValueInfo &output : model.graph.outputs)
    output.type = {};
  model.graph.values.clear();
  return llvm::Error::success();
}

/// A model that gives classes or probabilities is trained on its logits, which
/// are a value inside.
static void addOutputs(onnx::Model &model, ArrayRef<std::string> names) {
  for (const std::string &name : names) {
    auto isNamed = [&](const onnx::ValueInfo &info) {
      return info.name == name;
    };
    auto makes = [&](const onnx::Node &node) {
      return llvm::is_contained(node.outputs, name);
    };
    if (llvm::any_of(model.graph.outputs, isNamed) ||
        llvm::none_of(model.graph.nodes, makes))
      continue;
    onnx::ValueInfo output;
    output.name = name;
    model.graph.outputs.push_back(std::move(output));
  }
}

static llvm::Expected<TrainedModel>
loadTrainedONNX(const std::string &path, MLIRContext *context,
                const FormOptions &options) {
  Result<onnx::Model> model = onnx::loadModel(path);
  if (!model)
    return makeError(model.error().ofFile(path));
  if (llvm::Error error = setSizes(*model, options))
    return std::move(error);
  addOutputs(*model, options.outputs);
  TrainedModel trained;
  for (const onnx::Node &node : model->graph.nodes)
    if (isBatchNorm(node))
      for (size_t i : {3, 4})
        trained.runningNames.push_back(node.inputs[i]);
  if (options.trains)
    if (Status status = toTrainingForm(*model, trained.form); !status)
      return makeError(status.error().ofFile(path));
  onnx::ImportOptions import;
  import.folder = llvm::sys::path::parent_path(path).str();
  if (import.folder.empty())
    import.folder = ".";
  import.dims = options.load.dims;
  ScopedDiagnosticHandler quiet(context, [](Diagnostic &) {
    return success(); // remarks; errors are values
  });
  auto module = onnx::importONNX(*model, context, import);
  if (!module)
    return makeError(module.error().ofFile(path));
  trained.loaded.module = std::move(*module);
  trained.loaded.folder = import.folder;
  for (const onnx::ValueInfo &input : model->graph.inputs)
    if (!findInitializer(*model, input.name))
      trained.loaded.inputNames.push_back(input.name);
  return trained;
}

/// The sizes of dimensions that examples decide, by name.
static llvm::Expected<std::map<std::string, int64_t>>
sizesOfExamples(func::FuncOp function, const FormOptions &options) {
  std::map<std::string, int64_t> sizes;
  for (const models::ArgumentInfo &input : models::argumentsOf(function)) {
    auto given = options.inputs.find(input.name);
    if (given == options.inputs.end() ||
        given->second.size() != input.dims.size())
      continue;
    for (auto [dim, size] : llvm::zip(input.dims, given->second)) {
      auto name = dim.asSymbol();
      if (!name)
        continue;
      int64_t known = sizes.try_emplace(*name, size).first->second;
      if (known != size)
        return makeError(ErrorCode::Invalid,
                         "--data " + input.name + ": '" + *name + "' is " +
                             std::to_string(size) + ", other inputs have " +
                             std::to_string(known));
    }
  }
  return sizes;
}

llvm::Expected<TrainedModel> loadTrained(const std::string &path,
                                         MLIRContext *context,
                                         const FormOptions &options,
                                         models::Diagnostics &diagnostics) {
  if (models::formatOf(path) == models::ModelFormat::ONNX)
    return loadTrainedONNX(path, context, options);
  auto loaded = models::loadModel(path, context, options.load, diagnostics);
  if (!loaded)
    return loaded.takeError();
  TrainedModel trained;
  trained.loaded = std::move(*loaded);
  auto function = models::findFunction(*trained.loaded.module, "");
  if (!function)
    return function.takeError();
  auto sizes = sizesOfExamples(*function, options);
  if (!sizes)
    return sizes.takeError();
  if (!sizes->empty())
    if (llvm::Error error = models::specializeDims(*trained.loaded.module,
                                                   *sizes, diagnostics, path))
      return std::move(error);
  return trained;
}

llvm::Error writeTrained(const std::string &path, const std::string &output,
                         const std::map<std::string, Tensor> &values) {
  Result<onnx::Model> model = onnx::loadModel(path);
  if (!model)
    return makeError(model.error().ofFile(path));
  uint64_t bytes = 0;
  for (onnx::Tensor &tensor : model->graph.initializers) {
    bytes += tensor.data.length;
    auto found = values.find(tensor.name);
    if (found == values.end())
      continue;
    auto proto = tensors::toTensorProto(found->second, tensor.name);
    if (!proto)
      return proto.takeError();
    if (proto->type != tensor.type || proto->dims != tensor.dims)
      return makeError(ErrorCode::Internal,
                       "initializer '" + tensor.name + "' changed its type");
    tensor = std::move(*proto);
  }
  // A protobuf file ends at 2 GiB.
  constexpr uint64_t mostInside = uint64_t(1) << 30, leastOutside = 1 << 20;
  onnx::SaveOptions save;
  if (bytes > mostInside)
    save.externalBytes = leastOutside;
  Status status = onnx::saveModel(*model, output, save);
  return status ? llvm::Error::success()
                : makeError(status.error().ofFile(output));
}

static std::string digestOf(llvm::StringRef bytes) {
  auto digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(bytes));
  return llvm::toHex(digest, /*LowerCase=*/true);
}

llvm::Expected<std::string> modelDigest(const std::string &path) {
  if (models::formatOf(path) != models::ModelFormat::ONNX) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
      return makeError(ErrorCode::Invalid,
                       "cannot open: " + buffer.getError().message(), path);
    return digestOf((*buffer)->getBuffer());
  }
  Result<onnx::Model> model = onnx::loadModel(path);
  if (!model)
    return makeError(model.error().ofFile(path));
  for (onnx::Tensor &tensor : model->graph.initializers)
    if (tensor.type != onnx::DataType::Int64)
      tensor.data =
          files::ByteRange::fromMemory(std::string(tensor.data.length, '\0'));
  Result<std::string> bytes = onnx::modelBytes(*model);
  if (!bytes)
    return makeError(bytes.error().ofFile(path));
  return digestOf(*bytes);
}

} // namespace zenith::training
