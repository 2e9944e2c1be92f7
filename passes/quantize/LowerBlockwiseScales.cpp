// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row times weights that are integers times a scale per block of K: the sum
// over blocks of scale * (row * integers). With one row the time is that of
// reading the weights, so these stay as narrow as they are; several rows read
// them in f32.

#include "ir/GraphOps.h"
#include "ir/matchers/ParameterDependence.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"

#include "ir/encodings/PackedPanels.h"
#include "ir/matchers/IntegerRange.h"
#include "ir/ops/CompositeFormulas.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"

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

/// Matches the scales that `value` repeats for each block of K.
static bool matchRepeated(Value value, BlockWeights &weights) {
  auto reshape = value.getDefiningOp<ReshapeOp>();
  auto broadcast = reshape ? reshape.getOperand().getDefiningOp<BroadcastOp>()
                           : BroadcastOp();
  if (!broadcast || typeOf(broadcast).getRank() != 3 ||
      typeOf(broadcast.getOperand()).getRank() != 2)
    return false;
  int64_t repeated = weights.kDim + 1;
  SmallVector<int64_t> mapping;
  for (int64_t d = 0; d < 3; ++d)
    if (d != repeated)
      mapping.push_back(d);
  weights.scales = broadcast.getOperand();
  weights.block = typeOf(broadcast).getDimSize(repeated);
  return broadcast.getMapping() == ArrayRef<int64_t>(mapping) &&
         typeOf(weights.scales).getDimSize(weights.kDim) * weights.block ==
             typeOf(value).getDimSize(weights.kDim) &&
         typeOf(weights.scales).getDimSize(1 - weights.kDim) ==
             typeOf(value).getDimSize(1 - weights.kDim);
}

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
    if (!convert || !matchRepeated(scale, weights))
      continue;
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

static void scaleBlocks(DotGeneralOp dot) {
  DotDimsAttr dims = dot.getDims();
  RankedTensorType left = typeOf(dot.getLhs()), right = typeOf(dot.getRhs()),
                   result = typeOf(dot);
  if (!dims.getRhsBatching().empty() || right.getRank() != 2 ||
      dims.getRhsContracting().size() != 1 || !left.hasStaticShape() ||
      !right.hasStaticShape() || !result.getElementType().isF32() ||
      !isParameter(dot.getRhs()) || isFixed(dot.getLhs()))
    return;
  int64_t kDim = dims.getRhsContracting().front(), k = right.getDimSize(kDim),
          columns = right.getDimSize(1 - kDim),
          panels = llvm::divideCeil(columns, panel);
  auto weights = matchWeights(dot.getRhs(), kDim);
  if (!weights || left.getNumElements() != k || k == 0)
    return;
  OpBuilder builder(dot);
  Location loc = dot.getLoc();
  Type f32 = builder.getF32Type();
  auto kFirst = [&](Value value) {
    return weights->kDim == 0 ? value : transposed(builder, loc, value, {1, 0});
  };
  int64_t block = weights->block, blocks = k / block;
  unsigned bits = rangeOf(weights->integers)->fits(8) ? 8 : 16;
  Value integers =
      withWholePanels(builder, loc,
                      kFirst(converted(builder, weights->integers,
                                       builder.getIntegerType(bits))));
  integers = transposed(
      builder, loc,
      reshaped(builder, loc, integers, {blocks, block, panels, panel}),
      {2, 0, 1, 3});
  Value scales = transposed(
      builder, loc,
      reshaped(builder, loc,
               withWholePanels(builder, loc, kFirst(weights->scales)),
               {blocks, panels, panel}),
      {1, 0, 2});
  Value wide = converted(builder, integers, f32);
  Value row = broadcastLike(
      builder, loc, reshaped(builder, loc, dot.getLhs(), {blocks, block}),
      {1, 2}, wide);
  Value products = builder.create<MulOp>(loc, wide.getType(), wide, row);
  Value sums = builder.create<ReduceOp>(loc, typeOf(scales), ReduceKind::sum,
                                        products, ArrayRef<int64_t>{2});
  sums = builder.create<MulOp>(loc, sums.getType(), sums, scales);
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
      reshaped(builder, loc, sums, result.getShape()));
  dot.erase();
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
