// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The networks of the field as ONNX nodes of opset 17: a residual MLP on
// one-hot positions, an encoder of transformer layers, a convolution over
// values.

#include "frontends/training/predictors/PredictorModel.h"

#include "frontends/models/Suggestion.h"
#include "frontends/training/CallArguments.h"

#include <cstring>

namespace zenith::training {

namespace {
/// Appends nodes and weights to a model.
class NetworkBuilder {
public:
  explicit NetworkBuilder(onnx::Model &model) : model(model) {}

  using Dims = std::vector<int64_t>;

  std::string weight(const std::string &name, const Dims &dims,
                     float value = 0);
  std::string integers(const Dims &values);
  /// The value of a new node.
  std::string node(const char *op, std::vector<std::string> inputs,
                   std::vector<onnx::NodeAttribute> attributes = {});
  std::string linear(const std::string &x, const std::string &name, int64_t in,
                     int64_t out);
  std::string norm(const std::string &x, const std::string &name,
                   int64_t width);
  std::string relu(const std::string &x) { return node("Relu", {x}); }
  std::string dropout(const std::string &x, double rate);
  std::string reshape(const std::string &x, const Dims &dims) {
    return node("Reshape", {x, integers(dims)});
  }
  std::string toFloat(const std::string &x);

  static onnx::NodeAttribute integer(const char *name, int64_t value);
  static onnx::NodeAttribute list(const char *name, const Dims &values);

private:
  template <typename Element>
  void add(const std::string &name, onnx::DataType type, const Dims &dims,
           const std::vector<Element> &elements);

