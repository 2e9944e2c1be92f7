// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes and encodes floats that are stored as integers of the same bits, and
// integers of two bits.
#include "frontends/onnx/import/StorageTypes.h"
#include "frontends/onnx/import/ScalarValue.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;

bool zenith::onnx::isEmulatedNumber(DataType type) {
  return isStoredAsBits(type) || type == DataType::Int2 ||
         type == DataType::UInt2;
}

Value zenith::onnx::decodedBits(NodeReading &n, size_t index) {
  ImportBuilder &b = n.b;
  Type f32 = b.builder.getF32Type(), i32 = b.builder.getI32Type();
  Value bits = b.convert(n.input(index), i32);
  auto constant = [&](double value) { return b.scalarConstant(i32, value); };
  auto toFloat = [&](Value value) {
    return b.emit<graph::BitcastOp>(
        cast<RankedTensorType>(value.getType()).clone(f32), value);
  };
  if (n.imported(index).emulated == DataType::Float8E8M0) {
    // The exponent alone; its least one is below f32's normal numbers.
    Value power = b.binary<graph::ShiftLeftOp>(bits, constant(23));
    Value least = b.compare(CompareDirection::eq, bits, constant(0)),
          isNaN = b.compare(CompareDirection::eq, bits, constant(255));
    power = b.select(least, constant(0x00400000), power);
    return toFloat(b.select(isNaN, constant(0x7fc00000), power));
  }
  // One sign, two exponent and one mantissa bit: halves of 0, 1, 2, 3, 4, 6, 8,
  // 12.
  Value mantissa = b.binary<graph::AndOp>(bits, constant(1)),
        exponent = b.binary<graph::AndOp>(
            b.binary<graph::ShiftRightLogicalOp>(bits, constant(1)),
            constant(3)),
        isNormal = b.compare(CompareDirection::ne, exponent, constant(0));
  Value halves = b.select(
      isNormal,
      b.binary<graph::ShiftLeftOp>(
          b.binary<graph::OrOp>(mantissa, constant(2)),
          b.binary<graph::SubOp>(b.binary<graph::MaxOp>(exponent, constant(1)),
                                 constant(1))),
      mantissa);
  Value magnitude = b.binary<graph::MulOp>(b.convert(halves, f32), 0.5);
  Value isNegative = b.compare(CompareDirection::ge, bits, constant(8));
  return b.select(isNegative, b.unary<graph::NegOp>(magnitude), magnitude);
}

/// The low two bits of an integer, with their sign.
static Value lowBits(ImportBuilder &b, Value bits, bool isSigned) {
  ScalarValue two(b, b.binary<graph::AndOp>(bits, 3.0));
  if (!isSigned)
    return two;
  return (two - 4.0).where(two.compare(CompareDirection::ge, 2.0), two);
}

/// Exponent bits of an f32, whose fraction rounds them; 255 is NaN.
static Value exponentBits(ImportBuilder &b, Value bits,
                          llvm::StringRef rounding) {
  Value shift = b.scalarConstant(b.builder.getI32Type(), 23);
  ScalarValue exponent(
      b, b.binary<graph::AndOp>(
             b.binary<graph::ShiftRightLogicalOp>(bits, shift), 255.0)),
      fraction(b, b.binary<graph::AndOp>(bits, double(0x7fffff)));
  if (rounding == "down")
    return exponent;
  double half = 0x400000;
  Value roundsUp;
  if (rounding == "nearest") {
    Value isMore = fraction.compare(CompareDirection::gt, half),
          isTie = fraction.compare(CompareDirection::eq, half),
          isNormal = exponent.compare(CompareDirection::gt, 0.0);
    roundsUp =
        b.binary<graph::OrOp>(isMore, b.binary<graph::AndOp>(isTie, isNormal));
  } else {
    roundsUp = fraction.compare(CompareDirection::gt, 0.0);
  }
  Value hasNext = exponent.compare(CompareDirection::lt, 254.0);
  return (exponent + 1.0)
      .where(b.binary<graph::AndOp>(roundsUp, hasNext), exponent);
}

/// One sign, two exponent bits and one mantissa bit: the nearest of 0, 0.5, 1,
/// 1.5, 2, 3, 4, 6, ties to even.
static Value nearestFourBits(ImportBuilder &b, Value x, Value bits) {
  // Between neighbours, and whether the middle belongs to the larger one.
  constexpr std::pair<double, bool> middles[] = {
      {0.25, false}, {0.75, true}, {1.25, false}, {1.75, true},
      {2.5, false},  {3.5, true},  {5, false}};
  Type i32 = b.builder.getI32Type();
  ScalarValue magnitude = ScalarValue(b, x).abs(),
              isNegative(
                  b, ScalarValue(b, bits).compare(CompareDirection::lt, 0.0));
  ScalarValue code = isNegative.to(i32) * 8.0;
  for (auto [middle, belongs] : middles)
    code =
        code + ScalarValue(b, magnitude.compare(belongs ? CompareDirection::ge
                                                        : CompareDirection::gt,
                                                middle))
                   .to(i32);
  // NaN becomes -0.
  Value isNaN = b.compare(CompareDirection::ne, x, x);
  return ScalarValue(b, code.constant(8)).where(isNaN, code);
}

Value zenith::onnx::encodedBits(ImportBuilder &b, Value value, DataType type,
                                llvm::StringRef rounding) {
  MLIRContext *context = b.builder.getContext();
  Type f32 = b.builder.getF32Type(), i32 = b.builder.getI32Type();
  Type storage = storageTypeOf(type, context);
  if (!isStoredAsBits(type))
    return b.convert(lowBits(b, b.convert(value, i32), type == DataType::Int2),
                     storage);
  Value x = b.convert(value, f32);
  Value bits = b.emit<graph::BitcastOp>(
      cast<RankedTensorType>(x.getType()).clone(i32), x);
  return b.convert(type == DataType::Float4E2M1
                       ? nearestFourBits(b, x, bits)
                       : exponentBits(b, bits, rounding),
                   storage);
}
