// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From plain structs to protobuf and to disk. Weights stream from the files
// they are mapped from, into the model or into one file beside it.
#include "frontends/onnx/model/MessageWriter.h"
#include "frontends/onnx/model/ONNXFields.h"
#include "frontends/onnx/model/ONNXModel.h"

#include "frontends/files/AtomicFile.h"
#include <filesystem>
#include <fmt/format.h>
#include <limits>

using namespace zenith;
using namespace zenith::onnx;

namespace {

/// External data starts at multiples of this, so that it can be mapped with
/// aligned vector loads.
constexpr uint64_t externalAlignment = 64;

/// Fields are written in the order of their numbers, as protobuf does.
class Writer {
public:
  /// `external` receives weights of at least `externalBytes`; null keeps all
  /// inside of the model.
  Writer(files::AtomicFile *external, std::string externalName,
         uint64_t externalBytes)
      : external(external), externalName(std::move(externalName)),
        externalBytes(externalBytes) {}

  Result<MessageBytes> model(const Model &from);
  Result<MessageBytes> tensor(const Tensor &from);

private:
  Result<MessageBytes> graph(const Graph &from);
  Result<MessageBytes> node(const Node &from);
  Result<MessageBytes> attribute(const NodeAttribute &from);
  Result<MessageBytes> function(const Function &from);
  Status externalTensor(const Tensor &from, MessageWriter<TensorField> &to);

  /// Adds one nested message per element of `from`.
  template <typename Fields, typename Element>
  Status addEach(MessageWriter<Fields> &to, Fields field,
                 const std::vector<Element> &from,
                 Result<MessageBytes> (Writer::*write)(const Element &)) {
    for (const Element &element : from) {
      auto nested = (this->*write)(element);
      if (!nested)
        return nested.error();
      to.add(field, *nested);
    }
    return noError();
  }

  files::AtomicFile *external;
  std::string externalName;
  uint64_t externalBytes;
};

} // namespace

static MessageBytes entry(const std::string &key, const std::string &value) {
  MessageWriter<EntryField> to;
  to.add(EntryField::Key, key);
  to.add(EntryField::Value, value);
  return to.take();
}

Status Writer::externalTensor(const Tensor &from,
                              MessageWriter<TensorField> &to) {
  Status status = noError();
  if (uint64_t excess = external->size() % externalAlignment)
    status = external->write(std::string(externalAlignment - excess, '\0'));
  std::string offset = std::to_string(external->size());
  std::string length = std::to_string(from.data.length);
  to.add(TensorField::ExternalData, entry("location", externalName));
  to.add(TensorField::ExternalData, entry("offset", offset));
  to.add(TensorField::ExternalData, entry("length", length));
  to.add(TensorField::DataLocation, int64_t(externalLocation));
  if (status)
    status = external->write(from.data.view());
  return status;
}

Result<MessageBytes> Writer::tensor(const Tensor &from) {
  MessageWriter<TensorField> to;
  to.addEach(TensorField::Dims, from.dims);
  to.add(TensorField::DataType, int64_t(from.type));
  if (from.type == DataType::String)
    to.addEach(TensorField::StringData, from.strings);
  to.add(TensorField::Name, from.name);
  if (from.type == DataType::String)
    return to.take();
  if (byteCount(from.type, from.dims) != from.data.length)
    return invalid(
        fmt::format("tensor '{}' has {} bytes, which do not fit its shape",
                    from.name, from.data.length));
  if (!external || from.data.length < externalBytes)
    to.add(TensorField::RawData, from.data);
  else if (Status status = externalTensor(from, to); !status)
    return status.error();
  return to.take();
}

static MessageBytes shape(const std::vector<Dim> &from) {
  MessageWriter<ShapeField> to;
  for (const Dim &dim : from) {
    MessageWriter<DimField> added;
    if (dim.value)
      added.add(DimField::Value, *dim.value);
    else if (!dim.symbol.empty())
      added.add(DimField::Symbol, dim.symbol);
    to.add(ShapeField::Dim, added.take());
  }
  return to.take();
}

