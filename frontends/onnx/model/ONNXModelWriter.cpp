// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From plain structs to protobuf and to disk. Weights stream from the files
// they are mapped from, into the model or into one file beside it.
#include "frontends/onnx/model/ONNXModel.h"
#include "frontends/onnx/model/ONNXWire.h"

#include "ZenithONNX.pb.h"
#include "frontends/files/AtomicFile.h"
#include <filesystem>
#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <map>

using namespace zenith;
using namespace zenith::onnx;

namespace {

/// External data starts at multiples of this, so that it can be mapped with
/// aligned vector loads.
constexpr uint64_t externalAlignment = 64;

class Writer {
public:
  /// `external` receives weights of at least `externalBytes`; null keeps all
  /// inside of the model.
  Writer(files::AtomicFile *external, std::string externalName,
         uint64_t externalBytes)
      : external(external), externalName(std::move(externalName)),
        externalBytes(externalBytes) {}

  std::vector<files::ByteRange> blobs;

  Status model(const Model &from, ModelProto &to);
  Status tensor(const Tensor &from, TensorProto &to);

private:
  Status graph(const Graph &from, GraphProto &to);
  Status node(const Node &from, NodeProto &to);
  Status attribute(const NodeAttribute &from, AttributeProto &to);
  Status function(const Function &from, FunctionProto &to);
  Status externalTensor(const Tensor &from, TensorProto &to);

  files::AtomicFile *external;
  std::string externalName;
  uint64_t externalBytes;
};

} // namespace

Status Writer::externalTensor(const Tensor &from, TensorProto &to) {
  Status status = noError();
  if (uint64_t excess = external->size() % externalAlignment)
    status = external->write(std::string(externalAlignment - excess, '\0'));
  auto entry = [&](const char *key, const std::string &value) {
    auto *added = to.add_external_data();
    added->set_key(key);
    added->set_value(value);
  };
  entry("location", externalName);
  entry("offset", std::to_string(external->size()));
  entry("length", std::to_string(from.data.length));
  to.set_data_location(TensorProto::EXTERNAL);
  if (status)
    status = external->write(from.data.view());
  return status;
}

Status Writer::tensor(const Tensor &from, TensorProto &to) {
  to.set_name(from.name);
  to.set_data_type(static_cast<int32_t>(from.type));
  for (int64_t dim : from.dims)
    to.add_dims(dim);
  if (from.type == DataType::String) {
    for (const std::string &text : from.strings)
      to.add_string_data(text);
    return noError();
  }
  if (byteCount(from.type, from.dims) != from.data.length)
    return invalid(
        fmt::format("tensor '{}' has {} bytes, which do not fit its shape",
                    from.name, from.data.length));
  if (external && from.data.length >= externalBytes)
    return externalTensor(from, to);
  if (from.data.length >= detachedBytes) {
    to.set_detached_index(blobs.size());
    blobs.push_back(from.data);
  } else {
    to.set_raw_data(std::string(from.data.view()));
  }
  return noError();
}

static void convertType(const ValueType &from, TypeProto &to) {
  auto tensorType = [&](auto *tensor) {
    tensor->set_elem_type(static_cast<int32_t>(from.element));
    if (!from.hasShape)
      return;
    auto *shape = tensor->mutable_shape();
    for (const Dim &dim : from.dims) {
      auto *added = shape->add_dim();
      if (dim.value)
        added->set_dim_value(*dim.value);
      else if (!dim.symbol.empty())
        added->set_dim_param(dim.symbol);
    }
  };
  switch (from.kind) {
  case ValueType::TensorKind:
    return tensorType(to.mutable_tensor_type());
  case ValueType::SparseTensorKind:
    return tensorType(to.mutable_sparse_tensor_type());
  case ValueType::SequenceKind:
    return convertType(from.inner.at(0),
                       *to.mutable_sequence_type()->mutable_elem_type());
  case ValueType::OptionalKind:
    return convertType(from.inner.at(0),
                       *to.mutable_optional_type()->mutable_elem_type());
  case ValueType::MapKind:
  case ValueType::Missing:
    return;
  }
}

Status Writer::attribute(const NodeAttribute &from, AttributeProto &to) {
  to.set_name(from.name);
  to.set_type(static_cast<AttributeProto::AttributeType>(from.kind));
  if (!from.reference.empty()) {
    to.set_ref_attr_name(from.reference);
    return noError();
  }
  Status status = noError();
  switch (from.kind) {
  case NodeAttribute::Float:
    to.set_f(from.f);
    break;
  case NodeAttribute::Int:
    to.set_i(from.i);
    break;
  case NodeAttribute::String:
    to.set_s(from.strings.at(0));
    break;
  case NodeAttribute::TensorValue:
    return tensor(from.tensors.at(0), *to.mutable_t());
  case NodeAttribute::GraphValue:
    return graph(from.graphs.at(0), *to.mutable_g());
  case NodeAttribute::Floats:
    for (float value : from.floats)
      to.add_floats(value);
    break;
  case NodeAttribute::Ints:
    for (int64_t value : from.ints)
      to.add_ints(value);
    break;
  case NodeAttribute::Strings:
    for (const std::string &value : from.strings)
      to.add_strings(value);
    break;
  case NodeAttribute::Tensors:
    for (const Tensor &value : from.tensors)
      if (status)
        status = tensor(value, *to.add_tensors());
    break;
  case NodeAttribute::Graphs:
    for (const Graph &value : from.graphs)
      if (status)
        status = graph(value, *to.add_graphs());
    break;
  default:
    return unsupported(fmt::format("writing attribute '{}' of kind {}",
                                   from.name, int(from.kind)));
  }
  return status;
}

