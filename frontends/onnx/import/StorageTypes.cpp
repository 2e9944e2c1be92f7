// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes floats that are stored as integers of the same bits.
#include "frontends/onnx/import/StorageTypes.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;

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