static MessageBytes tensorType(const ValueType &from) {
  MessageWriter<TensorTypeField> to;
  to.add(TensorTypeField::ElementType, int64_t(from.element));
  if (from.hasShape)
    to.add(TensorTypeField::Shape, shape(from.dims));
  return to.take();
}

static MessageBytes valueType(const ValueType &from) {
  MessageWriter<TypeField> to;
  auto containerType = [&] {
    MessageWriter<ContainerTypeField> inner;
    inner.add(ContainerTypeField::ElementType, valueType(from.inner.at(0)));
    return inner.take();
  };
  switch (from.kind) {
  case ValueType::TensorKind:
    to.add(TypeField::Tensor, tensorType(from));
    break;
  case ValueType::SparseTensorKind:
    to.add(TypeField::SparseTensor, tensorType(from));
    break;
  case ValueType::SequenceKind:
    to.add(TypeField::Sequence, containerType());
    break;
  case ValueType::OptionalKind:
    to.add(TypeField::Optional, containerType());
    break;
  case ValueType::MapKind:
  case ValueType::Missing:
    break;
  }
  return to.take();
}

Result<MessageBytes> Writer::attribute(const NodeAttribute &from) {
  MessageWriter<AttributeField> to;
  to.add(AttributeField::Name, from.name);
  Status status = noError();
  bool isReference = !from.reference.empty();
  switch (isReference ? NodeAttribute::Undefined : from.kind) {
  case NodeAttribute::Float:
    to.add(AttributeField::F, from.f);
    break;
  case NodeAttribute::Int:
    to.add(AttributeField::I, from.i);
    break;
  case NodeAttribute::String:
    to.add(AttributeField::S, from.strings.at(0));
    break;
  case NodeAttribute::TensorValue:
    status = addEach(to, AttributeField::T, from.tensors, &Writer::tensor);
    break;
  case NodeAttribute::GraphValue:
    status = addEach(to, AttributeField::G, from.graphs, &Writer::graph);
    break;
  case NodeAttribute::Floats:
    to.addEach(AttributeField::Floats, from.floats);
    break;
  case NodeAttribute::Ints:
    to.addEach(AttributeField::Ints, from.ints);
    break;
  case NodeAttribute::Strings:
    to.addEach(AttributeField::Strings, from.strings);
    break;
  case NodeAttribute::Tensors:
    status =
        addEach(to, AttributeField::Tensors, from.tensors, &Writer::tensor);
    break;
  case NodeAttribute::Graphs:
    status = addEach(to, AttributeField::Graphs, from.graphs, &Writer::graph);
    break;
  default:
    if (!isReference)
      return unsupported(fmt::format("writing attribute '{}' of kind {}",
                                     from.name, int(from.kind)));
  }
  if (!status)
    return status.error();
  to.add(AttributeField::Type, int64_t(from.kind));
  if (isReference)
    to.add(AttributeField::RefAttrName, from.reference);
  return to.take();
}

Result<MessageBytes> Writer::node(const Node &from) {
  MessageWriter<NodeField> to;
  to.addEach(NodeField::Input, from.inputs);
  to.addEach(NodeField::Output, from.outputs);
  to.add(NodeField::Name, from.name);
  to.add(NodeField::OpType, from.op);
  if (Status status = addEach(to, NodeField::Attribute, from.attributes,
                              &Writer::attribute);
      !status)
    return std::move(status.error()).in(from.location());
  if (!from.domain.empty())
    to.add(NodeField::Domain, from.domain);
  return to.take();
}

static void addValues(MessageWriter<GraphField> &to, GraphField field,
                      const std::vector<ValueInfo> &values) {
  for (const ValueInfo &value : values) {
    MessageWriter<ValueField> added;
    added.add(ValueField::Name, value.name);
    added.add(ValueField::Type, valueType(value.type));
    to.add(field, added.take());
  }
}