Status Writer::node(const Node &from, NodeProto &to) {
  to.set_name(from.name);
  to.set_op_type(from.op);
  if (!from.domain.empty())
    to.set_domain(from.domain);
  for (const std::string &input : from.inputs)
    to.add_input(input);
  for (const std::string &output : from.outputs)
    to.add_output(output);
  for (const NodeAttribute &value : from.attributes)
    if (Status status = attribute(value, *to.add_attribute()); !status)
      return std::move(status.error()).in(from.location());
  return noError();
}

Status Writer::graph(const Graph &from, GraphProto &to) {
  to.set_name(from.name);
  for (const Node &value : from.nodes)
    if (Status status = node(value, *to.add_node()); !status)
      return status;
  for (const Tensor &value : from.initializers)
    if (Status status = tensor(value, *to.add_initializer()); !status)
      return status;
  auto values = [](const std::vector<ValueInfo> &list, auto add) {
    for (const ValueInfo &value : list) {
      ValueInfoProto *added = add();
      added->set_name(value.name);
      convertType(value.type, *added->mutable_type());
    }
  };
  values(from.inputs, [&] { return to.add_input(); });
  values(from.outputs, [&] { return to.add_output(); });
  values(from.values, [&] { return to.add_value_info(); });
  return noError();
}

template <typename Message>
static void convertOpsets(const std::vector<OpsetImport> &from, Message &to) {
  for (const OpsetImport &opset : from) {
    auto *added = to.add_opset_import();
    added->set_domain(opset.domain);
    added->set_version(opset.version);
  }
}

Status Writer::function(const Function &from, FunctionProto &to) {
  to.set_name(from.name);
  to.set_domain(from.domain);
  for (const std::string &input : from.inputs)
    to.add_input(input);
  for (const std::string &output : from.outputs)
    to.add_output(output);
  for (const std::string &name : from.attributes)
    to.add_attribute(name);
  for (const NodeAttribute &value : from.defaults)
    if (Status status = attribute(value, *to.add_attribute_proto()); !status)
      return status;
  for (const Node &value : from.nodes)
    if (Status status = node(value, *to.add_node()); !status)
      return status;
  convertOpsets(from.opsets, to);
  return noError();
}

Status Writer::model(const Model &from, ModelProto &to) {
  to.set_ir_version(from.irVersion);
  to.set_producer_name(from.producerName);
  to.set_producer_version(from.producerVersion);
  if (!from.domain.empty())
    to.set_domain(from.domain);
  if (from.modelVersion)
    to.set_model_version(from.modelVersion);
  convertOpsets(from.opsets, to);
  for (const auto &[key, value] : from.metadata) {
    auto *added = to.add_metadata_props();
    added->set_key(key);
    added->set_value(value);
  }
  for (const Function &value : from.functions)
    if (Status status = function(value, *to.add_functions()); !status)
      return status;
  return graph(from.graph, *to.mutable_graph());
}

/// Serialises deterministically and streams the result with its weights into
/// `write`.
template <typename Message>
static Status stream(const Message &message, WireMessage kind,
                     const std::vector<files::ByteRange> &blobs,
                     const std::function<Status(std::string_view)> &write) {
  if (message.ByteSizeLong() > size_t(std::numeric_limits<int32_t>::max()))
    return invalid("the model is larger than 2 GiB without its weights");
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream target(&bytes);
    google::protobuf::io::CodedOutputStream coded(&target);
    coded.SetSerializationDeterministic(true);
    if (!message.SerializeToCodedStream(&coded))
      return invalid("the model cannot be serialised");
  }
  return writeAttached(bytes, kind, blobs, write);
}

static auto into(files::AtomicFile &file) {
  return [&](std::string_view part) { return file.write(part); };
}

Status zenith::onnx::saveModel(const Model &model, const std::string &path,
                               const SaveOptions &options) {
  files::AtomicFile file(path), data(path + ".data");
  std::string dataName =
      std::filesystem::path(path).filename().string() + ".data";
  Writer writer(options.externalBytes ? &data : nullptr, dataName,
                options.externalBytes.value_or(0));
  Status status = file.open();
  if (status && options.externalBytes)
    status = data.open();
  ModelProto message;
  if (status)
    status = writer.model(model, message);
  if (status)
    status = stream(message, WireMessage::Model, writer.blobs, into(file));
  // The weights are committed first: a model that can be seen has its data.
  if (status && options.externalBytes && data.size())
    status = data.commit();
  if (status)
    status = file.commit();
  return status;
}

Result<std::string> zenith::onnx::modelBytes(const Model &model) {
  Writer writer(nullptr, "", 0);
  ModelProto message;
  std::string bytes;
  Status status = writer.model(model, message);
  if (status)
    status = stream(message, WireMessage::Model, writer.blobs,
                    [&](std::string_view part) {
                      bytes += part;
                      return noError();
                    });
  if (!status)
    return status.error();
  return bytes;
}

Status zenith::onnx::writeTensor(const Tensor &tensor,
                                 files::AtomicFile &file) {
  Writer writer(nullptr, "", 0);
  TensorProto message;
  if (Status status = writer.tensor(tensor, message); !status)
    return status;
  return stream(message, WireMessage::Tensor, writer.blobs, into(file));
}
