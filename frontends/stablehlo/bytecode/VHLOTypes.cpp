// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// VHLO's types as the corresponding builtin, quantized or StableHLO types.

#include "frontends/stablehlo/bytecode/BytecodeEntities.h"

#include "frontends/stablehlo/dialect/StableHLODialect.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Quant/QuantOps.h"
#include "mlir/Dialect/Quant/QuantTypes.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

namespace {
// Integer types by code: width, unsigned.
struct IntegerCode {
  unsigned code, width;
  bool isUnsigned;
};
} // namespace

static constexpr IntegerCode integerCodes[] = {
    {0, 1, false},   {10, 4, false},  {11, 8, false}, {12, 16, false},
    {13, 32, false}, {14, 64, false}, {15, 4, true},  {16, 8, true},
    {17, 16, true},  {18, 32, true},  {19, 64, true}, {31, 2, false},
    {32, 2, true}};

// Types that neither MLIR 19 nor the dialect has.
static llvm::StringRef missingType(uint64_t code) {
  switch (code) {
  case 26:
    return "witness";
  case 41:
    return "buffer";
  case 42:
    return "future";
  default:
    return {};
  }
}

// Floats that MLIR 19 lacks.
static Type narrowType(uint64_t code, MLIRContext *context) {
  constexpr llvm::StringLiteral names[] = {"f8E3M4", "f4E2M1FN", "f6E2M3FN",
                                           "f6E3M2FN", "f8E8M0FNU"};
  constexpr uint64_t first = 36;
  return code >= first && code - first < std::size(names)
             ? NarrowFloatType::get(context, names[code - first])
             : Type();
}

static Type floatType(uint64_t code, Builder &builder) {
  switch (code) {
  case 2:
    return builder.getBF16Type();
  case 3:
    return builder.getF16Type();
  case 4:
    return builder.getF32Type();
  case 5:
    return builder.getF64Type();
  case 6:
    return builder.getFloat8E4M3FNType();
  case 7:
    return builder.getFloat8E5M2Type();
  case 27:
    return builder.getFloat8E4M3FNUZType();
  case 28:
    return builder.getFloat8E5M2FNUZType();
  case 29:
    return builder.getFloat8E4M3B11FNUZType();
  case 34:
    return builder.getTF32Type();
  case 35:
    return builder.getFloat8E4M3Type();
  default:
    return {};
  }
}

Type BytecodeEntities::readVHLOType(BytecodeCursor &cursor) {
  Builder builder(context);
  uint64_t code = cursor.varint();
  for (const IntegerCode &integer : integerCodes)
    if (integer.code == code)
      return IntegerType::get(context, integer.width,
                              integer.isUnsigned ? IntegerType::Unsigned
                                                 : IntegerType::Signless);
  if (Type type = floatType(code, builder))
    return type;
  if (Type type = narrowType(code, context))
    return type;
  if (code == 9)
    return builder.getIndexType();
  if (code == 33)
    return builder.getNoneType();
  llvm::StringRef missing = missingType(code);
  if (!missing.empty()) {
    status.unsupported("type " + missing);
    return {};
  }
  return readVHLOComposed(code, cursor);
}

Type BytecodeEntities::readVHLOComposed(uint64_t code, BytecodeCursor &cursor) {
  switch (code) {
  case 1:
    return readComplex(cursor);
  case 8: {
    SmallVector<Type> inputs = readTypes(cursor), results = readTypes(cursor);
    return cursor.ok() ? FunctionType::get(context, inputs, results) : Type();
  }
  case 20:
  case 21:
    return readTensor(code == 21, cursor);
  case 22:
    return parseType("!stablehlo.token", context);
  case 23: {
    SmallVector<Type> parts = readTypes(cursor);
    return cursor.ok() ? TupleType::get(context, parts) : Type();
  }
  case 24:
  case 30:
    return readQuantized(code == 30, cursor);
  case 25: {
    Type element = readType(cursor);
    return cursor.ok() && TensorType::isValidElementType(element)
               ? UnrankedTensorType::get(element)
               : Type();
  }
  default:
    status.unsupported("VHLO type code " + llvm::Twine(code));
    return {};
  }
}

Type BytecodeEntities::readQuantized(bool perAxis, BytecodeCursor &cursor) {
  uint64_t flags = cursor.varint();
  Type storage = readType(cursor), expressed = readType(cursor);
  SmallVector<double> scales;
  SmallVector<int64_t> zeroPoints;
  uint64_t axis = 0;
  if (perAxis) {
    axis = cursor.varint();
  } else {
    scales.push_back(readDouble(cursor));
    zeroPoints.push_back(cursor.signedVarint());
  }
  int64_t low = cursor.signedVarint(), high = cursor.signedVarint();
  if (perAxis) {
    uint64_t count = cursor.count();
    for (uint64_t i = 0; i < count && cursor.ok(); ++i)
      scales.push_back(readDouble(cursor));
    zeroPoints = readIntegers(cursor);
  }
  if (!cursor.ok())
    return {};
  if (!context->getLoadedDialect<quant::QuantizationDialect>()) {
    status.unsupported("quantized types");
    return {};
  }
  std::string message = "a quantized type";
  ScopedDiagnosticHandler quiet(context, [&](Diagnostic &diagnostic) {
    message = "a quantized type: " + diagnostic.str();
    return success();
  });
  auto emit = [&] { return mlir::emitError(UnknownLoc::get(context)); };
  Type type;
  bool fits = axis <= INT32_MAX && isa<IntegerType>(storage);
  if (fits && perAxis)
    type = quant::UniformQuantizedPerAxisType::getChecked(
        emit, flags, storage, expressed, scales, zeroPoints, int32_t(axis), low,
        high);
  else if (fits)
    type = quant::UniformQuantizedType::getChecked(
        emit, flags, storage, expressed, scales[0], zeroPoints[0], low, high);
  if (!type)
    cursor.fail(message);
  return type;
}
