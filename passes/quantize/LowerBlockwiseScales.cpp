// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row times weights that are integers times a scale per block of K: the sum
// over blocks of scale * (row * integers). With one row the time is that of
// reading the weights, so these stay as narrow as they are, two codes of 4 bits
// in a byte. For several rows see PackBlockCodes.cpp.

#include "ir/GraphOps.h"
#include "ir/matchers/ParameterDependence.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"

#include "ir/encodings/PackedPanels.h"
#include "ir/matchers/IntegerRange.h"
#include "ir/ops/CompositeFormulas.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/quantize/BlockCodes.h"
#include "passes/quantize/CodeBytes.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_LOWERBLOCKWISESCALESPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::quantize {

/// NR of these panels: the columns that reduction kernels take at once, so that
/// they read memory sequentially.
constexpr int64_t panel = 32;

/// A matrix padded with zero columns to whole panels.
static Value withWholePanels(OpBuilder &builder, Location loc, Value matrix) {
  RankedTensorType type = typeOf(matrix);
  return zeroPadded(
      builder, loc, matrix,
      {type.getDimSize(0),
       int64_t(llvm::alignTo(uint64_t(type.getDimSize(1)), panel))});
}

namespace {

/// Writes the sum of one product.
class RowProduct {
public:
  RowProduct(DotGeneralOp dot, const BlockWeights &weights)
      : dot(dot), weights(weights), builder(dot), loc(dot.getLoc()) {
    RankedTensorType type = typeOf(weights.integers);
    columns = type.getDimSize(1 - weights.kDim);
    blocks = type.getDimSize(weights.kDim) / weights.block;
    panels = llvm::divideCeil(columns, panel);
  }
  void write();

private:
  /// A matrix with K along the weights' dimension, whose K is split into
  /// `split`, in panels of columns: [panels, split..., panel].
  Value panelsOf(Value matrix, ArrayRef<int64_t> split);
  template <typename Op> Value elementwise(Value lhs, Value rhs) {
    return builder.create<Op>(loc, lhs.getType(), lhs, rhs);
  }
  /// Integers [panels, blocks, K of a block, panel], widened, times the row's
  /// entries at their K, [blocks, K of a block].
  Value timesRow(Value integers, Value row);
  Value productsOfIntegers();
  Value productsOfCodes(const CodedIntegers &codes);

  DotGeneralOp dot;
  const BlockWeights &weights;
  OpBuilder builder;
  Location loc;
  int64_t columns, blocks, panels;
};

} // namespace

Value RowProduct::panelsOf(Value matrix, ArrayRef<int64_t> split) {
  if (weights.kDim == 1)
    matrix = transposed(builder, loc, matrix, {1, 0});
  SmallVector<int64_t> shape(split);
  shape.append({panels, panel});
  SmallVector<int64_t> order{int64_t(split.size())};
  for (int64_t d = 0; d < int64_t(split.size()); ++d)
    order.push_back(d);
  order.push_back(int64_t(split.size()) + 1);
  return transposed(
      builder, loc,
      reshaped(builder, loc, withWholePanels(builder, loc, matrix), shape),
      order);
}

Value RowProduct::timesRow(Value integers, Value row) {
  Value wide = converted(builder, integers, builder.getF32Type());
  return elementwise<MulOp>(wide,
                            broadcastLike(builder, loc, row, {1, 2}, wide));
}

Value RowProduct::productsOfIntegers() {
  unsigned bits = rangeOf(weights.integers)->fits(8) ? 8 : 16;
  Value integers = panelsOf(
      converted(builder, weights.integers, builder.getIntegerType(bits)),
      {blocks, weights.block});
  return timesRow(
      integers, reshaped(builder, loc, dot.getLhs(), {blocks, weights.block}));
}

/// Codes 2i and 2i + 1 of a block are the low and the high bits of byte i.
Value RowProduct::productsOfCodes(const CodedIntegers &match) {
  int64_t pairs = weights.block / 2;
  auto fromLow = [&](Value value) {
    return codesFromZero(builder, loc, value, match.low);
  };
  constexpr int64_t pairDim = 3;
  Value bytes =
      pairsInBytes(builder, loc,
                   panelsOf(fromLow(match.codes), {blocks, pairs, 2}), pairDim);
  auto splat = [&](int64_t value) {
    return integersLike(builder, loc, bytes, value);
  };
  Value zeros = match.zeros
                    ? broadcastLike(builder, loc,
                                    panelsOf(fromLow(match.zeros), {blocks}),
                                    {0, 1, 3}, bytes)
                    : splat(match.zero - match.low);
  Value low = elementwise<AndOp>(bytes, splat(15));
  Value high = elementwise<ShiftRightLogicalOp>(bytes, splat(4));
  Value row = reshaped(builder, loc, dot.getLhs(), {blocks, pairs, 2});
  return elementwise<AddOp>(timesRow(elementwise<SubOp>(low, zeros),
                                     entryOf(builder, loc, row, 2, 0)),
                            timesRow(elementwise<SubOp>(high, zeros),
                                     entryOf(builder, loc, row, 2, 1)));
}

void RowProduct::write() {
  Type f32 = builder.getF32Type();
  auto codes =
      weights.block % 2 == 0
          ? matchCodedIntegers(weights.integers, weights.kDim, weights.block)
          : std::nullopt;
  Value products = codes ? productsOfCodes(*codes) : productsOfIntegers();
  Value scales = panelsOf(weights.scales, {blocks});
  Value sums = builder.create<ReduceOp>(loc, typeOf(scales), ReduceKind::sum,
                                        products, ArrayRef<int64_t>{2});
  sums = elementwise<MulOp>(sums, scales);
  sums =
      builder.create<ReduceOp>(loc, RankedTensorType::get({panels, panel}, f32),
                               ReduceKind::sum, sums, ArrayRef<int64_t>{1});
  sums = reshaped(builder, loc, sums, {panels * panel});
  if (panels * panel != columns)
    sums = builder.create<SliceOp>(
        loc, RankedTensorType::get(columns, f32), sums, ValueRange(),
        ValueRange(), ArrayRef<int64_t>{0}, ArrayRef<int64_t>{columns},
        ArrayRef<int64_t>{1});
  dot.getResult().replaceAllUsesWith(
      reshaped(builder, loc, sums, typeOf(dot).getShape()));
  dot.erase();
}

static void scaleBlocks(DotGeneralOp dot) {
  auto weights = matchBlockWeights(dot);
  RankedTensorType left = typeOf(dot.getLhs());
  if (!weights)
    return;
  int64_t k = typeOf(weights->integers).getDimSize(weights->kDim);
  if (left.hasStaticShape() && left.getNumElements() == k && !weights->zeros &&
      k % weights->block == 0)
    RowProduct(dot, *weights).write();
}

namespace {

struct LowerBlockwiseScalesPass
    : impl::LowerBlockwiseScalesPassBase<LowerBlockwiseScalesPass> {
  using LowerBlockwiseScalesPassBase::LowerBlockwiseScalesPassBase;

  void runOnOperation() override {
    SmallVector<DotGeneralOp> matmuls;
    getOperation().walk([&](DotGeneralOp op) { matmuls.push_back(op); });
    for (DotGeneralOp op : matmuls)
      scaleBlocks(op);
  }
};

} // namespace
} // namespace zenith::quantize
