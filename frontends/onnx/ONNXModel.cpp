// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From protobuf to plain structs. Sizes are checked before anything is
// allocated for them; weights stay in the file.
#include "frontends/onnx/ONNXModel.h"
#include "frontends/onnx/ONNXModelChecks.h"
#include "frontends/onnx/ONNXWire.h"

#include "ZenithONNX.pb.h"
#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <map>

using namespace zenith::onnx;

namespace {

struct DataTypeRow {
  const char *name;
  unsigned bits;
};
constexpr DataTypeRow dataTypes[] = {{"", 0},
                                     {"float", 32},
                                     {"uint8", 8},
                                     {"int8", 8},
                                     {"uint16", 16},
                                     {"int16", 16},
                                     {"int32", 32},
                                     {"int64", 64},
                                     {"string", 0},
                                     {"bool", 8},
                                     {"float16", 16},
                                     {"double", 64},
                                     {"uint32", 32},
                                     {"uint64", 64},
                                     {"complex64", 64},
                                     {"complex128", 128},
                                     {"bfloat16", 16},
                                     {"float8e4m3fn", 8},
                                     {"float8e4m3fnuz", 8},
                                     {"float8e5m2", 8},
                                     {"float8e5m2fnuz", 8},
                                     {"uint4", 4},
                                     {"int4", 4},
                                     {"float4e2m1", 4},
                                     {"float8e8m0", 8},
                                     {"uint2", 2},
                                     {"int2", 2}};

const DataTypeRow &dataTypeRow(DataType type) {
  auto index = static_cast<int64_t>(type);
  return dataTypes[index < 0 || index >= int64_t(std::size(dataTypes)) ? 0
                                                                       : index];
}

/// Reads the messages of one file; external files are mapped once.
class Reader {
public:
  Reader(std::shared_ptr<const ByteSource> source, std::string folder)
      : source(std::move(source)), folder(std::move(folder)) {}

  template <typename Message> Status parse(Message &message, WireMessage kind) {
    auto detached = detachLargeData(source->bytes(), kind);
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
    blobs = std::move(detached->blobs);
    return noError();
  }

  Status model(const ModelProto &from, Model &to);
  Status tensor(const TensorProto &from, Tensor &to);

private:
  Status graph(const GraphProto &from, Graph &to);
  Status function(const FunctionProto &from, Function &to);
  Status node(const NodeProto &from, Node &to);
  Status attribute(const AttributeProto &from, NodeAttribute &to);
  Status typedData(const TensorProto &from, uint64_t elements, Tensor &to);
  Status externalData(const TensorProto &from, uint64_t bytes, Tensor &to);
  Result<std::shared_ptr<const ByteSource>>
  externalFile(const std::string &location);

  std::shared_ptr<const ByteSource> source;
  std::string folder;
  std::vector<DetachedMessage::Blob> blobs;
  std::map<std::string, std::shared_ptr<const ByteSource>> files;
};

/// Appends the `width` low bytes of each value: how int32_data and uint64_data
/// carry narrower types.
template <typename Values>
std::string narrowed(const Values &values, unsigned width) {
  std::string bytes;
  bytes.reserve(size_t(values.size()) * width);
  for (auto value : values)
    bytes.append(reinterpret_cast<const char *>(&value), width);
  return bytes;
}

template <typename Values> std::string copied(const Values &values) {
  return std::string(reinterpret_cast<const char *>(values.data()),
                     size_t(values.size()) * sizeof(*values.data()));
}

} // namespace

std::string_view zenith::onnx::dataTypeName(DataType type) {
  return dataTypeRow(type).name;
}
unsigned zenith::onnx::dataTypeBits(DataType type) {
  return dataTypeRow(type).bits;
}

