// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From protobuf to plain structs. Sizes are checked before anything is
// allocated for them; weights stay in the file.
#include "frontends/onnx/model/ONNXModel.h"
#include "frontends/onnx/model/ONNXModelChecks.h"
#include "frontends/onnx/model/ONNXTensorReader.h"

#include "ZenithONNX.pb.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <limits>

using namespace zenith;
using namespace zenith::onnx;

namespace {

/// Reads the messages of one file; external files are mapped once.
class Reader {
public:
  Reader(std::shared_ptr<const files::ByteSource> source, std::string folder)
      : tensors(std::move(source), std::move(folder)) {}

  template <typename Message> Status parse(Message &message, WireMessage kind) {
    auto detached = detachLargeData(tensors.source->bytes(), kind);
    if (!detached)
      return detached.error();
    if (detached->bytes.size() > size_t(std::numeric_limits<int32_t>::max()))
      return invalid("the model is larger than 2 GiB without its weights");
    google::protobuf::io::CodedInputStream stream(
        reinterpret_cast<const uint8_t *>(detached->bytes.data()),
        detached->bytes.size());
    stream.SetRecursionLimit(maxNesting);
    if (!message.ParseFromCodedStream(&stream) ||
        !stream.ConsumedEntireMessage())
      return invalid("malformed protobuf message");
    tensors.blobs = std::move(detached->blobs);
    return noError();
  }

  Status model(const ModelProto &from, Model &to);
  Status tensor(const TensorProto &from, Tensor &to) {
    return tensors.read(from, to);
  }

private:
  Status graph(const GraphProto &from, Graph &to);
  Status function(const FunctionProto &from, Function &to);
  Status node(const NodeProto &from, Node &to);
  Status attribute(const AttributeProto &from, NodeAttribute &to);

  TensorReader tensors;
};

} // namespace

static Status convertType(const TypeProto &from, ValueType &to) {
  auto tensorType = [&](const auto &tensor) {
    to.element = static_cast<DataType>(tensor.elem_type());
    to.hasShape = tensor.has_shape();
    for (const auto &dim : tensor.shape().dim()) {
      to.dims.emplace_back();
      if (dim.has_dim_value())
        to.dims.back().value = dim.dim_value();
      else
        to.dims.back().symbol = dim.dim_param();
    }
  };
  switch (from.value_case()) {
  case TypeProto::kTensorType:
    to.kind = ValueType::TensorKind;
    tensorType(from.tensor_type());
    return noError();
  case TypeProto::kSparseTensorType:
    to.kind = ValueType::SparseTensorKind;
    tensorType(from.sparse_tensor_type());
    return noError();
  case TypeProto::kSequenceType:
  case TypeProto::kOptionalType: {
    bool sequence = from.value_case() == TypeProto::kSequenceType;
    to.kind = sequence ? ValueType::SequenceKind : ValueType::OptionalKind;
    to.inner.emplace_back();
    return convertType(sequence ? from.sequence_type().elem_type()
                                : from.optional_type().elem_type(),
                       to.inner[0]);
  }
  case TypeProto::kMapType:
    to.kind = ValueType::MapKind;
    return noError();
  case TypeProto::VALUE_NOT_SET:
    return noError();
  }
  return noError();
}

static Status convertValue(const ValueInfoProto &from,
                           std::vector<ValueInfo> &to) {
  to.emplace_back();
  to.back().name = from.name();
  ValueType &type = to.back().type;
  if (Status status = convertType(from.type(), type); !status)
    return status;
  for (const Dim &dim : type.dims)
    if (dim.value && *dim.value < 0)
      to.back()
          .type.dims[&dim - type.dims.data()]
          .value.reset(); // old exporters write -1 for "unknown"
  if (type.kind == ValueType::TensorKind &&
      type.element != DataType::Undefined && dataTypeName(type.element).empty())
    return unsupported(fmt::format("data type {}", int(type.element)))
        .in(fmt::format("value '{}'", from.name()));
  return noError();
}

/// The kind that an attribute's populated field implies; files of IR version 1
/// and 2 do not state it.
static NodeAttribute::Kind impliedKind(const AttributeProto &from) {
  if (from.has_f())
    return NodeAttribute::Float;
  if (from.has_i())
    return NodeAttribute::Int;
  if (from.has_s())
    return NodeAttribute::String;
  if (from.has_t())
    return NodeAttribute::TensorValue;
  if (from.has_g())
    return NodeAttribute::GraphValue;
  if (from.floats_size())
    return NodeAttribute::Floats;
  if (from.ints_size())
    return NodeAttribute::Ints;
  if (from.strings_size())
    return NodeAttribute::Strings;
  if (from.tensors_size())
    return NodeAttribute::Tensors;
  if (from.graphs_size())
    return NodeAttribute::Graphs;
  return NodeAttribute::Undefined;
}

