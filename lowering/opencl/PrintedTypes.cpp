// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type names, casts and literals of OpenCL C.

#include "lowering/opencl/PrintedTypes.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace zenith::opencl {

llvm::StringRef spelled(Space space) {
  return space == Space::Global ? "__global" : "__private";
}

unsigned laneCount(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements();
  return 1;
}

llvm::SmallVector<unsigned, 4> chunkLanes(Type type) {
  unsigned rest = laneCount(type);
  llvm::SmallVector<unsigned, 4> lanes;
  for (unsigned width = 16; width > 0; width /= 2)
    for (; rest >= width; rest -= width)
      lanes.push_back(width);
  return lanes;
}

static std::string scalarName(Type element) {
  if (element.isF32())
    return "float";
  if (element.isF64())
    return "double";
  if (isa<FloatType>(element))
    return element.getIntOrFloatBitWidth() == 16  ? "ushort"
           : element.getIntOrFloatBitWidth() == 8 ? "uchar"
                                                  : "";
  if (element.isIndex())
    return "long";
  if (!element.isInteger())
    return "";
  switch (element.getIntOrFloatBitWidth()) {
  case 1:
  case 32:
    return "int";
  case 8:
    return "char";
  case 16:
    return "short";
  case 64:
    return "long";
  }
  return "";
}

static std::string withLanes(std::string name, unsigned lanes) {
  if (name.empty() || lanes == 1)
    return name;
  return name + std::to_string(lanes);
}

std::string typeName(Type element, unsigned lanes) {
  return withLanes(scalarName(element), lanes);
}

std::string memoryName(Type element) {
  return element.isInteger(1) ? "char" : scalarName(element);
}

unsigned laneBits(Type element) {
  if (element.isIndex())
    return 64;
  return element.isInteger(1) ? 32 : element.getIntOrFloatBitWidth();
}

std::string signedName(Type element, unsigned lanes) {
  switch (laneBits(element)) {
  case 8:
    return withLanes("char", lanes);
  case 16:
    return withLanes("short", lanes);
  case 64:
    return withLanes("long", lanes);
  }
  return withLanes("int", lanes);
}

std::string unsignedName(Type element, unsigned lanes) {
  return "u" + signedName(element, lanes);
}

std::string reinterpret(const std::string &value, const std::string &typeName,
                        unsigned lanes) {
  return "as_" + typeName + "(" + value + ")";
}

std::string convert(const std::string &value, const std::string &typeName,
                    unsigned lanes) {
  if (lanes == 1)
    return "(" + typeName + ")(" + value + ")";
  return "convert_" + typeName + "(" + value + ")";
}

static std::string integerLiteral(const llvm::APInt &value, bool isLong) {
  llvm::StringRef suffix = isLong ? "L" : "";
  // The smallest integer has no literal: its digits alone are out of range.
  if (value.isMinSignedValue() && value.getBitWidth() >= 32)
    return ("(" + llvm::toString(value + 1, 10, true) + suffix + " - 1)").str();
  std::string digits = llvm::toString(value, 10, true) + suffix.str();
  return value.isNegative() ? "(" + digits + ")" : digits;
}

static std::string floatLiteral(const llvm::APFloat &value, Type type) {
  bool isDouble = type.isF64();
  if (!isDouble && !type.isF32()) {
    llvm::APInt bits = value.bitcastToAPInt();
    std::string name = scalarName(type);
    return "(" + name + ")0x" + llvm::toString(bits, 16, false);
  }
  if (!value.isFinite())
    return (isDouble ? "as_double(0x" : "as_float(0x") +
           llvm::toString(value.bitcastToAPInt(), 16, false) +
           (isDouble ? "UL)" : "u)");
  char text[64];
  unsigned length = value.convertToHexString(
      text, 0, false, llvm::APFloat::rmNearestTiesToEven);
  std::string digits(text, length);
  if (!isDouble)
    digits += "f";
  return value.isNegative() ? "(" + digits + ")" : digits;
}

std::string literal(Attribute element, unsigned lanes) {
  if (auto number = dyn_cast<FloatAttr>(element))
    return floatLiteral(number.getValue(), number.getType());
  auto integer = cast<IntegerAttr>(element);
  if (integer.getType().isInteger(1))
    return integer.getValue().isZero() ? "0" : lanes == 1 ? "1" : "(-1)";
  return integerLiteral(integer.getValue(),
                        integer.getType().isIndex() ||
                            integer.getType().isInteger(64));
}

} // namespace zenith::opencl
