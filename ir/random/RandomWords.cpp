// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounds of Threefry and Philox, and the arithmetic on words that they need.

#include "ir/random/RandomWords.h"
#include "ir/matchers/ValueBuilders.h"

using namespace mlir;

namespace zenith::graph {

Value WordBuilder::everywhere(Value scalar) {
  if (shape.empty())
    return scalar;
  auto element = cast<RankedTensorType>(scalar.getType()).getElementType();
  return b.create<BroadcastOp>(loc, type(element), scalar, ArrayRef<int64_t>{},
                               sizes);
}

Value WordBuilder::number(unsigned width, uint64_t value) {
  bool isStatic = !ShapedType::isDynamicShape(shape);
  auto splat = RankedTensorType::get(
      isStatic ? ArrayRef<int64_t>(shape) : ArrayRef<int64_t>(), word(width));
  Value constant = b.create<ConstantOp>(
      loc,
      cast<ElementsAttr>(DenseElementsAttr::get(splat, APInt(width, value))));
  return isStatic ? constant : everywhere(constant);
}

Value WordBuilder::convert(Value value, unsigned width) {
  return converted(b, value, word(width));
}

std::pair<Value, Value> WordBuilder::halves(Value value) {
  Value upper = make<ShiftRightLogicalOp>(value, number(64, 32));
  return {convert(value, 32), convert(upper, 32)};
}

Value WordBuilder::joined(Value low, Value high) {
  Value upper = make<ShiftLeftOp>(convert(high, 64), number(64, 32));
  return make<OrOp>(convert(low, 64), upper);
}

Value WordBuilder::rotatedLeft(Value value, unsigned amount) {
  return make<OrOp>(make<ShiftLeftOp>(value, number(32, amount)),
                    make<ShiftRightLogicalOp>(value, number(32, 32 - amount)));
}

Value WordBuilder::elementOf(Value vector, int64_t index) {
  auto from = cast<RankedTensorType>(vector.getType());
  Value part = b.create<SliceOp>(
      loc, from.clone(ArrayRef<int64_t>{1}), vector, ValueRange{}, ValueRange{},
      b.getDenseI64ArrayAttr({index}), b.getDenseI64ArrayAttr({1}),
      b.getDenseI64ArrayAttr({1}));
  return everywhere(b.create<ReshapeOp>(loc, from.clone(ArrayRef<int64_t>{}),
                                        part, ValueRange{}));
}

Value WordBuilder::places(unsigned width) {
  if (!ShapedType::isDynamicShape(shape)) {
    int64_t count = ShapedType::getNumElements(shape);
    auto flat = RankedTensorType::get({count}, word(width));
    return reshaped(b, loc, b.create<IotaOp>(loc, flat, 0, ValueRange{}),
                    shape);
  }
  // Horner's rule over the dimensions.
  Value sum = number(width, 0);
  auto size = sizes.begin();
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    Value factor = ShapedType::isDynamic(extent)
                       ? everywhere(converted(b, *size++, word(width)))
                       : number(width, uint64_t(extent));
    Value index = b.create<IotaOp>(loc, type(word(width)), int64_t(dim), sizes);
    sum = add(make<MulOp>(sum, factor), index);
  }
  return sum;
}

std::pair<Value, Value> WordBuilder::sum128(Value low, Value high,
                                            Value steps) {
  Value sum = add(low, steps);
  Value carries = b.create<CompareOp>(loc, type(b.getI1Type()),
                                      CompareDirection::lt, sum, low);
  return {sum, add(high, convert(carries, 64))};
}

WordBuilder::Words WordBuilder::threefry(Words x, Value keyLow, Value keyHigh) {
  static constexpr unsigned rotations[2][4] = {{13, 15, 26, 6},
                                               {17, 29, 16, 24}};
  Value third = exclusive(exclusive(keyLow, keyHigh), number(32, 0x1BD11BDAu));
  Value keys[3] = {keyLow, keyHigh, third};
  x = {add(x[0], keys[0]), add(x[1], keys[1])};
  for (unsigned group = 0; group < 5; ++group) {
    for (unsigned rotation : rotations[group % 2]) {
      x[0] = add(x[0], x[1]);
      x[1] = exclusive(rotatedLeft(x[1], rotation), x[0]);
    }
    x[0] = add(x[0], keys[(group + 1) % 3]);
    x[1] = add(add(x[1], keys[(group + 2) % 3]), number(32, group + 1));
  }
  return x;
}

WordBuilder::Words WordBuilder::philox(Words x, Value keyLow, Value keyHigh) {
  for (unsigned round = 0; round < 10; ++round) {
    auto product = [&](Value factor, uint32_t constant) {
      return halves(make<MulOp>(convert(factor, 64), number(64, constant)));
    };
    auto [firstLow, firstHigh] = product(x[0], 0xD2511F53u);
    auto [secondLow, secondHigh] = product(x[2], 0xCD9E8D57u);
    x = {exclusive(exclusive(secondHigh, x[1]), keyLow), secondLow,
         exclusive(exclusive(firstHigh, x[3]), keyHigh), firstLow};
    keyLow = add(keyLow, number(32, 0x9E3779B9u));
    keyHigh = add(keyHigh, number(32, 0xBB67AE85u));
  }
  return x;
}

} // namespace zenith::graph
