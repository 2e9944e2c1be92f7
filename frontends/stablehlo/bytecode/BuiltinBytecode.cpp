// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The builtin dialect's encodings, including those newer than MLIR 19.

#include "frontends/stablehlo/bytecode/BytecodeEntities.h"
#include "frontends/stablehlo/bytecode/ElementBytes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeRange.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

Attribute BytecodeEntities::readBuiltinAttribute(BytecodeCursor &cursor) {
  uint64_t code = cursor.varint();
  switch (code) {
  case 0:
    return ArrayAttr::get(context, readAttributes(cursor));
  case 1:
    return readDictionary(cursor);
  case 2:
    return StringAttr::get(context, readText(cursor));
  case 3: {
    llvm::StringRef text = readText(cursor);
    Type type = readType(cursor);
    return type ? StringAttr::get(text, type) : nullptr;
  }
  case 4: {
    StringAttr name = readString(cursor);
    return name ? FlatSymbolRefAttr::get(name) : nullptr;
  }
  case 5: {
    StringAttr root = readString(cursor);
    SmallVector<FlatSymbolRefAttr> nested;
    for (Attribute reference : readAttributes(cursor)) {
      auto flat = dyn_cast_or_null<FlatSymbolRefAttr>(reference);
      if (!flat)
        cursor.fail("a symbol reference expected");
      nested.push_back(flat);
    }
    return cursor.ok() ? SymbolRefAttr::get(root, nested) : nullptr;
  }
  case 6: {
    Type type = readType(cursor);
    return type ? TypeAttr::get(type) : nullptr;
  }
  case 7:
    return UnitAttr::get(context);
  case 8:
  case 9:
    return readNumber(code == 9, cursor);
  case 10:
  case 11:
  case 12:
  case 13:
  case 14:
  case 15:
  case 22:
    return readBuiltinLocation(code, cursor);
  default:
    return readBuiltinElements(code, cursor);
  }
}

Attribute BytecodeEntities::readBuiltinElements(uint64_t code,
                                                BytecodeCursor &cursor) {
  if (code == 18)
    return readElements(cursor);
  if (code != 17) {
    status.unsupported("builtin attribute code " + llvm::Twine(code) +
                       " in an artifact");
    return {};
  }
  Type element = readType(cursor);
  uint64_t count = cursor.varint();
  llvm::StringRef bytes = cursor.take(cursor.varint());
  if (!cursor.ok())
    return {};
  unsigned width = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  if (width != 1 && width % 8)
    width = 0;
  uint64_t size = width == 1 ? 1 : width / 8;
  if (!size || count > bytes.size() || count * size != bytes.size()) {
    cursor.fail("an array of other bytes than its elements");
    return {};
  }
  return DenseArrayAttr::get(element, count,
                             ArrayRef(bytes.data(), bytes.size()));
}

Attribute BytecodeEntities::readBuiltinLocation(uint64_t code,
                                                BytecodeCursor &cursor) {
  switch (code) {
  case 10: {
    LocationAttr callee = readLocation(cursor), caller = readLocation(cursor);
    return cursor.ok() ? Attribute(CallSiteLoc::get(callee, caller)) : nullptr;
  }
  case 11:
  case 22: {
    StringAttr file = readString(cursor);
    // Four integers if the range ends on another line; the start is enough.
    uint64_t lineAndColumn[2] = {0, 0};
    uint64_t count = code == 11 ? 2 : cursor.count();
    for (uint64_t i = 0; i < count && cursor.ok(); ++i)
      (i < 2 ? lineAndColumn[i] : lineAndColumn[1]) =
          i < 2 ? cursor.varint() : (cursor.varint(), lineAndColumn[1]);
    return cursor.ok() ? Attribute(FileLineColLoc::get(file, lineAndColumn[0],
                                                       lineAndColumn[1]))
                       : nullptr;
  }
  case 12:
  case 13: {
    SmallVector<Location> parts;
    for (Attribute part : readAttributes(cursor)) {
      auto location = dyn_cast_or_null<LocationAttr>(part);
      if (!location) {
        cursor.fail("a location expected");
        return {};
      }
      parts.push_back(location);
    }
    Attribute metadata = code == 13 ? readAttribute(cursor) : Attribute();
    return cursor.ok() ? Attribute(FusedLoc::get(parts, metadata, context))
                       : nullptr;
  }
  case 14: {
    StringAttr name = readString(cursor);
    LocationAttr child = readLocation(cursor);
    return cursor.ok() ? Attribute(NameLoc::get(name, child)) : nullptr;
  }
  default:
    return UnknownLoc::get(context);
  }
}

