// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds and recognises the decoding of panels: fields of bytes, joined along
// K, minus zero points, times scales.

#include "ir/encodings/CodedPanels.h"
#include "ir/GraphOps.h"
#include "ir/encodings/PackedPanels.h"
#include "ir/matchers/SplatConstant.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"

using namespace mlir;

namespace zenith::graph {

/// Of a code in a byte.
static constexpr int64_t lowBits = 15, highShift = 4;

/// The first `k` rows of [panels, rows, panel].
static Value firstRows(OpBuilder &builder, Location loc, Value value,
                       int64_t k) {
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> sizes(type.getShape());
  if (sizes[1] == k)
    return value;
  sizes[1] = k;
  return builder.create<SliceOp>(loc, type.clone(sizes), value, ValueRange(),
                                 ValueRange(), ArrayRef<int64_t>{0, 0, 0},
                                 sizes, ArrayRef<int64_t>{1, 1, 1});
}

/// Entries [panels, blocks, panel], each for all k of its block.
static Value repeated(OpBuilder &builder, Location loc, Value entries,
                      const CodedPanels &panels) {
  RankedTensorType type = typeOf(entries);
  int64_t count = type.getDimSize(0), blocks = type.getDimSize(1),
          width = type.getDimSize(2), block = panels.block;
  Value each = builder.create<BroadcastOp>(
      loc, type.clone({count, blocks, block, width}), entries,
      ArrayRef<int64_t>{0, 1, 3}, ValueRange());
  return firstRows(builder, loc,
                   reshaped(builder, loc, each, {count, blocks * block, width}),
                   panels.k);
}

/// The two codes in each byte.
static Value splitBytes(OpBuilder &builder, Location loc,
                        const CodedPanels &panels) {
  Value bytes = panels.integers;
  RankedTensorType type = typeOf(bytes);
  int64_t count = type.getDimSize(0), pairs = type.getDimSize(1),
          width = type.getDimSize(2);
  Value low = builder.create<AndOp>(loc, type, bytes,
                                    integersLike(builder, loc, bytes, lowBits));
  Value high = builder.create<ShiftRightLogicalOp>(
      loc, type, bytes, integersLike(builder, loc, bytes, highShift));
  auto apart = [&](Value half) {
    return reshaped(builder, loc, half, {count, pairs, 1, width});
  };
  Value joined = builder.create<ConcatOp>(
      loc, type.clone({count, pairs, 2, width}),
      /*dim=*/uint64_t(2), ValueRange{apart(low), apart(high)});
  return firstRows(builder, loc,
                   reshaped(builder, loc, joined, {count, pairs * 2, width}),
                   panels.k);
}

/// The type in which the zero point is subtracted: differences of codes of 4
/// bits are bytes, those of bytes take two.
static Type typeOfDifference(OpBuilder &builder, const CodedPanels &panels) {
  if (panels.zeros && typeOf(panels.zeros).getElementType().isF32())
    return builder.getF32Type();
  return builder.getIntegerType(panels.isHalved ? 8 : 16);
}

Value decodePanels(OpBuilder &builder, Location loc,
                   const CodedPanels &panels) {
  Value value =
      panels.isHalved ? splitBytes(builder, loc, panels) : panels.integers;
  if (panels.isHalved || panels.zeros) {
    Type type = typeOfDifference(builder, panels);
    value = converted(builder, value, type);
    Value zeros =
        panels.zeros
            ? converted(builder, repeated(builder, loc, panels.zeros, panels),
                        type)
            : integersLike(builder, loc, value, panels.zero);
    value = builder.create<SubOp>(loc, value.getType(), value, zeros);
  }
  value = converted(builder, value, builder.getF32Type());
  return builder.create<MulOp>(loc, value.getType(), value,
                               repeated(builder, loc, panels.scales, panels));
}

namespace {
/// Walks up from the panels.
class Decoding {
public:
  std::optional<CodedPanels> match(Value panels);
  SmallVector<Operation *> ops;

private:
  /// The op that computes the value; null where it is another one.
  template <typename Op> Op step(Value value) {
    auto op = value.getDefiningOp<Op>();
    if (op)
      ops.push_back(op);
    return op;
  }
  Value beforeConversion(Value value);
  Value beforeSlice(Value value);
  /// What repeated() repeats, and for how many k; a null value for others.
  std::pair<Value, int64_t> entriesOf(Value value);
  Value half(Value value, int64_t count, bool isHigh);
  bool splits(Value codes);

