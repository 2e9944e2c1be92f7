// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From protobuf to plain structs. Sizes are checked before anything is
// allocated for them; weights stay in the file.
#include "frontends/onnx/model/MessageReader.h"
#include "frontends/onnx/model/ONNXFields.h"
#include "frontends/onnx/model/ONNXModel.h"
#include "frontends/onnx/model/ONNXModelChecks.h"
#include "frontends/onnx/model/ONNXTensorReader.h"

#include <filesystem>
#include <fmt/format.h>

using namespace zenith;
using namespace zenith::onnx;

namespace {

/// Reads the messages of one file; external files are mapped once.
class Reader {
public:
  Reader(std::shared_ptr<const files::ByteSource> source, std::string folder)
      : messages(source->bytes()),
        tensors(std::move(source), std::move(folder)) {}

  Status model(std::string_view message, Model &to);
  Status tensor(std::string_view message, Tensor &to) {
    return tensors.read(messages, message, to);
  }

private:
  Status graph(std::string_view message, Graph &to);
  Status function(std::string_view message, Function &to);
  Status node(std::string_view message, Node &to);
  Status attribute(std::string_view message, NodeAttribute &to);
  Status value(std::string_view message, std::vector<ValueInfo> &to);
  Status type(std::string_view message, ValueType &to);
  Status tensorType(std::string_view message, ValueType &to);
  Status shape(std::string_view message, std::vector<Dim> &to);
  Status opset(std::string_view message, std::vector<OpsetImport> &to);

  /// Reads the nested message of `field` into a new element of `to`. An empty
  /// message takes two bytes of the file and far more memory once it is read.
  template <typename Fields, typename Element>
  Status element(Field<Fields> &field, std::vector<Element> &to,
                 Status (Reader::*read)(std::string_view, Element &)) {
    auto message = field.view();
    if (!message)
      return noError();
    if (message->empty())
      return invalid(fmt::format("empty node, attribute or tensor at byte {}",
                                 messages.offsetOf(*message)));
    to.emplace_back();
    return (this->*read)(*message, to.back());
  }

  MessageReader messages;
  TensorReader tensors;
};

} // namespace

Status Reader::shape(std::string_view message, std::vector<Dim> &to) {
  auto readDim = [&](Field<DimField> &field) {
    switch (field.number()) {
    case DimField::Value: {
      int64_t value = 0;
      field.readInteger(value);
      to.back() = {value, ""};
      break;
    }
    case DimField::Symbol:
      to.back().value.reset();
      field.read(to.back().symbol);
      break;
    default:
      field.skip();
    }
    return noError();
  };
  return messages.read<ShapeField>(message, [&](Field<ShapeField> &field) {
    if (field.number() != ShapeField::Dim) {
      field.skip();
      return noError();
    }
    auto dim = field.view();
    if (!dim)
      return noError();
    to.emplace_back();
    return messages.read<DimField>(*dim, readDim);
  });
}

Status Reader::tensorType(std::string_view message, ValueType &to) {
  auto readField = [&](Field<TensorTypeField> &field) {
    switch (field.number()) {
    case TensorTypeField::ElementType: {
      int32_t element = 0;
      field.readInteger(element);
      to.element = static_cast<DataType>(element);
      break;
    }
    case TensorTypeField::Shape:
      if (auto dims = field.view()) {
        to.hasShape = true;
        return shape(*dims, to.dims);
      }
      break;
    default:
      field.skip();
    }
    return noError();
  };
  return messages.read<TensorTypeField>(message, readField);
}

