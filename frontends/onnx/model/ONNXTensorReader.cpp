// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors from protobuf: byte counts must fit shapes, files must lie inside of
// the model's folder.
#include "frontends/onnx/model/ONNXTensorReader.h"

#include "frontends/onnx/model/ONNXFields.h"
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>

using namespace zenith;
using namespace zenith::onnx;

/// What a TensorProto says, before its parts are held against each other.
struct TensorReader::Fields {
  std::string name;
  std::vector<int64_t> dims;
  int32_t dataType = 0, location = 0;
  bool inSegments = false;
  std::optional<std::string_view> raw;
  std::vector<float> floats;
  std::vector<double> doubles;
  std::vector<int64_t> int32s, int64s, uint64s;
  std::vector<std::string> strings;
  std::vector<std::pair<std::string, std::string>> external;
};

Status
zenith::onnx::readEntry(MessageReader &reader, std::string_view message,
                        std::vector<std::pair<std::string, std::string>> &to) {
  to.emplace_back();
  return reader.read<EntryField>(message, [&](Field<EntryField> &field) {
    switch (field.number()) {
    case EntryField::Key:
      field.read(to.back().first);
      break;
    case EntryField::Value:
      field.read(to.back().second);
      break;
    default:
      field.skip();
    }
    return noError();
  });
}

/// Appends the `width` low bytes of each value: int32_data and uint64_data hold
/// narrower types this way.
static std::string narrowed(const std::vector<int64_t> &values,
                            unsigned width) {
  std::string bytes;
  bytes.reserve(values.size() * width);
  for (int64_t value : values)
    bytes.append(reinterpret_cast<const char *>(&value), width);
  return bytes;
}

template <typename Value>
static std::string copied(const std::vector<Value> &values) {
  return std::string(reinterpret_cast<const char *>(values.data()),
                     values.size() * sizeof(Value));
}

/// The data of a tensor in the fields that are typed; `to` has type and dims.
template <typename Fields>
static Status typedData(const Fields &from, uint64_t elements, Tensor &to) {
  unsigned bits = dataTypeBits(to.type);
  std::string bytes;
  uint64_t wanted = elements, got = 0;
  switch (to.type) {
  case DataType::Float:
  case DataType::Complex64:
    wanted *= to.type == DataType::Complex64 ? 2 : 1;
    got = from.floats.size();
    bytes = copied(from.floats);
    break;
  case DataType::Double:
  case DataType::Complex128:
    wanted *= to.type == DataType::Complex128 ? 2 : 1;
    got = from.doubles.size();
    bytes = copied(from.doubles);
    break;
  case DataType::Int64:
    got = from.int64s.size();
    bytes = copied(from.int64s);
    break;
  case DataType::UInt32:
  case DataType::UInt64:
    got = from.uint64s.size();
    bytes = narrowed(from.uint64s, bits / 8);
    break;
  default:
    if (bits < 8)
      wanted = (elements * bits + 7) / 8;
    got = from.int32s.size();
    bytes = narrowed(from.int32s, std::max(bits / 8, 1u));
  }
  if (got != wanted)
    return invalid(
        fmt::format("has {} values where its shape needs {}", got, wanted));
  to.data = files::ByteRange::fromMemory(std::move(bytes));
  return noError();
}

