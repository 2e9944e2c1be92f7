// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes are checked before MLIR sees the bytes, since MLIR only asserts.

#include "frontends/stablehlo/bytecode/ElementBytes.h"

#include "frontends/stablehlo/dialect/NarrowFormat.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"
#include <optional>

using namespace mlir;
using namespace zenith;
using stablehlo::NarrowFormat;

// Count of elements; nothing if it overflows.
static std::optional<uint64_t> elementCount(RankedTensorType type) {
  uint64_t count = 1;
  for (int64_t dim : type.getShape()) {
    if (ShapedType::isDynamic(dim))
      return std::nullopt;
    if (llvm::MulOverflow(int64_t(count), dim,
                          reinterpret_cast<int64_t &>(count)))
      return std::nullopt;
  }
  return count;
}

static DenseElementsAttr booleans(RankedTensorType type, uint64_t count,
                                  llvm::StringRef bytes) {
  bool packed = bytes.size() == llvm::divideCeil(count, 8);
  bool each = !packed && bytes.size() == count;
  if (!packed && !each) {
    if (bytes.size() != 1)
      return nullptr;
    return DenseElementsAttr::get(type, bytes[0] != 0);
  }
  SmallVector<bool> values;
  values.reserve(count);
  // A packed byte of ones alone stands for all elements, as above.
  for (uint64_t i = 0; i < count; ++i)
    values.push_back(each ? bytes[i] != 0 : (bytes[i / 8] >> (i % 8)) & 1);
  return DenseElementsAttr::get(type, values);
}

static DenseElementsAttr wideNumbers(RankedTensorType type, uint64_t count,
                                     const NarrowFormat &format,
                                     llvm::StringRef bytes) {
  if (bytes.size() != count && bytes.size() != 1)
    return nullptr;
  SmallVector<double> values;
  for (unsigned char code : bytes)
    values.push_back(format.decode(code));
  return DenseElementsAttr::get(type.clone(Float64Type::get(type.getContext())),
                                ArrayRef(values));
}

DenseElementsAttr zenith::stablehlo::elementsFromBytes(RankedTensorType type,
                                                       llvm::StringRef bytes) {
  std::optional<uint64_t> count = elementCount(type);
  Type element = type.getElementType();
  auto complex = dyn_cast<ComplexType>(element);
  Type part = complex ? complex.getElementType() : element;
  if (const NarrowFormat *format = NarrowFormat::of(part))
    return count ? wideNumbers(type, *count, *format, bytes) : nullptr;
  if (!count || !part.isIntOrIndexOrFloat())
    return nullptr;
  unsigned bits = part.isIndex() ? 64 : part.getIntOrFloatBitWidth();
  if (*count == 0)
    return bytes.empty() ? DenseElementsAttr::get(type, ArrayRef<Attribute>())
                         : nullptr;
  if (bits == 1 && !complex)
    return booleans(type, *count, bytes);
  uint64_t size = llvm::divideCeil(bits, 8) * (complex ? 2 : 1);
  bool fits = bytes.size() == size ||
              (*count <= bytes.size() && *count * size == bytes.size());
  if (!fits)
    return nullptr;
  return DenseElementsAttr::getFromRawBuffer(
      type, ArrayRef(bytes.data(), bytes.size()));
}