Attribute BytecodeEntities::readNumber(bool isFloat, BytecodeCursor &cursor) {
  Type type = readType(cursor);
  if (!cursor.ok())
    return {};
  auto floating = dyn_cast<FloatType>(type);
  if (isFloat ? !floating : !type.isIntOrIndex()) {
    cursor.fail("a number of another type");
    return {};
  }
  unsigned width = type.isIndex() ? IndexType::kInternalStorageBitWidth
                                  : type.getIntOrFloatBitWidth();
  llvm::APInt bits = cursor.integer(width);
  if (!isFloat)
    return IntegerAttr::get(type, bits);
  return FloatAttr::get(type, APFloat(floating.getFloatSemantics(), bits));
}

Attribute BytecodeEntities::readElements(BytecodeCursor &cursor) {
  Type type = readType(cursor);
  llvm::StringRef bytes = cursor.take(cursor.varint());
  if (!cursor.ok())
    return {};
  auto tensor = dyn_cast<RankedTensorType>(type);
  Attribute elements = tensor ? elementsFromBytes(tensor, bytes) : nullptr;
  if (!elements)
    cursor.fail("a tensor of other bytes than its elements");
  return elements;
}

double BytecodeEntities::readDouble(BytecodeCursor &cursor) {
  return APFloat(APFloat::IEEEdouble(), cursor.integer(64)).convertToDouble();
}

Type BytecodeEntities::readComplex(BytecodeCursor &cursor) {
  Type element = readType(cursor);
  if (cursor.ok() && !element.isIntOrFloat())
    cursor.fail("complex numbers of another type");
  return cursor.ok() ? ComplexType::get(element) : Type();
}

Type BytecodeEntities::readTensor(bool encoded, BytecodeCursor &cursor) {
  Attribute encoding = encoded ? readAttribute(cursor) : Attribute();
  SmallVector<int64_t> dims = readIntegers(cursor);
  Type element = readType(cursor);
  for (int64_t dim : dims)
    if (dim < 0 && !ShapedType::isDynamic(dim))
      cursor.fail("a dimension of size " + llvm::Twine(dim));
  if (cursor.ok() && !TensorType::isValidElementType(element))
    cursor.fail("a tensor of another element type");
  return cursor.ok() ? RankedTensorType::get(dims, element, encoding) : Type();
}

Type BytecodeEntities::readBuiltinType(BytecodeCursor &cursor) {
  Builder builder(context);
  uint64_t code = cursor.varint();
  switch (code) {
  case 0: {
    uint64_t packed = cursor.varint();
    uint64_t width = packed >> 2, sign = packed & 3;
    if (width > IntegerType::kMaxWidth || sign > 2) {
      cursor.fail("an integer type of width " + llvm::Twine(width));
      return {};
    }
    return IntegerType::get(context, width,
                            IntegerType::SignednessSemantics(sign));
  }
  case 1:
    return builder.getIndexType();
  case 2: {
    SmallVector<Type> inputs = readTypes(cursor), results = readTypes(cursor);
    return cursor.ok() ? builder.getFunctionType(inputs, results) : Type();
  }
  case 3:
    return builder.getBF16Type();
  case 4:
    return builder.getF16Type();
  case 5:
    return builder.getF32Type();
  case 6:
    return builder.getF64Type();
  case 7:
    return builder.getF80Type();
  case 8:
    return builder.getF128Type();
  case 9:
    return readComplex(cursor);
  case 12:
    return builder.getNoneType();
  case 13:
  case 14:
    return readTensor(code == 14, cursor);
  case 15: {
    SmallVector<Type> parts = readTypes(cursor);
    return cursor.ok() ? TupleType::get(context, parts) : Type();
  }
  case 18: {
    Type element = readType(cursor);
    return cursor.ok() && TensorType::isValidElementType(element)
               ? UnrankedTensorType::get(element)
               : Type();
  }
  default:
    status.unsupported("builtin type code " + llvm::Twine(code) +
                       " in an artifact");
    return {};
  }
}
