// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dot products of four bytes (VNNI) take unsigned bytes on the left: (x - zero)
// w = x w - zero * (sums of the columns of w).

#include "ir/GraphOps.h"
#include "ir/matchers/ChannelsLast.h"
#include "ir/matchers/IntegerRange.h"
#include "ir/matchers/ParameterDependence.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "ir/ops/CompositeFormulas.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/quantize/Int8Matmul.h"
#include "passes/quantize/SplatOrPerChannel.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_LOWERINT8MATMULSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::quantize {

namespace {
/// A value as unsigned bytes minus a zero point: rank 0, i32; null for none.
struct Bytes {
  Value values; ///< i32 from 0 to 255
  Value zero;
};
} // namespace

static Value convertedTo(OpBuilder &builder, Value value, Type element) {
  if (typeOf(value).getElementType() == element)
    return value;
  if (auto convert = value.getDefiningOp<ConvertOp>())
    if (typeOf(convert.getOperand()).getElementType() == element)
      return convert.getOperand();
  return builder.create<ConvertOp>(
      value.getLoc(), RankedTensorType::get(typeOf(value).getShape(), element),
      value);
}

static Value plus128(OpBuilder &builder, Value value) {
  Location loc = value.getLoc();
  Value offset = builder.create<ConstantOp>(
      loc, DenseElementsAttr::get(
               RankedTensorType::get({}, builder.getI32Type()), int32_t(128)));
  if (typeOf(value).getRank())
    offset = broadcastLike(builder, loc, offset, {}, value);
  return builder.create<AddOp>(loc, value.getType(), value, offset);
}

/// The splat constant that `value` is, as a scalar; null for others.
static Value splatConstantOf(OpBuilder &builder, Value value) {
  int64_t dim;
  Value constant = splatOrPerChannel(builder, value, dim);
  return dim < 0 ? constant : Value();
}

static std::optional<Bytes> withoutSign(OpBuilder &builder, Value value,
                                        Value zero) {
  auto range = rangeOf(value);
  if (!range)
    return std::nullopt;
  if (range->low >= 0 && range->high <= 255)
    return Bytes{value, zero};
  if (!range->fits(8))
    return std::nullopt;
  if (!zero)
    zero = builder.create<ConstantOp>(
        value.getLoc(),
        DenseElementsAttr::get(RankedTensorType::get({}, builder.getI32Type()),
                               int32_t(0)));
  return Bytes{plus128(builder, value), plus128(builder, zero)};
}

static std::optional<Bytes> bytesOf(OpBuilder &builder, Value value) {
  if (auto bytes = withoutSign(builder, value, {}))
    return bytes;
  // Transpose the bytes instead of the differences.
  if (auto moved = value.getDefiningOp<TransposeOp>()) {
    auto bytes = bytesOf(builder, moved.getOperand());
    if (!bytes)
      return std::nullopt;
    Location loc = value.getLoc();
    Value narrow = transposed(
        builder, loc,
        convertedTo(builder, bytes->values, builder.getIntegerType(8, false)),
        moved.getPermutation());
    return Bytes{builder.create<ConvertOp>(loc, typeOf(value), narrow),
                 bytes->zero};
  }
  auto difference = value.getDefiningOp<SubOp>();
  Value zero =
      difference ? splatConstantOf(builder, difference.getRhs()) : Value();
  return zero ? withoutSign(builder, difference.getLhs(), zero) : std::nullopt;
}

static int64_t columnOfResult(Operation *op) {
  if (auto convolution = dyn_cast<ConvolutionOp>(op))
    return convolution.getDims().getOutputFeature();
  return typeOf(op->getResult(0)).getRank() - 1;
}

/// The input padded and dilated with the zero point, so that `convolution` adds
/// no zeros of its own.
static Value padByZeroPoint(OpBuilder &builder, ConvolutionOp convolution,
                            Value bytes, Value zero) {
  RankedTensorType type = typeOf(bytes);
  SmallVector<int64_t> shape(type.getShape()), low(shape.size(), 0), high(low),
      interior(low);
  for (auto [i, dim] :
       llvm::enumerate(convolution.getDims().getInputSpatial())) {
    low[dim] = convolution.getLow()[i];
    high[dim] = convolution.getHigh()[i];
    interior[dim] = convolution.getInputDilation()[i] - 1;
    if (shape[dim] > 0)
      shape[dim] =
          low[dim] + (shape[dim] - 1) * (interior[dim] + 1) + 1 + high[dim];
    else if (shape[dim] == 0)
      shape[dim] = low[dim] + high[dim];
  }
  SmallVector<int64_t> none(convolution.getLow().size(), 0),
      ones(none.size(), 1);
  convolution.setLow(none);
  convolution.setHigh(none);
  convolution.setInputDilation(ones);
  return builder.create<PadOp>(bytes.getLoc(), type.clone(shape), bytes, zero,
                               ValueRange(), ValueRange(), low, high, interior);
}