  CodedPanels found;
};
} // namespace

Value Decoding::beforeConversion(Value value) {
  auto convert = step<ConvertOp>(value);
  return convert ? convert.getOperand() : value;
}

/// The value of which firstRows() takes rows.
Value Decoding::beforeSlice(Value value) {
  Value whole = uncut(value);
  RankedTensorType type = typeOf(value), from = typeOf(whole);
  if (whole == value || type.getRank() != 3 ||
      from.getDimSize(0) != type.getDimSize(0) ||
      from.getDimSize(2) != type.getDimSize(2))
    return value;
  ops.push_back(value.getDefiningOp());
  return whole;
}

std::pair<Value, int64_t> Decoding::entriesOf(Value value) {
  RankedTensorType all = typeOf(value);
  auto reshape = step<ReshapeOp>(beforeSlice(value));
  auto each = reshape ? step<BroadcastOp>(reshape.getOperand()) : BroadcastOp();
  if (!each || typeOf(each.getOperand()).getRank() != 3 ||
      each.getMapping() != ArrayRef<int64_t>{0, 1, 3} || all.getRank() != 3 ||
      typeOf(reshape).getRank() != 3)
    return {};
  RankedTensorType entries = typeOf(each.getOperand()), whole = typeOf(reshape);
  int64_t block = typeOf(each).getDimSize(2);
  if (entries.getDimSize(0) != whole.getDimSize(0) ||
      entries.getDimSize(1) * block != whole.getDimSize(1) ||
      entries.getDimSize(2) != whole.getDimSize(2) ||
      whole.getDimSize(1) - all.getDimSize(1) >= block)
    return {};
  return {each.getOperand(), block};
}

/// The bytes that [panels, pairs, 1, panel] codes are the low or high bits of.
Value Decoding::half(Value value, int64_t pairs, bool isHigh) {
  auto reshape = step<ReshapeOp>(value);
  Operation *field = nullptr;
  if (reshape && isHigh)
    field = step<ShiftRightLogicalOp>(reshape.getOperand());
  else if (reshape)
    field = step<AndOp>(reshape.getOperand());
  if (!field ||
      splatValue(field->getOperand(1)) != double(isHigh ? highShift : lowBits))
    return {};
  Value bytes = field->getOperand(0);
  RankedTensorType type = typeOf(bytes), apart = typeOf(value);
  bool fits = type.getRank() == 3 && type.getElementType().isInteger(8) &&
              apart.getRank() == 4 && apart.getDimSize(2) == 1 &&
              type.getDimSize(1) == pairs &&
              type.getDimSize(0) == apart.getDimSize(0) &&
              type.getDimSize(2) == apart.getDimSize(3);
  return fits ? bytes : Value();
}

bool Decoding::splits(Value codes) {
  auto reshape = step<ReshapeOp>(beforeSlice(codes));
  auto joined = reshape ? step<ConcatOp>(reshape.getOperand()) : ConcatOp();
  if (!joined || joined->getNumOperands() != 2 || joined.getDim() != 2 ||
      typeOf(reshape).getRank() != 3)
    return false;
  int64_t pairs = typeOf(reshape).getDimSize(1) / 2;
  if ((found.k + 1) / 2 != pairs)
    return false;
  Value low = half(joined->getOperand(0), pairs, false),
        high = half(joined->getOperand(1), pairs, true);
  found.integers = low;
  found.isHalved = true;
  return low && low == high;
}

std::optional<CodedPanels> Decoding::match(Value panels) {
  RankedTensorType type = typeOf(panels);
  auto product = step<MulOp>(panels);
  if (!product || type.getRank() != 3 || !type.hasStaticShape() ||
      !type.getElementType().isF32())
    return std::nullopt;
  found.k = type.getDimSize(1);
  std::tie(found.scales, found.block) = entriesOf(product.getRhs());
  if (!found.scales)
    return std::nullopt;
  auto isByte = [](Value value) {
    return typeOf(value).getElementType().isInteger(8);
  };
  Value wide = beforeConversion(product.getLhs());
  auto difference = wide.getDefiningOp<SubOp>();
  if (!difference) {
    found.integers = wide;
    return isByte(wide) ? std::optional(found) : std::nullopt;
  }
  ops.push_back(difference);
  found.integers = beforeConversion(difference.getLhs());
  bool splitsBytes =
      isa_and_nonnull<ReshapeOp, SliceOp>(found.integers.getDefiningOp());
  if (splitsBytes && !splits(found.integers))
    return std::nullopt;
  if (auto zero = splatValue(difference.getRhs())) {
    found.zero = int64_t(*zero);
    return found.isHalved ? std::optional(found) : std::nullopt;
  }
  int64_t block = 0;
  std::tie(found.zeros, block) =
      entriesOf(beforeConversion(difference.getRhs()));
  if (!isByte(found.integers) || !found.zeros || block != found.block)
    return std::nullopt;
  Type zero = typeOf(found.zeros).getElementType();
  return zero.isF32() || zero == typeOf(found.integers).getElementType()
             ? std::optional(found)
             : std::nullopt;
}

std::optional<CodedPanels> matchCodedPanels(Value panels,
                                            SmallVectorImpl<Operation *> *ops) {
  Decoding decoding;
  auto found = decoding.match(panels);
  if (found && ops)
    llvm::append_range(*ops, decoding.ops);
  return found;
}

} // namespace zenith::graph