Status Reader::type(std::string_view message, ValueType &to) {
  auto readElement = [&](Field<ContainerTypeField> &field) {
    if (field.number() != ContainerTypeField::ElementType) {
      field.skip();
      return noError();
    }
    auto element = field.view();
    return element ? type(*element, to.inner.front()) : noError();
  };
  auto readField = [&](Field<TypeField> &field) {
    ValueType::Kind kind;
    switch (field.number()) {
    case TypeField::Tensor:
      kind = ValueType::TensorKind;
      break;
    case TypeField::SparseTensor:
      kind = ValueType::SparseTensorKind;
      break;
    case TypeField::Sequence:
      kind = ValueType::SequenceKind;
      break;
    case TypeField::Optional:
      kind = ValueType::OptionalKind;
      break;
    case TypeField::Map:
      kind = ValueType::MapKind;
      break;
    default:
      field.skip();
      return noError();
    }
    auto inner = field.view();
    if (!inner)
      return noError();
    to = ValueType();
    to.kind = kind;
    if (kind == ValueType::MapKind)
      return noError();
    if (kind == ValueType::TensorKind || kind == ValueType::SparseTensorKind)
      return tensorType(*inner, to);
    to.inner.emplace_back();
    return messages.read<ContainerTypeField>(*inner, readElement);
  };
  return messages.read<TypeField>(message, readField);
}

Status Reader::value(std::string_view message, std::vector<ValueInfo> &to) {
  to.emplace_back();
  ValueInfo &info = to.back();
  auto readField = [&](Field<ValueField> &field) {
    switch (field.number()) {
    case ValueField::Name:
      field.read(info.name);
      break;
    case ValueField::Type:
      if (auto inner = field.view())
        return type(*inner, info.type);
      break;
    default:
      field.skip();
    }
    return noError();
  };
  if (Status status = messages.read<ValueField>(message, readField); !status)
    return status;
  for (Dim &dim : info.type.dims)
    if (dim.value && *dim.value < 0)
      dim.value.reset(); // old exporters write -1 for "unknown"
  if (info.type.kind == ValueType::TensorKind &&
      info.type.element != DataType::Undefined &&
      dataTypeName(info.type.element).empty())
    return unsupported(fmt::format("data type {}", int(info.type.element)))
        .in(fmt::format("value '{}'", info.name));
  return noError();
}

namespace {

/// The fields of an AttributeProto; its kind, which may come last, says which
/// of them count.
struct AttributeFields {
  int32_t type = NodeAttribute::Undefined;
  std::optional<float> f;
  std::optional<int64_t> i;
  std::optional<std::string_view> s, t, g;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<std::string> strings;
  std::vector<std::string_view> tensors, graphs;

  void read(Field<AttributeField> &field);
  NodeAttribute::Kind kind() const;
};

} // namespace

void AttributeFields::read(Field<AttributeField> &field) {
  auto add = [&](std::vector<std::string_view> &to) {
    if (auto message = field.view())
      to.push_back(*message);
  };
  switch (field.number()) {
  case AttributeField::F:
    field.read(f.emplace());
    break;
  case AttributeField::I:
    field.readInteger(i.emplace());
    break;
  case AttributeField::S:
    s = field.view();
    break;
  case AttributeField::T:
    t = field.view();
    break;
  case AttributeField::G:
    g = field.view();
    break;
  case AttributeField::Floats:
    field.append(floats);
    break;
  case AttributeField::Ints:
    field.append(ints);
    break;
  case AttributeField::Strings:
    field.append(strings);
    break;
  case AttributeField::Tensors:
    add(tensors);
    break;
  case AttributeField::Graphs:
    add(graphs);
    break;
  case AttributeField::Type:
    field.readInteger(type);
    break;
  default:
    field.skip();
  }
}

/// Files of IR version 1 and 2 do not state the kind: the field that is set
/// implies it.
NodeAttribute::Kind AttributeFields::kind() const {
  if (type != NodeAttribute::Undefined)
    return static_cast<NodeAttribute::Kind>(type);
  if (f)
    return NodeAttribute::Float;
  if (i)
    return NodeAttribute::Int;
  if (s)
    return NodeAttribute::String;
  if (t)
    return NodeAttribute::TensorValue;
  if (g)
    return NodeAttribute::GraphValue;
  if (!floats.empty())
    return NodeAttribute::Floats;
  if (!ints.empty())
    return NodeAttribute::Ints;
  if (!strings.empty())
    return NodeAttribute::Strings;
  if (!tensors.empty())
    return NodeAttribute::Tensors;
  if (!graphs.empty())
    return NodeAttribute::Graphs;
  return NodeAttribute::Undefined;
}