Status Reader::attribute(const AttributeProto &from, NodeAttribute &to) {
  to.name = from.name();
  to.reference = from.ref_attr_name();
  to.kind = static_cast<NodeAttribute::Kind>(from.type());
  if (to.kind == NodeAttribute::Undefined)
    to.kind = impliedKind(from);
  Status status = noError();
  auto addTensor = [&](const TensorProto &value) {
    to.tensors.emplace_back();
    if (status)
      status = tensor(value, to.tensors.back());
  };
  auto addGraph = [&](const GraphProto &value) {
    to.graphs.emplace_back();
    if (status)
      status = graph(value, to.graphs.back());
  };
  if (!to.reference.empty())
    return noError();
  switch (to.kind) {
  case NodeAttribute::Float:
    to.f = from.f();
    break;
  case NodeAttribute::Int:
    to.i = from.i();
    break;
  case NodeAttribute::String:
    to.strings.push_back(from.s());
    break;
  case NodeAttribute::TensorValue:
    addTensor(from.t());
    break;
  case NodeAttribute::GraphValue:
    addGraph(from.g());
    break;
  case NodeAttribute::Floats:
    to.floats.assign(from.floats().begin(), from.floats().end());
    break;
  case NodeAttribute::Ints:
    to.ints.assign(from.ints().begin(), from.ints().end());
    break;
  case NodeAttribute::Strings:
    to.strings.assign(from.strings().begin(), from.strings().end());
    break;
  case NodeAttribute::Tensors:
    to.tensors.reserve(from.tensors_size());
    std::for_each(from.tensors().begin(), from.tensors().end(), addTensor);
    break;
  case NodeAttribute::Graphs:
    to.graphs.reserve(from.graphs_size());
    std::for_each(from.graphs().begin(), from.graphs().end(), addGraph);
    break;
  default: // sparse tensors, types: the rule that reads the attribute refuses
           // it by name
    break;
  }
  if (!status)
    return std::move(status.error()).in(to.name);
  return status;
}

Status Reader::node(const NodeProto &from, Node &to) {
  to.name = from.name();
  to.op = from.op_type();
  to.domain = from.domain();
  to.inputs.assign(from.input().begin(), from.input().end());
  to.outputs.assign(from.output().begin(), from.output().end());
  to.attributes.resize(from.attribute_size());
  for (int i = 0; i < from.attribute_size(); ++i)
    if (Status status = attribute(from.attribute(i), to.attributes[i]); !status)
      return std::move(status.error()).in(to.location());
  return noError();
}

Status Reader::graph(const GraphProto &from, Graph &to) {
  to.name = from.name();
  if (from.sparse_initializer_size())
    return unsupported("sparse initializers").in("graph");
  to.initializers.resize(from.initializer_size());
  for (int i = 0; i < from.initializer_size(); ++i)
    if (Status status = tensor(from.initializer(i), to.initializers[i]);
        !status)
      return std::move(status.error())
          .in(fmt::format("initializer '{}'", from.initializer(i).name()))
          .in("graph");
  to.nodes.resize(from.node_size());
  for (int i = 0; i < from.node_size(); ++i)
    if (Status status = node(from.node(i), to.nodes[i]); !status)
      return std::move(status.error()).in("graph");
  struct {
    const google::protobuf::RepeatedPtrField<ValueInfoProto> &from;
    std::vector<ValueInfo> &to;
  } lists[] = {{from.input(), to.inputs},
               {from.output(), to.outputs},
               {from.value_info(), to.values}};
  for (auto &list : lists)
    for (const ValueInfoProto &value : list.from)
      if (Status status = convertValue(value, list.to); !status)
        return std::move(status.error()).in("graph");
  return noError();
}

template <typename List>
static void convertOpsets(const List &from, std::vector<OpsetImport> &to) {
  for (const OperatorSetIdProto &opset : from)
    to.push_back({opset.domain(), opset.version()});
}

Status Reader::function(const FunctionProto &from, Function &to) {
  to.name = from.name();
  to.domain = from.domain();
  to.inputs.assign(from.input().begin(), from.input().end());
  to.outputs.assign(from.output().begin(), from.output().end());
  to.attributes.assign(from.attribute().begin(), from.attribute().end());
  to.defaults.resize(from.attribute_proto_size());
  for (int i = 0; i < from.attribute_proto_size(); ++i)
    if (Status status = attribute(from.attribute_proto(i), to.defaults[i]);
        !status)
      return status;
  to.nodes.resize(from.node_size());
  for (int i = 0; i < from.node_size(); ++i)
    if (Status status = node(from.node(i), to.nodes[i]); !status)
      return status;
  convertOpsets(from.opset_import(), to.opsets);
  return noError();
}

Status Reader::model(const ModelProto &from, Model &to) {
  if (!from.has_graph())
    return invalid("not an ONNX model: it has no graph");
  to.irVersion = from.ir_version();
  to.producerName = from.producer_name();
  to.producerVersion = from.producer_version();
  to.domain = from.domain();
  to.modelVersion = from.model_version();
  convertOpsets(from.opset_import(), to.opsets);
  for (const auto &entry : from.metadata_props())
    to.metadata.emplace_back(entry.key(), entry.value());
  to.functions.resize(from.functions_size());
  for (int i = 0; i < from.functions_size(); ++i)
    if (Status status = function(from.functions(i), to.functions[i]); !status)
      return std::move(status.error())
          .in(fmt::format("function '{}'", from.functions(i).name()));
  return graph(from.graph(), to.graph);
}

Result<Model>
zenith::onnx::parseModel(std::shared_ptr<const files::ByteSource> source,
                         const std::string &folder) {
  Model model;
  model.path = source->path();
  Reader reader(std::move(source), folder);
  {
    ModelProto message; // freed before the checks need memory
    if (Status status = reader.parse(message, WireMessage::Model); !status)
      return status.error();
    if (Status status = reader.model(message, model); !status)
      return status.error();
  }
  if (Status status = checkModel(model); !status)
    return status.error();
  return model;
}

Result<Model> zenith::onnx::loadModel(const std::string &path) {
  auto source = files::ByteSource::open(path);
  if (!source)
    return source.error();
  std::string folder = std::filesystem::path(path).parent_path().string();
  return parseModel(*source, folder.empty() ? "." : folder);
}

Result<Tensor>
zenith::onnx::parseTensor(std::shared_ptr<const files::ByteSource> source,
                          const std::string &folder) {
  Reader reader(std::move(source), folder);
  TensorProto message;
  Tensor tensor;
  Status status = reader.parse(message, WireMessage::Tensor);
  if (status)
    status = reader.tensor(message, tensor);
  if (!status)
    return status.error();
  return tensor;
}
