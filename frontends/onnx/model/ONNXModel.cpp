// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data types by code, sizes of shapes without overflow, and the names of nodes
// in messages.
#include "frontends/onnx/model/ONNXModel.h"

#include <fmt/format.h>
#include <iterator>

using namespace zenith;
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

std::string Node::location() const {
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