Status Reader::attribute(std::string_view message, NodeAttribute &to) {
  AttributeFields from;
  auto readField = [&](Field<AttributeField> &field) {
    if (field.number() == AttributeField::Name)
      field.read(to.name);
    else if (field.number() == AttributeField::RefAttrName)
      field.read(to.reference);
    else
      from.read(field);
    return noError();
  };
  Status status = messages.read<AttributeField>(message, readField);
  to.kind = from.kind();
  if (!status || !to.reference.empty())
    return status;
  auto addTensor = [&](std::string_view value) {
    to.tensors.emplace_back();
    if (status)
      status = tensor(value, to.tensors.back());
  };
  auto addGraph = [&](std::string_view value) {
    to.graphs.emplace_back();
    if (status)
      status = graph(value, to.graphs.back());
  };
  switch (to.kind) {
  case NodeAttribute::Float:
    to.f = from.f.value_or(0);
    break;
  case NodeAttribute::Int:
    to.i = from.i.value_or(0);
    break;
  case NodeAttribute::String:
    to.strings.emplace_back(from.s.value_or(""));
    break;
  case NodeAttribute::TensorValue:
    addTensor(from.t.value_or(""));
    break;
  case NodeAttribute::GraphValue:
    addGraph(from.g.value_or(""));
    break;
  case NodeAttribute::Floats:
    to.floats = std::move(from.floats);
    break;
  case NodeAttribute::Ints:
    to.ints = std::move(from.ints);
    break;
  case NodeAttribute::Strings:
    to.strings = std::move(from.strings);
    break;
  case NodeAttribute::Tensors:
    for (std::string_view value : from.tensors)
      addTensor(value);
    break;
  case NodeAttribute::Graphs:
    for (std::string_view value : from.graphs)
      addGraph(value);
    break;
  default: // sparse tensors, types: the rule that reads the attribute refuses
           // it by name
    break;
  }
  if (!status)
    return std::move(status.error()).in(to.name);
  return status;
}

Status Reader::node(std::string_view message, Node &to) {
  auto readField = [&](Field<NodeField> &field) {
    switch (field.number()) {
    case NodeField::Input:
      field.append(to.inputs);
      break;
    case NodeField::Output:
      field.append(to.outputs);
      break;
    case NodeField::Name:
      field.read(to.name);
      break;
    case NodeField::OpType:
      field.read(to.op);
      break;
    case NodeField::Domain:
      field.read(to.domain);
      break;
    case NodeField::Attribute:
      return element(field, to.attributes, &Reader::attribute);
    default:
      field.skip();
    }
    return noError();
  };
  Status status = messages.read<NodeField>(message, readField);
  if (!status)
    return std::move(status.error()).in(to.location());
  return status;
}

Status Reader::graph(std::string_view message, Graph &to) {
  auto readValue = [&](Field<GraphField> &field, std::vector<ValueInfo> &list) {
    auto value = field.view();
    return value ? this->value(*value, list) : noError();
  };
  auto readInitializer = [&](Field<GraphField> &field) {
    size_t before = to.initializers.size();
    Status status = element(field, to.initializers, &Reader::tensor);
    if (!status && to.initializers.size() > before)
      status =
          std::move(status.error())
              .in(fmt::format("initializer '{}'", to.initializers.back().name));
    return status;
  };
  auto readField = [&](Field<GraphField> &field) -> Status {
    switch (field.number()) {
    case GraphField::Node:
      return element(field, to.nodes, &Reader::node);
    case GraphField::Name:
      field.read(to.name);
      break;
    case GraphField::Initializer:
      return readInitializer(field);
    case GraphField::Input:
      return readValue(field, to.inputs);
    case GraphField::Output:
      return readValue(field, to.outputs);
    case GraphField::ValueInfo:
      return readValue(field, to.values);
    case GraphField::SparseInitializer:
      return unsupported("sparse initializers");
    default:
      field.skip();
    }
    return noError();
  };
  Status status = messages.read<GraphField>(message, readField);
  if (!status)
    return std::move(status.error()).in("graph");
  return status;
}