Result<std::shared_ptr<const files::ByteSource>>
TensorReader::externalFile(const std::string &location) {
  namespace fs = std::filesystem;
  if (auto known = mapped.find(location); known != mapped.end())
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
  // A link may lead to another file beside the model (or beside the target, if
  // the model itself is a link), not elsewhere.
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
  auto file = files::ByteSource::open((fs::path(folder) / relative).string());
  if (file)
    mapped[location] = *file;
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

Status TensorReader::externalData(const Fields &from, uint64_t bytes,
                                  Tensor &to) {
  std::string location;
  uint64_t offset = 0, length = bytes;
  for (const auto &[key, value] : from.external) {
    Status status = noError();
    if (key == "location")
      location = value;
    else if (key == "offset")
      status = parseNumber(value, "offset", offset);
    else if (key == "length")
      status = parseNumber(value, "length", length);
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
    return invalid(fmt::format("external data at {} with {} bytes exceeds "
                               "'{}', which has {} bytes",
                               offset, length, location, size));
  to.data = {*file, offset, length};
  return noError();
}

/// The typed field that has the elements of `type`.
static std::string_view typedField(DataType type) {
  switch (type) {
  case DataType::Float:
  case DataType::Complex64:
    return "float_data";
  case DataType::Double:
  case DataType::Complex128:
    return "double_data";
  case DataType::Int64:
    return "int64_data";
  case DataType::UInt32:
  case DataType::UInt64:
    return "uint64_data";
  case DataType::String:
    return "string_data";
  default:
    return "int32_data";
  }
}

/// Elements are in one field, and that of the tensor's type.
template <typename Fields>
static Status checkFields(const Fields &from, DataType type, bool external) {
  std::string_view first = external ? "external data" : "";
  std::pair<std::string_view, bool> fields[] = {
      {"raw_data", from.raw && !from.raw->empty()},
      {"float_data", !from.floats.empty()},
      {"double_data", !from.doubles.empty()},
      {"int32_data", !from.int32s.empty()},
      {"int64_data", !from.int64s.empty()},
      {"uint64_data", !from.uint64s.empty()},
      {"string_data", !from.strings.empty()}};
  for (auto [name, isGiven] : fields) {
    if (!isGiven)
      continue;
    if (!first.empty())
      return invalid(fmt::format("has {} beside {}", first, name));
    if (name != typedField(type) &&
        (name != "raw_data" || type == DataType::String))
      return invalid(fmt::format("of type {} has {}, expected {}",
                                 dataTypeName(type), name, typedField(type)));
    first = name;
  }
  return noError();
}

/// Data of a tensor whose name, type and dims are known.
Status TensorReader::data(const Fields &from, Tensor &to) {
  if (from.dataType == 0)
    return invalid("tensor without a data type");
  if (dataTypeName(to.type).empty())
    return unsupported(fmt::format("data type {}", from.dataType));
  if (from.inSegments)
    return unsupported("tensors in segments");
  auto elements = elementCount(to.dims);
  if (!elements)
    return invalid("a dimension is negative or the shape is too large");
  bool external = from.location == externalLocation;
  if (Status status = checkFields(from, to.type, external); !status)
    return status;
  if (to.type == DataType::String) {
    if (external || from.strings.size() != *elements)
      return invalid(fmt::format("has {} strings where its shape needs {}",
                                 from.strings.size(), *elements));
    to.strings = from.strings;
    return noError();
  }
  auto bytes = byteCount(to.type, to.dims);
  if (!bytes)
    return invalid("the shape is too large");
  if (external)
    return externalData(from, *bytes, to);
  if (!from.raw)
    return typedData(from, *elements, to);
  if (from.raw->size() != *bytes)
    return invalid(fmt::format("has {} bytes where its shape needs {}",
                               from.raw->size(), *bytes));
  if (*bytes < copiedBytes)
    to.data = files::ByteRange::fromMemory(std::string(*from.raw));
  else
    to.data = {source, uint64_t(from.raw->data() - source->bytes().data()),
               *bytes};
  return noError();
}

Status TensorReader::read(MessageReader &reader, std::string_view message,
                          Tensor &to) {
  Fields from;
  auto readField = [&](Field<TensorField> &field) {
    switch (field.number()) {
    case TensorField::Dims:
      field.append(from.dims);
      break;
    case TensorField::DataType:
      field.readInteger(from.dataType);
      break;
    case TensorField::Segment:
      field.skip();
      from.inSegments = true;
      break;
    case TensorField::FloatData:
      field.append(from.floats);
      break;
    case TensorField::Int32Data:
      field.append(from.int32s);
      break;
    case TensorField::StringData:
      field.append(from.strings);
      break;
    case TensorField::Int64Data:
      field.append(from.int64s);
      break;
    case TensorField::Name:
      field.read(from.name);
      break;
    case TensorField::RawData:
      from.raw = field.view();
      break;
    case TensorField::DoubleData:
      field.append(from.doubles);
      break;
    case TensorField::UInt64Data:
      field.append(from.uint64s);
      break;
    case TensorField::ExternalData:
      if (auto entry = field.view())
        return readEntry(reader, *entry, from.external);
      break;
    case TensorField::DataLocation:
      field.readInteger(from.location);
      break;
    default:
      field.skip();
    }
    return noError();
  };
  Status status = reader.read<TensorField>(message, readField);
  to.name = from.name;
  to.type = static_cast<DataType>(from.dataType);
  to.dims = from.dims;
  return status ? data(from, to) : status;
}
