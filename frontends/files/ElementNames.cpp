// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of element type names and the texts of shapes.

#include "frontends/files/ElementNames.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::files;

Type zenith::files::elementTypeNamed(StringRef name, MLIRContext *context) {
  Builder b(context);
  unsigned width = 0;
  StringRef digits = name;
  if (name == "bool")
    return b.getI1Type();
  if (digits.consume_front("ui") && !digits.getAsInteger(10, width) &&
      llvm::is_contained({4u, 8u, 16u, 32u, 64u}, width))
    return IntegerType::get(context, width, IntegerType::Unsigned);
  digits = name;
  if (digits.consume_front("i") && !digits.getAsInteger(10, width) &&
      llvm::is_contained({1u, 4u, 8u, 16u, 32u, 64u}, width))
    return b.getIntegerType(width);
  Type all[] = {b.getF16Type(),
                b.getBF16Type(),
                b.getF32Type(),
                b.getF64Type(),
                b.getFloat8E5M2Type(),
                b.getFloat8E4M3Type(),
                b.getFloat8E4M3FNType(),
                b.getFloat8E5M2FNUZType(),
                b.getFloat8E4M3FNUZType(),
                b.getFloat8E4M3B11FNUZType(),
                ComplexType::get(b.getF32Type()),
                ComplexType::get(b.getF64Type())};
  for (Type type : all)
    if (elementName(type) == name)
      return type;
  return Type();
}

std::string zenith::files::elementName(Type element) {
  std::string name;
  llvm::raw_string_ostream(name) << element;
  return name;
}

Type zenith::files::fileElement(Type element) {
  MLIRContext *context = element.getContext();
  auto unsignedOf = [&](unsigned width) -> Type {
    return IntegerType::get(context, width, IntegerType::Unsigned);
  };
  if (element.isBF16())
    return unsignedOf(16);
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8)
    return unsignedOf(8);
  if (element.isInteger(4))
    return element.isUnsignedInteger() ? unsignedOf(8)
                                       : IntegerType::get(context, 8);
  return element;
}

// True where every byte is a value of 4 bits, as Tensor holds them.
static bool fitsFourBits(const Tensor &tensor, bool isUnsigned) {
  ArrayRef<char> bytes(tensor.bytes(), size_t(tensor.size()));
  return llvm::all_of(bytes, [&](char byte) {
    return isUnsigned ? uint8_t(byte) < 16
                      : int8_t(byte) >= -8 && int8_t(byte) < 8;
  });
}

Tensor zenith::files::asWanted(Tensor tensor, Type wanted) {
  if (!tensor || tensor.elementType() == wanted ||
      tensor.elementType() != fileElement(wanted))
    return tensor;
  if (wanted.isInteger(4) && !fitsFourBits(tensor, wanted.isUnsignedInteger()))
    return tensor;
  return Tensor(RankedTensorType::get(tensor.shape(), wanted),
                ArrayRef<char>(tensor.bytes(), tensor.byteSize()));
}

std::string zenith::files::shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t size : shape)
    text +=
        (text.empty() ? "" : "x") +
        (ShapedType::isDynamic(size) ? std::string("?") : std::to_string(size));
  return text;
}

std::string zenith::files::typeText(RankedTensorType type) {
  return elementName(type.getElementType()) + "[" + shapeText(type.getShape()) +
         "]";
}

std::optional<RankedTensorType>
zenith::files::parseTypeText(StringRef text, MLIRContext *context) {
  auto [name, rest] = text.split('[');
  Type element = elementTypeNamed(name, context);
  if (!element)
    return std::nullopt;
  SmallVector<int64_t> shape;
  if (name.size() != text.size()) {
    if (!rest.consume_back("]"))
      return std::nullopt;
    SmallVector<StringRef> sizes;
    if (!rest.empty())
      rest.split(sizes, 'x');
    for (StringRef size : sizes)
      if (size.getAsInteger(10, shape.emplace_back()) || shape.back() < 0)
        return std::nullopt;
  }
  auto type = RankedTensorType::get(shape, element);
  if (!tensorBytes(type))
    return std::nullopt;
  return type;
}
