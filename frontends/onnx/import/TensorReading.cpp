// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of data types, and the elements of constants of each of them.

#include "frontends/onnx/import/TensorReading.h"

#include "frontends/onnx/ImportONNX.h"

#include <cstring>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;

Type zenith::onnx::elementTypeOf(DataType type, MLIRContext *context) {
  Builder b(context);
  auto unsignedType = [&](unsigned width) {
    return IntegerType::get(context, width, IntegerType::Unsigned);
  };
  switch (type) {
  case DataType::Float:
    return b.getF32Type();
  case DataType::Double:
    return b.getF64Type();
  case DataType::Float16:
    return b.getF16Type();
  case DataType::BFloat16:
    return b.getBF16Type();
  case DataType::Float8E4M3FN:
    return b.getFloat8E4M3FNType();
  case DataType::Float8E4M3FNUZ:
    return b.getFloat8E4M3FNUZType();
  case DataType::Float8E5M2:
    return b.getFloat8E5M2Type();
  case DataType::Float8E5M2FNUZ:
    return b.getFloat8E5M2FNUZType();
  case DataType::Bool:
    return b.getI1Type();
  case DataType::Int4:
    return b.getIntegerType(4);
  case DataType::Int8:
    return b.getI8Type();
  case DataType::Int16:
    return b.getI16Type();
  case DataType::Int32:
    return b.getI32Type();
  case DataType::Int64:
    return b.getI64Type();
  case DataType::UInt4:
    return unsignedType(4);
  case DataType::UInt8:
    return unsignedType(8);
  case DataType::UInt16:
    return unsignedType(16);
  case DataType::UInt32:
    return unsignedType(32);
  case DataType::UInt64:
    return unsignedType(64);
  case DataType::Complex64:
    return ComplexType::get(b.getF32Type());
  case DataType::Complex128:
    return ComplexType::get(b.getF64Type());
  default:
    return {};
  }
}

Type zenith::onnx::storageTypeOf(DataType type, MLIRContext *context) {
  switch (type) {
  case DataType::Int2:
    return IntegerType::get(context, 4);
  case DataType::UInt2:
  case DataType::Float4E2M1:
    return IntegerType::get(context, 4, IntegerType::Unsigned);
  case DataType::Float8E8M0:
    return IntegerType::get(context, 8, IntegerType::Unsigned);
  default:
    return {};
  }
}

DataType zenith::onnx::dataTypeOf(Type element) {
  for (int type = 1; type <= int(DataType::Int2); ++type)
    if (elementTypeOf(static_cast<DataType>(type), element.getContext()) ==
        element)
      return static_cast<DataType>(type);
  return DataType::Undefined;
}

/// Element `index` of a type of at most 8 bits, packed low bits first.
static uint8_t packedElement(llvm::StringRef bytes, unsigned bits,
                             uint64_t index) {
  unsigned perByte = 8 / bits;
  return (uint8_t(bytes[index / perByte]) >> (index % perByte * bits)) &
         ((1u << bits) - 1);
}

DenseElementsAttr zenith::onnx::denseElements(const Tensor &tensor,
                                              RankedTensorType type) {
  std::string_view view = tensor.data.view();
  Type element = type.getElementType();
  uint64_t count = type.getNumElements();
  if (element.isInteger(1)) {
    llvm::SmallVector<bool> values;
    for (char byte : view)
      values.push_back(byte != 0);
    return DenseElementsAttr::get(type, values);
  }
  if (unsigned bits = dataTypeBits(tensor.type); bits < 8) {
    llvm::SmallVector<char> unpacked;
    for (uint64_t i = 0; i < count; ++i) {
      uint8_t value = packedElement(view, bits, i);
      bool isNegative = tensor.type == DataType::Int2 && value >= 2;
      unpacked.push_back(isNegative ? value | 0xc : value); // of 4 bits
    }
    return DenseElementsAttr::getFromRawBuffer(type, unpacked);
  }
  // MLIR's raw form takes a single element or an empty tensor for a splat; both
  // spellings mean the same.
  return DenseElementsAttr::getFromRawBuffer(
      type, llvm::ArrayRef<char>(view.data(), view.size()));
}

template <typename T>
static std::optional<llvm::SmallVector<int64_t>>
readIntegers(std::string_view bytes) {
  llvm::SmallVector<int64_t> values(bytes.size() / sizeof(T));
  for (size_t i = 0; i < values.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    if (std::is_unsigned<T>::value && sizeof(T) == 8 && int64_t(value) < 0)
      return std::nullopt;
    values[i] = int64_t(value);
  }
  return values;
}

std::optional<llvm::SmallVector<int64_t>>
zenith::onnx::integersOf(const Tensor &tensor) {
  std::string_view bytes = tensor.data.view();
  switch (tensor.type) {
  case DataType::Bool: {
    llvm::SmallVector<int64_t> values;
    for (char byte : bytes)
      values.push_back(byte != 0);
    return values;
  }
  case DataType::Int8:
    return readIntegers<int8_t>(bytes);
  case DataType::Int16:
    return readIntegers<int16_t>(bytes);
  case DataType::Int32:
    return readIntegers<int32_t>(bytes);
  case DataType::Int64:
    return readIntegers<int64_t>(bytes);
  case DataType::UInt8:
    return readIntegers<uint8_t>(bytes);
  case DataType::UInt16:
    return readIntegers<uint16_t>(bytes);
  case DataType::UInt32:
    return readIntegers<uint32_t>(bytes);
  case DataType::UInt64:
    return readIntegers<uint64_t>(bytes);
  default:
    return std::nullopt;
  }
}
