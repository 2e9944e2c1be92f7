// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of ONNX data types, and the packing of types below 8 bits.

#include "frontends/tensors/PbFile.h"

#include "frontends/files/ElementNames.h"
#include "frontends/onnx/model/TensorProtoFile.h"
#include "ir/LLVMError.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::files;
using namespace zenith::tensors;
using llvm::Expected;
using onnx::DataType;

static constexpr std::pair<DataType, llvm::StringLiteral> dataTypes[] = {
    {DataType::Float, "f32"},
    {DataType::UInt8, "ui8"},
    {DataType::Int8, "i8"},
    {DataType::UInt16, "ui16"},
    {DataType::Int16, "i16"},
    {DataType::Int32, "i32"},
    {DataType::Int64, "i64"},
    {DataType::Bool, "i1"},
    {DataType::Float16, "f16"},
    {DataType::Double, "f64"},
    {DataType::UInt32, "ui32"},
    {DataType::UInt64, "ui64"},
    {DataType::Complex64, "complex<f32>"},
    {DataType::Complex128, "complex<f64>"},
    {DataType::BFloat16, "bf16"},
    {DataType::Float8E4M3FN, "f8E4M3FN"},
    {DataType::Float8E4M3FNUZ, "f8E4M3FNUZ"},
    {DataType::Float8E5M2, "f8E5M2"},
    {DataType::Float8E5M2FNUZ, "f8E5M2FNUZ"},
    {DataType::UInt4, "ui4"},
    {DataType::Int4, "i4"}};

/// Types that are stored as integers: types of 2 bits by their values, floats
/// by their bits.
static constexpr std::pair<DataType, llvm::StringLiteral> carriers[] = {
    {DataType::Float4E2M1, "ui4"},
    {DataType::Float8E8M0, "ui8"},
    {DataType::UInt2, "ui4"},
    {DataType::Int2, "i4"}};

Type zenith::tensors::elementTypeOf(DataType wanted, MLIRContext *context) {
  for (auto [type, name] : dataTypes)
    if (type == wanted)
      return elementTypeNamed(name, context);
  for (auto [type, name] : carriers)
    if (type == wanted)
      return elementTypeNamed(name, context);
  return Type();
}

/// Elements below a byte, packed low bits first.
static Tensor unpackBits(StringRef packed, unsigned bits,
                         RankedTensorType type) {
  Tensor tensor(type);
  if (!tensor)
    return tensor;
  bool isUnsigned = type.getElementType().isUnsignedInteger();
  int values = 1 << bits, perByte = 8 / int(bits);
  char *to = tensor.writable();
  for (int64_t i = 0, count = tensor.size(); i < count; ++i) {
    int value =
        uint8_t(packed[size_t(i / perByte)]) >> (i % perByte * int64_t(bits)) &
        (values - 1);
    to[i] = char(isUnsigned || value < values / 2 ? value : value - values);
  }
  return tensor;
}

Expected<Tensor> zenith::tensors::fromTensorProto(const onnx::Tensor &proto,
                                                  StringRef location,
                                                  MLIRContext *context) {
  Type element = elementTypeOf(proto.type, context);
  if (!element)
    return makeError(ErrorCode::Unsupported,
                     "has elements of type " +
                         std::string(onnx::dataTypeName(proto.type)),
                     location);
  auto type = RankedTensorType::get(proto.dims, element);
  StringRef bytes(proto.data.view());
  std::optional<uint64_t> expected = onnx::byteCount(proto.type, proto.dims);
  if (!expected || *expected != bytes.size() || !tensorBytes(type))
    return makeError(ErrorCode::Invalid,
                     "has " + std::to_string(bytes.size()) +
                         " bytes of elements for " + typeText(type),
                     location);
  Tensor tensor = element.isInteger(4)
                      ? unpackBits(bytes, onnx::dataTypeBits(proto.type), type)
                      : Tensor(type, bytes.data(), proto.data.source);
  if (!tensor)
    return makeError(ErrorCode::Invalid, "is larger than the free memory",
                     location);
  if (element.isInteger(1))
    for (char &byte :
         MutableArrayRef<char>(tensor.writable(), size_t(tensor.size())))
      byte = byte != 0;
  return tensor;
}

/// Elements of a byte each packed low bits first.
static std::string packBits(StringRef bytes, unsigned bits) {
  size_t perByte = 8 / bits;
  std::string packed((bytes.size() + perByte - 1) / perByte, '\0');
  for (size_t i = 0; i < bytes.size(); ++i)
    packed[i / perByte] =
        char(packed[i / perByte] | (bytes[i] & ((1 << bits) - 1))
                                       << (i % perByte * bits));
  return packed;
}

Expected<onnx::Tensor> zenith::tensors::toTensorProto(const Tensor &tensor,
                                                      StringRef name,
                                                      StringRef storedType) {
  onnx::Tensor proto;
  proto.name = name.str();
  proto.dims.assign(tensor.shape().begin(), tensor.shape().end());
  std::string element = elementName(tensor.elementType());
  for (auto [type, spelled] : dataTypes)
    if (spelled == element)
      proto.type = type;
  for (auto [type, spelled] : carriers)
    if (spelled == element && StringRef(onnx::dataTypeName(type)) == storedType)
      proto.type = type;
  if (proto.type == DataType::Undefined)
    return makeError(ErrorCode::Unsupported,
                     "ONNX has no element type " + element, name);
  std::string bytes(tensor.bytes(), size_t(tensor.byteSize()));
  if (tensor.elementType().isInteger(4)) {
    bytes = packBits(bytes, onnx::dataTypeBits(proto.type));
  }
  proto.data = files::ByteRange::fromMemory(std::move(bytes));
  return proto;
}

Expected<Tensor> zenith::tensors::readPb(const std::string &path,
                                         MLIRContext *context) {
  auto proto = onnx::readTensorProtoFile(path);
  if (!proto)
    return makeError(proto.error().ofFile(path));
  return fromTensorProto(*proto, path, context);
}

llvm::Error zenith::tensors::writePb(const std::string &path,
                                     const Tensor &tensor, StringRef name,
                                     StringRef storedType) {
  Expected<onnx::Tensor> proto = toTensorProto(tensor, name, storedType);
  if (!proto)
    return proto.takeError();
  Status status = onnx::writeTensorProtoFile(path, *proto);
  return status ? llvm::Error::success()
                : makeError(status.error().ofFile(path));
}