Status Reader::opset(std::string_view message, std::vector<OpsetImport> &to) {
  to.emplace_back();
  return messages.read<OpsetField>(message, [&](Field<OpsetField> &field) {
    if (field.number() == OpsetField::Domain)
      field.read(to.back().domain);
    else if (field.number() == OpsetField::Version)
      field.readInteger(to.back().version);
    else
      field.skip();
    return noError();
  });
}

Status Reader::function(std::string_view message, Function &to) {
  auto readField = [&](Field<FunctionField> &field) {
    switch (field.number()) {
    case FunctionField::Name:
      field.read(to.name);
      break;
    case FunctionField::Domain:
      field.read(to.domain);
      break;
    case FunctionField::Input:
      field.append(to.inputs);
      break;
    case FunctionField::Output:
      field.append(to.outputs);
      break;
    case FunctionField::Attribute:
      field.append(to.attributes);
      break;
    case FunctionField::AttributeProto:
      return element(field, to.defaults, &Reader::attribute);
    case FunctionField::Node:
      return element(field, to.nodes, &Reader::node);
    case FunctionField::OpsetImport:
      if (auto import = field.view())
        return opset(*import, to.opsets);
      break;
    default:
      field.skip();
    }
    return noError();
  };
  Status status = messages.read<FunctionField>(message, readField);
  if (!status)
    return std::move(status.error()).in(fmt::format("function '{}'", to.name));
  return status;
}

Status Reader::model(std::string_view message, Model &to) {
  bool hasGraph = false;
  auto readField = [&](Field<ModelField> &field) {
    switch (field.number()) {
    case ModelField::IRVersion:
      field.readInteger(to.irVersion);
      break;
    case ModelField::ProducerName:
      field.read(to.producerName);
      break;
    case ModelField::ProducerVersion:
      field.read(to.producerVersion);
      break;
    case ModelField::Domain:
      field.read(to.domain);
      break;
    case ModelField::ModelVersion:
      field.readInteger(to.modelVersion);
      break;
    case ModelField::OpsetImport:
      if (auto import = field.view())
        return opset(*import, to.opsets);
      break;
    case ModelField::MetadataProps:
      if (auto entry = field.view())
        return readEntry(messages, *entry, to.metadata);
      break;
    case ModelField::Functions: {
      auto nested = field.view();
      if (!nested)
        break;
      to.functions.emplace_back();
      return function(*nested, to.functions.back());
    }
    case ModelField::Graph:
      if (auto nested = field.view()) {
        hasGraph = true;
        return graph(*nested, to.graph);
      }
      break;
    default:
      field.skip();
    }
    return noError();
  };
  Status status = messages.read<ModelField>(message, readField);
  if (status && !hasGraph)
    return invalid("not an ONNX model: it has no graph");
  return status;
}

Result<Model>
zenith::onnx::parseModel(std::shared_ptr<const files::ByteSource> source,
                         const std::string &folder) {
  Model model;
  model.path = source->path();
  std::string_view message = source->bytes();
  Reader reader(std::move(source), folder);
  if (Status status = reader.model(message, model); !status)
    return status.error();
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
  std::string_view message = source->bytes();
  Reader reader(std::move(source), folder);
  Tensor tensor;
  if (Status status = reader.tensor(message, tensor); !status)
    return status.error();
  return tensor;
}