/// `bytes` with `more` zeros at the end of a dimension.
static Value paddedAtEnd(OpBuilder &builder, Value bytes, int64_t dim,
                         int64_t more) {
  if (more == 0)
    return bytes;
  RankedTensorType type = typeOf(bytes);
  SmallVector<int64_t> shape(type.getShape()), none(shape.size(), 0),
      high(none);
  shape[dim] += more;
  high[dim] = more;
  auto scalar = RankedTensorType::get({}, type.getElementType());
  Value zero = builder.create<ConstantOp>(
      bytes.getLoc(),
      cast<ElementsAttr>(DenseElementsAttr::get(
          scalar, builder.getIntegerAttr(type.getElementType(), 0))));
  return builder.create<PadOp>(bytes.getLoc(), type.clone(shape), bytes, zero,
                               ValueRange(), ValueRange(), none, high, none);
}

/// How many values pad K to a multiple of four; nullopt where a sum is too
/// short to be worth a padded copy of its operands.
static std::optional<int64_t> missingK(RankedTensorType weights, int64_t k,
                                       int64_t column) {
  constexpr int64_t shortestSum = 16;
  int64_t more =
      llvm::alignTo(weights.getDimSize(k), 4) - weights.getDimSize(k);
  if (more &&
      weights.getNumElements() < shortestSum * weights.getDimSize(column))
    return std::nullopt;
  return more;
}

static void lowerToInt8(Operation *op) {
  auto weights = matmulWeightsOf(op);
  auto isInt32 = [](Value value) {
    return typeOf(value).getElementType().isSignlessInteger(32);
  };
  if (!weights || !isInt32(op->getOperand(0)) || !isInt32(op->getOperand(1)) ||
      !isInt32(op->getResult(0)))
    return;
  auto more = missingK(typeOf(op->getOperand(1)), weights->k, weights->column);
  if (!more ||
      (*more && typeOf(op->getOperand(0)).isDynamicDim(weights->leftK)))
    return;
  auto range = rangeOf(op->getOperand(1));
  if (!range || !range->fits(8))
    return;
  OpBuilder builder(op);
  auto bytes = bytesOf(builder, op->getOperand(0));
  if (!bytes)
    return;
  // The padding of the convolution is the zero point too.
  bool padsBytes = bytes->zero && weights->padded;
  if (padsBytes) {
    auto zeros = rangeOf(bytes->zero);
    if (!zeros || zeros->low < 0 || zeros->high > 255)
      return;
  }
  Location loc = op->getLoc();
  Type i32 = builder.getI32Type(), ui8 = builder.getIntegerType(8, false);
  auto widened = [&](Value narrow) -> Value {
    return builder.create<ConvertOp>(
        loc, RankedTensorType::get(typeOf(narrow).getShape(), i32), narrow);
  };
  Operation *product = builder.clone(*op);
  builder.setInsertionPoint(product);
  Value left = convertedTo(builder, bytes->values, ui8);
  if (padsBytes)
    left = padByZeroPoint(builder, cast<ConvolutionOp>(product), left,
                          convertedTo(builder, bytes->zero, ui8));
  left = paddedAtEnd(builder, left, weights->leftK, *more);
  Value right = widened(paddedAtEnd(
      builder, convertedTo(builder, op->getOperand(1), builder.getI8Type()),
      weights->k, *more));
  product->setOperands({widened(left), right});
  builder.setInsertionPointAfter(product);
  Value result = product->getResult(0);
  if (bytes->zero) {
    auto columns =
        RankedTensorType::get({typeOf(right).getDimSize(weights->column)}, i32);
    Value sums = builder.create<ReduceOp>(loc, columns, ReduceKind::sum, right,
                                          weights->summed);
    Value zeros = broadcastLike(builder, loc, bytes->zero, {}, sums);
    sums = builder.create<MulOp>(loc, columns, sums, zeros);
    result = builder.create<SubOp>(
        loc, result.getType(), result,
        broadcastLike(builder, loc, sums, {columnOfResult(op)}, result));
  }
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

namespace {

struct LowerInt8MatmulsPass
    : impl::LowerInt8MatmulsPassBase<LowerInt8MatmulsPass> {
  using LowerInt8MatmulsPassBase::LowerInt8MatmulsPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> contractions;
    getOperation().walk([&](Operation *op) {
      if (isa<ConvolutionOp, DotGeneralOp>(op))
        contractions.push_back(op);
    });
    for (Operation *op : contractions)
      lowerToInt8(op);
  }
};

} // namespace
} // namespace zenith::quantize