  onnx::Model &model;
  int64_t count = 0;
};
} // namespace

template <typename Element>
void NetworkBuilder::add(const std::string &name, onnx::DataType type,
                         const Dims &dims,
                         const std::vector<Element> &elements) {
  std::string bytes(elements.size() * sizeof(Element), '\0');
  std::memcpy(bytes.data(), elements.data(), bytes.size());
  onnx::Tensor tensor;
  tensor.name = name;
  tensor.type = type;
  tensor.dims = dims;
  tensor.data = files::ByteRange::fromMemory(std::move(bytes));
  model.graph.initializers.push_back(std::move(tensor));
}

std::string NetworkBuilder::weight(const std::string &name, const Dims &dims,
                                   float value) {
  int64_t elements = 1;
  for (int64_t size : dims)
    elements *= size;
  add(name, onnx::DataType::Float, dims,
      std::vector<float>(size_t(elements), value));
  return name;
}

std::string NetworkBuilder::integers(const Dims &values) {
  std::string name = "shape" + std::to_string(count++);
  add(name, onnx::DataType::Int64, {int64_t(values.size())}, values);
  return name;
}

onnx::NodeAttribute NetworkBuilder::integer(const char *name, int64_t value) {
  onnx::NodeAttribute attribute;
  attribute.name = name;
  attribute.kind = onnx::NodeAttribute::Int;
  attribute.i = value;
  return attribute;
}

onnx::NodeAttribute NetworkBuilder::list(const char *name, const Dims &values) {
  onnx::NodeAttribute attribute;
  attribute.name = name;
  attribute.kind = onnx::NodeAttribute::Ints;
  attribute.ints = values;
  return attribute;
}

std::string NetworkBuilder::node(const char *op,
                                 std::vector<std::string> inputs,
                                 std::vector<onnx::NodeAttribute> attributes) {
  onnx::Node added;
  added.op = op;
  added.name = std::string(op) + "_" + std::to_string(count++);
  added.inputs = std::move(inputs);
  added.outputs = {added.name + "_out"};
  added.attributes = std::move(attributes);
  model.graph.nodes.push_back(added);
  return added.outputs[0];
}

std::string NetworkBuilder::linear(const std::string &x,
                                   const std::string &name, int64_t in,
                                   int64_t out) {
  std::string product = node("MatMul", {x, weight(name + ".w", {in, out})});
  return node("Add", {product, weight(name + ".b", {out})});
}

std::string NetworkBuilder::norm(const std::string &x, const std::string &name,
                                 int64_t width) {
  return node(
      "LayerNormalization",
      {x, weight(name + ".s", {width}, 1), weight(name + ".b", {width})},
      {integer("axis", -1)});
}

std::string NetworkBuilder::dropout(const std::string &x, double rate) {
  if (rate == 0)
    return x;
  std::string ratio = "ratio" + std::to_string(count++);
  add(ratio, onnx::DataType::Float, {}, std::vector<float>{float(rate)});
  return node("Dropout", {x, ratio});
}

std::string NetworkBuilder::toFloat(const std::string &x) {
  return node("Cast", {x}, {integer("to", int64_t(onnx::DataType::Float))});
}

/// Sizes in a list; each positive.
static std::vector<int64_t> sizesOf(const CallArguments &a, const char *name) {
  std::vector<int64_t> sizes;
  for (const Expression &item : a[name].items)
    sizes.push_back(int64_t(item.number));
  for (int64_t size : sizes)
    if (size < 1)
      a.fail(std::string("argument '") + name + "' is a list of sizes");
  if (sizes.empty())
    a.fail(std::string("argument '") + name + "' is a list of sizes");
  return sizes;
}

/// At least 1.
static int64_t sizeOf(const CallArguments &a, const char *name) {
  int64_t size = a.integer(name);
  if (size < 1)
    a.fail(std::string("argument '") + name + "' must be at least 1");
  return std::max<int64_t>(size, 1);
}

/// Rows of 0 and 1, one per position and value: where `states` is the value.
static std::string oneHot(NetworkBuilder &b, const PredictorInput &input) {
  NetworkBuilder::Dims values;
  for (int64_t value = 0; value < input.values; ++value)
    values.push_back(value);
  std::string columns =
      b.reshape("states", {-1, input.positions, 1}); // broadcast over values
  return b.toFloat(b.node("Equal", {columns, b.integers(values)}));
}

static std::string buildResMLP(NetworkBuilder &b, const CallArguments &a,
                               const PredictorInput &input) {
  std::vector<int64_t> hidden = sizesOf(a, "hidden");
  int64_t blocks = a.integer("blocks");
  double rate = a.number("dropout");
  if (blocks < 0 || !(rate >= 0 && rate < 1))
    a.fail("needs blocks >= 0 and dropout in [0, 1)");
  if (a.reading().error)
    return "states";
  int64_t width = input.positions * input.values;
  std::string x = b.reshape(oneHot(b, input), {-1, width});
  for (size_t i = 0; i < hidden.size(); ++i) {
    x = b.relu(b.linear(x, "in" + std::to_string(i), width, hidden[i]));
    width = hidden[i];
  }
  for (int64_t i = 0; i < blocks; ++i) {
    std::string name = "block" + std::to_string(i);
    std::string y = b.norm(x, name + ".norm", width);
    y = b.relu(b.linear(y, name + ".1", width, width));
    y = b.linear(b.dropout(y, rate), name + ".2", width, width);
    x = b.node("Add", {x, y});
  }
  return b.linear(x, "out", width, 1);
}

static std::string attention(NetworkBuilder &b, const std::string &x,
                             const std::string &name, int64_t width,
                             int64_t heads, int64_t positions) {
  auto split = [&](const char *part, const NetworkBuilder::Dims &order) {
    std::string y = b.linear(x, name + "." + part, width, width);
    y = b.reshape(y, {-1, positions, heads, width / heads});
    return b.node("Transpose", {y}, {NetworkBuilder::list("perm", order)});
  };
  // A bias of keys has no effect, and its gradient would be noise.
  std::string query = split("q", {0, 2, 1, 3});
  std::string keys =
      b.node("MatMul", {x, b.weight(name + ".k.w", {width, width})});
  keys = b.reshape(keys, {-1, positions, heads, width / heads});
  keys =
      b.node("Transpose", {keys}, {NetworkBuilder::list("perm", {0, 2, 3, 1})});
  std::string values = split("v", {0, 2, 1, 3});
  std::string scores = b.node("MatMul", {query, keys});
  std::string scale = b.node("Sqrt", {b.toFloat(b.integers({width / heads}))});
  scores = b.node("Softmax", {b.node("Div", {scores, scale})},
                  {NetworkBuilder::integer("axis", -1)});
  std::string y = b.node("Transpose", {b.node("MatMul", {scores, values})},
                         {NetworkBuilder::list("perm", {0, 2, 1, 3})});
  return b.linear(b.reshape(y, {-1, positions, width}), name + ".o", width,
                  width);
}

static std::string buildTransformer(NetworkBuilder &b, const CallArguments &a,
                                    const PredictorInput &input) {
  int64_t width = sizeOf(a, "width"), layers = sizeOf(a, "layers"),
          heads = sizeOf(a, "heads"), hidden = sizeOf(a, "hidden");
  if (width % heads)
    a.fail("needs heads that divide the width");
  if (a.reading().error)
    return "states";
  std::string x =
      b.node("Gather", {b.weight("embed.w", {input.values, width}), "states"});
  x = b.node("Add", {x, b.weight("place.w", {input.positions, width})});
  for (int64_t i = 0; i < layers; ++i) {
    std::string name = "layer" + std::to_string(i);
    std::string y = attention(b, x, name, width, heads, input.positions);
    x = b.norm(b.node("Add", {x, y}), name + ".norm1", width);
    y = b.relu(b.linear(x, name + ".1", width, hidden));
    y = b.linear(y, name + ".2", hidden, width);
    x = b.norm(b.node("Add", {x, y}), name + ".norm2", width);
  }
  x = b.node("ReduceMean", {x},
             {NetworkBuilder::list("axes", {1}),
              NetworkBuilder::integer("keepdims", 0)});
  return b.linear(x, "out", width, 1);
}

static std::string buildCNN(NetworkBuilder &b, const CallArguments &a,
                            const PredictorInput &input) {
  std::vector<int64_t> channels = sizesOf(a, "channels"),
                       hidden = sizesOf(a, "hidden");
  int64_t size = sizeOf(a, "size"), length = input.positions, in = 1;
  length -= (size - 1) * int64_t(channels.size());
  if (length < 1)
    a.fail("needs states of more than " +
           std::to_string((size - 1) * int64_t(channels.size())) +
           " positions");
  if (a.reading().error)
    return "states";
  std::string x = b.reshape(b.toFloat("states"), {-1, 1, input.positions});
  for (size_t i = 0; i < channels.size(); ++i) {
    std::string name = "conv" + std::to_string(i);
    x = b.relu(
        b.node("Conv", {x, b.weight(name + ".w", {channels[i], in, size}),
                        b.weight(name + ".b", {channels[i]})}));
    in = channels[i];
  }
  int64_t width = in * length;
  x = b.reshape(x, {-1, width});
  for (size_t i = 0; i < hidden.size(); ++i) {
    x = b.relu(b.linear(x, "dense" + std::to_string(i), width, hidden[i]));
    width = hidden[i];
  }
  return b.linear(x, "out", width, 1);
}

namespace {
struct PredictorRow {
  const char *name, *signature;
  std::string (*build)(NetworkBuilder &, const CallArguments &,
                       const PredictorInput &);
};
} // namespace

static constexpr PredictorRow rows[] = {
    {"resmlp", "hidden=[512,256,128], blocks=3, dropout=0.1", buildResMLP},
    {"transformer", "width=256, layers=4, heads=8, hidden=1024",
     buildTransformer},
    {"cnn", "channels=[32,64,128], size=3, hidden=[256,64]", buildCNN}};

std::vector<std::string> predictorNames() {
  std::vector<std::string> names;
  for (const PredictorRow &row : rows)
    names.push_back(row.name);
  return names;
}

static onnx::ValueInfo valueInfo(const char *name, onnx::DataType type,
                                 std::optional<int64_t> columns) {
  onnx::ValueInfo info;
  info.name = name;
  info.type.kind = onnx::ValueType::TensorKind;
  info.type.element = type;
  info.type.hasShape = true;
  info.type.dims.push_back({std::nullopt, "batch"});
  if (columns)
    info.type.dims.push_back({*columns, ""});
  return info;
}

Result<onnx::Model> buildPredictor(const std::string &name,
                                   const std::string &options,
                                   const PredictorInput &input) {
  TextReading reading{"--predictor-options", {}};
  for (const PredictorRow &row : rows) {
    if (name != row.name)
      continue;
    Result<Expression> call =
        parseExpression(name + "(" + options + ")", reading.option);
    if (!call)
      return std::move(call.error());
    CallArguments arguments(*call, row.signature, reading);
    if (reading.error)
      return std::move(*reading.error);
    onnx::Model model;
    model.irVersion = 8;
    model.producerName = "zenith-train";
    model.opsets.push_back({"", 17});
    model.graph.name = name;
    model.graph.inputs.push_back(
        valueInfo("states", onnx::DataType::Int64, input.positions));
    model.graph.outputs.push_back(
        valueInfo("scores", onnx::DataType::Float, std::nullopt));
    NetworkBuilder b(model);
    std::string column = row.build(b, arguments, input);
    if (reading.error)
      return std::move(*reading.error);
    b.reshape(column, {-1});
    model.graph.nodes.back().outputs[0] = "scores";
    return model;
  }
  std::string all;
  for (const std::string &known : predictorNames())
    all += (all.empty() ? "" : ", ") + known;
  return Error{ErrorCode::Usage,
               "--predictor: there is no predictor '" + name + "'" +
                   models::suggestion(name, predictorNames()) + " (there are " +
                   all + ")",
               {}};
}

} // namespace zenith::training