std::optional<uint64_t>
zenith::onnx::elementCount(const std::vector<int64_t> &dims) {
  constexpr uint64_t limit = uint64_t(1) << 60;
  uint64_t count = 1;
  bool empty = false;
  // A zero must not hide a negative or a huge dimension beside it.
  for (int64_t dim : dims) {
    if (dim < 0)
      return std::nullopt;
    empty |= dim == 0;
    if (dim && __builtin_mul_overflow(count, uint64_t(dim), &count))
      return std::nullopt;
    if (count > limit)
      return std::nullopt;
  }
  return empty ? 0 : count;
}

std::optional<uint64_t>
zenith::onnx::byteCount(DataType type, const std::vector<int64_t> &dims) {
  unsigned bits = dataTypeBits(type);
  auto elements = elementCount(dims);
  uint64_t total;
  if (!bits || !elements ||
      __builtin_mul_overflow(*elements, uint64_t(bits), &total))
    return std::nullopt;
  return total / 8 + (total % 8 != 0);
}

const NodeAttribute *Node::attribute(std::string_view key) const {
  for (const NodeAttribute &attribute : attributes)
    if (attribute.name == key)
      return &attribute;
  return nullptr;
}

std::string Node::place() const {
  std::string_view title = name;
  for (size_t i = 0; title.empty() && i < outputs.size(); ++i)
    title = outputs[i];
  std::string type =
      domain.empty() || domain == "ai.onnx" ? op : domain + "." + op;
  return fmt::format("node '{}' ({})", title, type);
}

int64_t Model::opset(std::string_view wanted) const {
  auto plain = [](std::string_view name) {
    return name == "ai.onnx" ? std::string_view() : name;
  };
  for (const OpsetImport &import : opsets)
    if (plain(import.domain) == plain(wanted))
      return import.version;
  return 0;
}

Status Reader::typedData(const TensorProto &from, uint64_t elements,
                         Tensor &to) {
  unsigned bits = dataTypeBits(to.type);
  std::string bytes;
  uint64_t wanted = elements, got = 0;
  switch (to.type) {
  case DataType::Float:
  case DataType::Complex64:
    wanted *= to.type == DataType::Complex64 ? 2 : 1;
    got = from.float_data_size();
    bytes = copied(from.float_data());
    break;
  case DataType::Double:
  case DataType::Complex128:
    wanted *= to.type == DataType::Complex128 ? 2 : 1;
    got = from.double_data_size();
    bytes = copied(from.double_data());
    break;
  case DataType::Int64:
    got = from.int64_data_size();
    bytes = copied(from.int64_data());
    break;
  case DataType::UInt32:
  case DataType::UInt64:
    got = from.uint64_data_size();
    bytes = narrowed(from.uint64_data(), bits / 8);
    break;
  default:
    if (bits < 8)
      wanted = (elements * bits + 7) / 8;
    got = from.int32_data_size();
    bytes = narrowed(from.int32_data(), std::max(bits / 8, 1u));
  }
  if (got != wanted)
    return invalid(
        fmt::format("has {} values where its shape needs {}", got, wanted));
  to.data = ByteRange::fromMemory(std::move(bytes));
  return noError();
}

Result<std::shared_ptr<const ByteSource>>
Reader::externalFile(const std::string &location) {
  namespace fs = std::filesystem;
  if (auto known = files.find(location); known != files.end())
    return known->second;
  if (folder.empty())
    return invalid("external data needs a model that is a file");
  fs::path relative(location);
  if (relative.empty() || relative.is_absolute() ||
      location.find('\0') != std::string::npos ||
      std::find(relative.begin(), relative.end(), "..") != relative.end())
    return invalid(fmt::format(
        "external data location '{}' is not inside of the model's folder",
        location));
  // A link may lead to another file beside the model (or beside what the model
  // itself is a link to), not elsewhere.
  std::error_code failed;
  fs::path real = fs::canonical(fs::path(folder) / relative, failed);
  if (failed)
    return invalid(fmt::format("cannot open external data '{}': {}", location,
                               failed.message()));
  fs::path home = fs::canonical(folder, failed);
  fs::path realHome = source->path().empty()
                          ? home
                          : fs::canonical(source->path(), failed).parent_path();
  auto within = [&](const fs::path &base) {
    return std::mismatch(base.begin(), base.end(), real.begin(), real.end())
               .first == base.end();
  };
  if (failed || (!within(home) && !within(realHome)))
    return invalid(fmt::format(
        "external data location '{}' leads out of the model's folder",
        location));
  auto file = ByteSource::open((fs::path(folder) / relative).string());
  if (file)
    files[location] = *file;
  return file;
}

