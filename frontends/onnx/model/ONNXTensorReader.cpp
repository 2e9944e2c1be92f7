// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors from protobuf: byte counts must fit shapes, files must lie inside of
// the model's folder.
#include "frontends/onnx/model/ONNXTensorReader.h"

#include "ZenithONNX.pb.h"
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>

using namespace zenith;
using namespace zenith::onnx;

/// Appends the `width` low bytes of each value: int32_data and uint64_data hold
/// narrower types this way.
template <typename Values>
static std::string narrowed(const Values &values, unsigned width) {
  std::string bytes;
  bytes.reserve(size_t(values.size()) * width);
  for (auto value : values)
    bytes.append(reinterpret_cast<const char *>(&value), width);
  return bytes;
}

template <typename Values> static std::string copied(const Values &values) {
  return std::string(reinterpret_cast<const char *>(values.data()),
                     size_t(values.size()) * sizeof(*values.data()));
}

Status TensorReader::typedData(const TensorProto &from, uint64_t elements,
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

Status TensorReader::externalData(const TensorProto &from, uint64_t bytes,
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
    return invalid(fmt::format("external data at {} with {} bytes exceeds "
                               "'{}', which has {} bytes",
                               offset, length, location, size));
  to.data = {*file, offset, length};
  return noError();
}

Status TensorReader::read(const TensorProto &from, Tensor &to) {
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
    to.data = files::ByteRange::fromMemory(from.raw_data());
  }
  if (to.data.length != *bytes)
    return invalid(fmt::format("has {} bytes where its shape needs {}",
                               to.data.length, *bytes));
  return noError();
}