Result<MessageBytes> Writer::graph(const Graph &from) {
  MessageWriter<GraphField> to;
  Status status = addEach(to, GraphField::Node, from.nodes, &Writer::node);
  to.add(GraphField::Name, from.name);
  if (status)
    status = addEach(to, GraphField::Initializer, from.initializers,
                     &Writer::tensor);
  if (!status)
    return status.error();
  addValues(to, GraphField::Input, from.inputs);
  addValues(to, GraphField::Output, from.outputs);
  addValues(to, GraphField::ValueInfo, from.values);
  return to.take();
}

template <typename Fields>
static void addOpsets(MessageWriter<Fields> &to,
                      const std::vector<OpsetImport> &opsets) {
  for (const OpsetImport &opset : opsets) {
    MessageWriter<OpsetField> added;
    added.add(OpsetField::Domain, opset.domain);
    added.add(OpsetField::Version, opset.version);
    to.add(Fields::OpsetImport, added.take());
  }
}

Result<MessageBytes> Writer::function(const Function &from) {
  MessageWriter<FunctionField> to;
  to.add(FunctionField::Name, from.name);
  to.addEach(FunctionField::Input, from.inputs);
  to.addEach(FunctionField::Output, from.outputs);
  to.addEach(FunctionField::Attribute, from.attributes);
  Status status = addEach(to, FunctionField::Node, from.nodes, &Writer::node);
  addOpsets(to, from.opsets);
  to.add(FunctionField::Domain, from.domain);
  if (status)
    status = addEach(to, FunctionField::AttributeProto, from.defaults,
                     &Writer::attribute);
  if (!status)
    return status.error();
  return to.take();
}

Result<MessageBytes> Writer::model(const Model &from) {
  MessageWriter<ModelField> to;
  to.add(ModelField::IRVersion, from.irVersion);
  to.add(ModelField::ProducerName, from.producerName);
  to.add(ModelField::ProducerVersion, from.producerVersion);
  if (!from.domain.empty())
    to.add(ModelField::Domain, from.domain);
  if (from.modelVersion)
    to.add(ModelField::ModelVersion, from.modelVersion);
  auto nested = graph(from.graph);
  if (!nested)
    return nested.error();
  to.add(ModelField::Graph, *nested);
  addOpsets(to, from.opsets);
  for (const auto &[key, value] : from.metadata)
    to.add(ModelField::MetadataProps, entry(key, value));
  if (Status status =
          addEach(to, ModelField::Functions, from.functions, &Writer::function);
      !status)
    return status.error();
  return to.take();
}

/// Streams a message into `write`. No reader of ONNX files accepts more than
/// 2 GiB.
static Status stream(const MessageBytes &message,
                     const std::function<Status(std::string_view)> &write) {
  if (message.size() > uint64_t(std::numeric_limits<int32_t>::max()))
    return invalid(fmt::format("the model takes {} bytes and an ONNX file "
                               "holds at most 2 GiB; write its weights as "
                               "external data",
                               message.size()));
  return message.write(write);
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
  if (!status)
    return status;
  auto message = writer.model(model);
  if (!message)
    return message.error();
  status = stream(*message, into(file));
  // The weights are committed first: a model that can be seen has its data.
  if (status && options.externalBytes && data.size())
    status = data.commit();
  if (status)
    status = file.commit();
  return status;
}

Result<std::string> zenith::onnx::modelBytes(const Model &model) {
  Writer writer(nullptr, "", 0);
  auto message = writer.model(model);
  if (!message)
    return message.error();
  std::string bytes;
  Status status = stream(*message, [&](std::string_view part) {
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
  auto message = writer.tensor(tensor);
  return message ? stream(*message, into(file)) : message.error();
}