static Status parseNumber(const std::string &text, const char *what,
                          uint64_t &value) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    return invalid(
        fmt::format("external data {} '{}' is not a byte count", what, text));
  return noError();
}

Status Reader::externalData(const TensorProto &from, uint64_t bytes,
                            Tensor &to) {
  std::string location;
  uint64_t offset = 0, length = bytes;
  for (const auto &entry : from.external_data()) {
    Status status = noError();
    if (entry.key() == "location")
      location = entry.value();
    else if (entry.key() == "offset")
      status = parseNumber(entry.value(), "offset", offset);
    else if (entry.key() == "length")
      status = parseNumber(entry.value(), "length", length);
    if (!status)
      return status;
  }
  if (length != bytes)
    return invalid(fmt::format(
        "external data has {} bytes where the shape needs {}", length, bytes));
  auto file = externalFile(location);
  if (!file)
    return file.error();
  uint64_t size = (*file)->bytes().size();
  if (offset > size || length > size - offset)
    return invalid(fmt::format("external data at {} with {} bytes ends behind "
                               "'{}', which has {} bytes",
                               offset, length, location, size));
  to.data = {*file, offset, length};
  return noError();
}

Status Reader::tensor(const TensorProto &from, Tensor &to) {
  to.name = from.name();
  to.type = static_cast<DataType>(from.data_type());
  to.dims.assign(from.dims().begin(), from.dims().end());
  if (from.data_type() == 0)
    return invalid("tensor without a data type");
  if (dataTypeName(to.type).empty())
    return unsupported(fmt::format("data type {}", from.data_type()));
  if (from.has_segment())
    return unsupported("tensors in segments");
  auto elements = elementCount(to.dims);
  if (!elements)
    return invalid("a dimension is negative or the shape is too large");
  bool external = from.data_location() == TensorProto::EXTERNAL;
  if (to.type == DataType::String) {
    if (external || uint64_t(from.string_data_size()) != *elements)
      return invalid(fmt::format("has {} strings where its shape needs {}",
                                 from.string_data_size(), *elements));
    to.strings.assign(from.string_data().begin(), from.string_data().end());
    return noError();
  }
  auto bytes = byteCount(to.type, to.dims);
  if (!bytes)
    return invalid("the shape is too large");
  if (external)
    return externalData(from, *bytes, to);
  if (from.has_detached_index() && from.has_raw_data())
    return invalid("raw data is given twice");
  if (!from.has_detached_index() && !from.has_raw_data())
    return typedData(from, *elements, to);
  if (from.has_detached_index()) {
    auto index = static_cast<uint64_t>(from.detached_index());
    if (index >= blobs.size())
      return invalid("malformed raw data");
    to.data = {source, blobs[index].offset, blobs[index].length};
  } else {
    to.data = ByteRange::fromMemory(from.raw_data());
  }
  if (to.data.length != *bytes)
    return invalid(fmt::format("has {} bytes where its shape needs {}",
                               to.data.length, *bytes));
  return noError();
}

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
/// and 2 do not say.
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
  default: // sparse tensors, types: who reads the attribute refuses it by name
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
      return std::move(status.error()).in(to.place());
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

Result<Model> zenith::onnx::parseModel(std::shared_ptr<const ByteSource> source,
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
  auto source = ByteSource::open(path);
  if (!source)
    return source.error();
  std::string folder = std::filesystem::path(path).parent_path().string();
  return parseModel(*source, folder.empty() ? "." : folder);
}

Result<Tensor>
zenith::onnx::parseTensor(std::shared_ptr<const ByteSource> source,
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
