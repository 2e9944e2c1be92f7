// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds and recognises the decoding of panels: fields of bytes, joined along
// K, minus zero points, times scales.

#include "ir/encodings/CodedPanels.h"
#include "ir/GraphOps.h"
#include "ir/matchers/SplatConstant.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"

using namespace mlir;

namespace zenith::graph {

/// Of a code in a byte.
static constexpr int64_t lowBits = 15, highShift = 4;

static Value splat(OpBuilder &builder, Location loc, Value like,
                   int64_t value) {
  RankedTensorType type = typeOf(like);
  return builder.create<ConstantOp>(
      loc, cast<ElementsAttr>(DenseElementsAttr::get(
               type, builder.getIntegerAttr(type.getElementType(), value))));
}

/// Entries [panels, blocks, panel], each for all k of its block.
static Value repeated(OpBuilder &builder, Location loc, Value entries,
                      int64_t block) {
  RankedTensorType type = typeOf(entries);
  int64_t panels = type.getDimSize(0), blocks = type.getDimSize(1),
          width = type.getDimSize(2);
  Value each = builder.create<BroadcastOp>(
      loc, type.clone({panels, blocks, block, width}), entries,
      ArrayRef<int64_t>{0, 1, 3}, ValueRange());
  return reshaped(builder, loc, each, {panels, blocks * block, width});
}

/// The integers of two codes in each byte.
static Value splitBytes(OpBuilder &builder, Location loc,
                        const CodedPanels &panels) {
  Value bytes = panels.integers;
  RankedTensorType type = typeOf(bytes);
  int64_t count = type.getDimSize(0), pairs = type.getDimSize(1),
          width = type.getDimSize(2);
  Value low = builder.create<AndOp>(loc, type, bytes,
                                    splat(builder, loc, bytes, lowBits));
  Value high = builder.create<ShiftRightLogicalOp>(
      loc, type, bytes, splat(builder, loc, bytes, highShift));
  auto apart = [&](Value half) {
    return reshaped(builder, loc, half, {count, pairs, 1, width});
  };
  Value joined = builder.create<ConcatOp>(
      loc, type.clone({count, pairs, 2, width}),
      /*dim=*/uint64_t(2), ValueRange{apart(low), apart(high)});
  Value codes = reshaped(builder, loc, joined, {count, pairs * 2, width});
  Value zeros = panels.zeros
                    ? repeated(builder, loc, panels.zeros, panels.block)
                    : splat(builder, loc, codes, panels.zero);
  return builder.create<SubOp>(loc, codes.getType(), codes, zeros);
}

Value decodePanels(OpBuilder &builder, Location loc,
                   const CodedPanels &panels) {
  Value integers =
      panels.isHalved ? splitBytes(builder, loc, panels) : panels.integers;
  Value wide = converted(builder, integers, builder.getF32Type());
  return builder.create<MulOp>(
      loc, wide.getType(), wide,
      repeated(builder, loc, panels.scales, panels.block));
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
  /// What repeated() repeats, and for how many k; a null value for others.
  std::pair<Value, int64_t> entriesOf(Value value);
  Value half(Value value, int64_t count, bool isHigh);
  bool splits(Value codes);

  CodedPanels found;
};
} // namespace

std::pair<Value, int64_t> Decoding::entriesOf(Value value) {
  auto reshape = step<ReshapeOp>(value);
  auto each = reshape ? step<BroadcastOp>(reshape.getOperand()) : BroadcastOp();
  if (!each || typeOf(each.getOperand()).getRank() != 3 ||
      each.getMapping() != ArrayRef<int64_t>{0, 1, 3} ||
      typeOf(value).getRank() != 3)
    return {};
  RankedTensorType entries = typeOf(each.getOperand()), all = typeOf(value);
  int64_t block = typeOf(each).getDimSize(2);
  if (entries.getDimSize(0) != all.getDimSize(0) ||
      entries.getDimSize(1) * block != all.getDimSize(1) ||
      entries.getDimSize(2) != all.getDimSize(2))
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
  auto reshape = step<ReshapeOp>(codes);
  auto joined = reshape ? step<ConcatOp>(reshape.getOperand()) : ConcatOp();
  if (!joined || joined->getNumOperands() != 2 || joined.getDim() != 2 ||
      typeOf(codes).getRank() != 3)
    return false;
  int64_t pairs = typeOf(codes).getDimSize(1) / 2;
  Value low = half(joined->getOperand(0), pairs, false),
        high = half(joined->getOperand(1), pairs, true);
  found.integers = low;
  found.isHalved = true;
  return low && low == high;
}

std::optional<CodedPanels> Decoding::match(Value panels) {
  RankedTensorType type = typeOf(panels);
  auto product = step<MulOp>(panels);
  auto wide = product ? step<ConvertOp>(product.getLhs()) : ConvertOp();
  if (!wide || type.getRank() != 3 || !type.hasStaticShape() ||
      !type.getElementType().isF32() ||
      !typeOf(wide.getOperand()).getElementType().isSignlessInteger(8))
    return std::nullopt;
  std::tie(found.scales, found.block) = entriesOf(product.getRhs());
  if (!found.scales)
    return std::nullopt;
  auto difference = wide.getOperand().getDefiningOp<SubOp>();
  if (!difference) {
    found.integers = wide.getOperand();
    return found;
  }
  ops.push_back(difference);
  if (!splits(difference.getLhs()))
    return std::nullopt;
  if (auto zero = splatValue(difference.getRhs())) {
    found.zero = int64_t(*zero);
    return found;
  }
  int64_t block = 0;
  std::tie(found.zeros, block) = entriesOf(difference.getRhs());
  if (!found.zeros || block != found.block)
    return std::nullopt;
  return found;
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
