// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row times weights that are integers times a scale per block of K: the sum
// over blocks of scale * (row * integers). With one row the time is that of
// reading the weights, so these stay as narrow as they are, two codes of 4 bits
// in a byte; several rows read them in f32.

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

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_LOWERBLOCKWISESCALESPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::quantize {

namespace {
/// Weights [K, columns], or transposed if `kDim` is 1.
struct BlockWeights {
  Value integers;
  Value scales; ///< [blocks, columns], or transposed
  int64_t kDim = 0, block = 1;
};
} // namespace

static std::optional<BlockWeights> matchWeights(Value value, int64_t kDim) {
  if (auto transpose = value.getDefiningOp<TransposeOp>()) {
    kDim = transpose.getPermutation()[kDim];
    value = transpose.getOperand();
  }
  auto product = value.getDefiningOp<MulOp>();
  if (!product || !typeOf(value).hasStaticShape())
    return std::nullopt;
  for (auto [factor, scale] :
       {std::make_pair(product.getLhs(), product.getRhs()),
        std::make_pair(product.getRhs(), product.getLhs())}) {
    BlockWeights weights;
    weights.kDim = kDim;
    auto convert = factor.getDefiningOp<ConvertOp>();
    auto repeated = matchRepeated(scale, kDim);
    if (!convert || !repeated)
      continue;
    weights.scales = repeated->entries;
    weights.block = repeated->block;
    weights.integers = convert.getOperand();
    auto range = rangeOf(weights.integers);
    if (range && range->fits(16))
      return weights;
  }
  return std::nullopt;
}

/// NR of these panels: the columns that reduction kernels take at once, so that
/// they read memory sequentially.
constexpr int64_t panel = 32;

/// A matrix padded with zero columns to whole panels.
static Value withWholePanels(OpBuilder &builder, Location loc, Value matrix) {
  RankedTensorType type = typeOf(matrix);
  int64_t columns = type.getDimSize(1), all = llvm::alignTo(columns, panel);
  if (all == columns)
    return matrix;
  auto scalar = RankedTensorType::get({}, type.getElementType());
  Value zero = builder.create<ConstantOp>(
      loc, cast<ElementsAttr>(DenseElementsAttr::get(
               scalar, builder.getZeroAttr(type.getElementType()))));
  return builder.create<PadOp>(
      loc, type.clone({type.getDimSize(0), all}), matrix, zero, ValueRange(),
      ValueRange(), ArrayRef<int64_t>{0, 0},
      ArrayRef<int64_t>{0, all - columns}, ArrayRef<int64_t>{0, 0});
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
  /// An integer constant of the shape and type of `like`.
  Value splat(Value like, int64_t value) {
    RankedTensorType type = typeOf(like);
    return builder.create<ConstantOp>(
        loc, cast<ElementsAttr>(DenseElementsAttr::get(
                 type, builder.getIntegerAttr(type.getElementType(), value))));
  }
  template <typename Op> Value elementwise(Value lhs, Value rhs) {
    return builder.create<Op>(loc, lhs.getType(), lhs, rhs);
  }
  /// Integers [panels, blocks, K of a block, panel], widened, times the row's
  /// entries at their K, [blocks, K of a block].
  Value timesRow(Value integers, Value row);
  Value half(Value value, int64_t dim, int64_t index);
  Value productsOfIntegers();
  Value productsOfCodes(const BlockCodes &codes);

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

/// Entry `index` of the dimension, without it.
Value RowProduct::half(Value value, int64_t dim, int64_t index) {
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> starts(type.getRank(), 0), sizes(type.getShape()),
      strides(type.getRank(), 1);
  starts[dim] = index;
  sizes[dim] = 1;
  Value one =
      builder.create<SliceOp>(loc, type.clone(sizes), value, ValueRange(),
                              ValueRange(), starts, sizes, strides);
  sizes.erase(sizes.begin() + dim);
  return reshaped(builder, loc, one, sizes);
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
Value RowProduct::productsOfCodes(const BlockCodes &match) {
  Type byte = builder.getI8Type();
  int64_t pairs = weights.block / 2;
  auto fromLow = [&](Value value) {
    value = converted(builder, value, byte);
    return match.low ? elementwise<SubOp>(value, splat(value, match.low))
                     : value;
  };
  Value codes = panelsOf(fromLow(match.codes), {blocks, pairs, 2});
  constexpr int64_t pairDim = 3;
  Value first = half(codes, pairDim, 0), second = half(codes, pairDim, 1);
  Value bytes = elementwise<OrOp>(
      first, elementwise<ShiftLeftOp>(second, splat(second, 4)));
  Value zeros = match.zeros
                    ? broadcastLike(builder, loc,
                                    panelsOf(fromLow(match.zeros), {blocks}),
                                    {0, 1, 3}, bytes)
                    : splat(bytes, match.zero - match.low);
  Value low = elementwise<AndOp>(bytes, splat(bytes, 15));
  Value high = elementwise<ShiftRightLogicalOp>(bytes, splat(bytes, 4));
  Value row = reshaped(builder, loc, dot.getLhs(), {blocks, pairs, 2});
  return elementwise<AddOp>(
      timesRow(elementwise<SubOp>(low, zeros), half(row, 2, 0)),
      timesRow(elementwise<SubOp>(high, zeros), half(row, 2, 1)));
}

void RowProduct::write() {
  Type f32 = builder.getF32Type();
  auto codes =
      weights.block % 2 == 0
          ? matchBlockCodes(weights.integers, weights.kDim, weights.block)
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
  DotDimsAttr dims = dot.getDims();
  RankedTensorType left = typeOf(dot.getLhs()), right = typeOf(dot.getRhs()),
                   result = typeOf(dot);
  if (!dims.getRhsBatching().empty() || right.getRank() != 2 ||
      dims.getRhsContracting().size() != 1 || !left.hasStaticShape() ||
      !right.hasStaticShape() || !result.getElementType().isF32() ||
      !isParameter(dot.getRhs()) || isFixed(dot.getLhs()))
    return;
  int64_t kDim = dims.getRhsContracting().front(), k = right.getDimSize(kDim);
  auto weights = matchWeights(dot.getRhs(), kDim);
  if (weights && left.getNumElements() == k && k != 0)
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
