// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax, norms, gelu and attention spelled out; f16 and bf16 compute in f32.

#include "ir/ops/CompositeFormulas.h"
#include "ir/GraphOps.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace zenith::graph {

static Value floatConstant(OpBuilder &builder, Location loc,
                           RankedTensorType type, double value) {
  APFloat number = FloatAttr::get(type.getElementType(), value).getValue();
  return builder.create<ConstantOp>(
      loc, cast<ElementsAttr>(DenseElementsAttr::get(type, number)));
}

/// graph.dim of the dynamic dimensions of `shape`, in order.
static SmallVector<Value> dynamicDimsOf(OpBuilder &builder, Location loc,
                                        Value shape) {
  SmallVector<Value> dims;
  for (int64_t d = 0; d < typeOf(shape).getRank(); ++d)
    if (typeOf(shape).isDynamicDim(d))
      dims.push_back(builder.create<DimOp>(loc, shape, d));
  return dims;
}

Value broadcastLike(OpBuilder &builder, Location loc, Value value,
                    ArrayRef<int64_t> mapping, Value shape) {
  auto type = RankedTensorType::get(typeOf(shape).getShape(),
                                    typeOf(value).getElementType());
  return builder.create<BroadcastOp>(loc, type, value, mapping,
                                     dynamicDimsOf(builder, loc, shape));
}

Value splatLike(OpBuilder &builder, Location loc, Value shape, double value) {
  RankedTensorType type = typeOf(shape);
  if (type.hasStaticShape())
    return floatConstant(builder, loc, type, value);
  Value scalar = floatConstant(
      builder, loc, RankedTensorType::get({}, type.getElementType()), value);
  return broadcastLike(builder, loc, scalar, {}, shape);
}

namespace {

/// One formula under construction: ops of one location, on values of computing
/// type.
struct Formula {
  OpBuilder &builder;
  Location loc;

  template <typename Op> Value unary(Value x) {
    return builder.create<Op>(loc, x.getType(), x);
  }
  template <typename Op> Value fast(Value x) {
    auto op = builder.create<Op>(loc, x.getType(), x);
    op->setAttr(fastFormAttrName, builder.getUnitAttr());
    return op;
  }
  template <typename Op> Value binary(Value x, Value y) {
    return builder.create<Op>(loc, x.getType(), x, y);
  }
  Value add(Value x, Value y) { return binary<AddOp>(x, y); }
  Value sub(Value x, Value y) { return binary<SubOp>(x, y); }
  Value mul(Value x, Value y) { return binary<MulOp>(x, y); }
  Value div(Value x, Value y) { return binary<DivOp>(x, y); }
  Value splat(Value shape, double value) {
    return splatLike(builder, loc, shape, value);
  }

  Value convert(Value x, Type element) {
    if (typeOf(x).getElementType() == element)
      return x;
    return builder.create<ConvertOp>(loc, typeOf(x).clone(element), x,
                                     UnitAttr());
  }
  /// f16, bf16 and f8 in f32.
  Value widened(Value x) {
    return typeOf(x).getElementType().getIntOrFloatBitWidth() < 32
               ? convert(x, builder.getF32Type())
               : x;
  }
  Value reduce(ReduceKind kind, Value x, ArrayRef<int64_t> dims) {
    SmallVector<int64_t> kept;
    for (int64_t d = 0; d < typeOf(x).getRank(); ++d)
      if (!llvm::is_contained(dims, d))
        kept.push_back(typeOf(x).getDimSize(d));
    return builder.create<ReduceOp>(
        loc, RankedTensorType::get(kept, typeOf(x).getElementType()), kind, x,
        dims);
  }
  /// Repeats a reduced value along the reduced dimensions again.
  Value unreduce(Value reduced, ArrayRef<int64_t> dims, Value shape) {
    SmallVector<int64_t> mapping;
    for (int64_t d = 0; d < typeOf(shape).getRank(); ++d)
      if (!llvm::is_contained(dims, d))
        mapping.push_back(d);
    return broadcastLike(builder, loc, reduced, mapping, shape);
  }
  /// Sum over `dims` divided by their number of elements, of reduced shape.
  Value mean(Value x, ArrayRef<int64_t> dims);
  Value softmax(Value x, ArrayRef<int64_t> dims, bool logarithm);
  Value scaledBy(Value x, Value vector, int64_t axis) {
    return mul(x, trailing(widened(vector), axis, x));
  }
  Value trailing(Value vector, int64_t axis, Value shape) {
    auto mapping =
        llvm::to_vector(llvm::seq<int64_t>(axis, typeOf(shape).getRank()));
    return broadcastLike(builder, loc, vector, mapping, shape);
  }
};

} // namespace

Value Formula::mean(Value x, ArrayRef<int64_t> dims) {
  Value sum = reduce(ReduceKind::sum, x, dims);
  int64_t count = 1;
  Value dynamicCount;
  for (int64_t d : dims) {
    if (!typeOf(x).isDynamicDim(d)) {
      count *= typeOf(x).getDimSize(d);
      continue;
    }
    Value size =
        convert(builder.create<DimOp>(loc, x, d), typeOf(x).getElementType());
    dynamicCount = dynamicCount ? mul(dynamicCount, size) : size;
  }
  Value divisor = splat(sum, double(count));
  if (dynamicCount)
    divisor = mul(divisor, broadcastLike(builder, loc, dynamicCount, {}, sum));
  return div(sum, divisor);
}

Value Formula::softmax(Value x, ArrayRef<int64_t> dims, bool logarithm) {
  Value shifted = sub(x, unreduce(reduce(ReduceKind::max, x, dims), dims, x));
  Value powers = fast<ExpOp>(shifted);
  Value sum = reduce(ReduceKind::sum, powers, dims);
  if (logarithm)
    return sub(shifted, unreduce(fast<LogOp>(sum), dims, x));
  return div(powers, unreduce(sum, dims, x));
}

static Value layerNorm(Formula f, LayerNormOp op) {
  Value x = f.widened(op.getOperand());
  auto dims =
      llvm::to_vector(llvm::seq<int64_t>(op.getAxis(), typeOf(x).getRank()));
  Value centred = f.sub(x, f.unreduce(f.mean(x, dims), dims, x));
  Value variance = f.mean(f.mul(centred, centred), dims);
  double epsilon = op.getEpsilon().convertToDouble();
  Value inverse = f.unary<RsqrtOp>(f.add(variance, f.splat(variance, epsilon)));
  Value result = f.mul(centred, f.unreduce(inverse, dims, x));
  if (op.getScale())
    result = f.scaledBy(result, op.getScale(), op.getAxis());
  if (op.getBias())
    result =
        f.add(result, f.trailing(f.widened(op.getBias()), op.getAxis(), x));
  return result;
}

static Value rmsNorm(Formula f, RmsNormOp op) {
  Value x = f.widened(op.getOperand());
  auto dims =
      llvm::to_vector(llvm::seq<int64_t>(op.getAxis(), typeOf(x).getRank()));
  Value square = f.mean(f.mul(x, x), dims);
  double epsilon = op.getEpsilon().convertToDouble();
  Value inverse = f.unary<RsqrtOp>(f.add(square, f.splat(square, epsilon)));
  Value result = f.mul(x, f.unreduce(inverse, dims, x));
  return op.getScale() ? f.scaledBy(result, op.getScale(), op.getAxis())
                       : result;
}

/// x * factor + shift, where both are vectors of the channels: what folds into
/// weights before it.
/// The vectors of a batch norm in one type, the static one where some have it:
/// their sizes are checked to be equal.
static SmallVector<Value> channelVectors(Formula f, BatchNormOp op) {
  SmallVector<Value> vectors;
  for (Value vector : op->getOperands().drop_front())
    vectors.push_back(f.widened(vector));
  auto known = llvm::find_if(
      vectors, [](Value vector) { return typeOf(vector).hasStaticShape(); });
  if (known == vectors.end())
    return vectors;
  ArrayRef<int64_t> shape = typeOf(*known).getShape();
  for (Value &vector : vectors)
    vector = reshaped(f.builder, f.loc, vector, shape);
  return vectors;
}

static Value batchNorm(Formula f, BatchNormOp op) {
  Value x = f.widened(op.getOperand());
  SmallVector<Value> vectors = channelVectors(f, op);
  Value scale = vectors[0], bias = vectors[1], mean = vectors[2],
        variance = vectors[3];
  double epsilon = op.getEpsilon().convertToDouble();
  Value root = f.unary<SqrtOp>(f.add(variance, f.splat(variance, epsilon)));
  Value factor = f.div(scale, root);
  Value shift = f.sub(bias, f.mul(mean, factor));
  int64_t dim = op.getDim();
  Value scaled = f.mul(x, broadcastLike(f.builder, f.loc, factor, {dim}, x));
  return f.add(scaled, broadcastLike(f.builder, f.loc, shift, {dim}, x));
}

static Value gelu(Formula f, GeluOp op) {
  Value x = f.widened(op.getOperand());
  Value inner;
  if (op.getForm() == GeluForm::erf) {
    inner = f.fast<ErfOp>(f.mul(x, f.splat(x, 0.70710678118654752440)));
  } else {
    Value cube = f.mul(f.mul(x, x), x);
    Value polynomial = f.add(x, f.mul(cube, f.splat(x, 0.044715)));
    inner =
        f.fast<TanhOp>(f.mul(polynomial, f.splat(x, 0.79788456080286535588)));
  }
  return f.mul(f.mul(x, f.splat(x, 0.5)), f.add(inner, f.splat(x, 1.0)));
}

/// Scores that a causal mask removes become -inf: key positions after query
/// position + T - S.
static Value causalScores(Formula f, Value scores) {
  int64_t rank = typeOf(scores).getRank();
  auto positions = typeOf(scores).clone(f.builder.getI64Type());
  SmallVector<Value> dims = dynamicDimsOf(f.builder, f.loc, scores);
  Value row = f.builder.create<IotaOp>(f.loc, positions, rank - 2, dims);
  Value column = f.builder.create<IotaOp>(f.loc, positions, rank - 1, dims);
  Value keys = f.builder.create<DimOp>(f.loc, scores, rank - 1);
  Value queries = f.builder.create<DimOp>(f.loc, scores, rank - 2);
  Value last = f.add(
      row, broadcastLike(f.builder, f.loc, f.sub(keys, queries), {}, scores));
  auto mask = typeOf(scores).clone(f.builder.getI1Type());
  Value visible = f.builder.create<CompareOp>(f.loc, mask, CompareDirection::le,
                                              column, last);
  Value removed = f.splat(scores, -std::numeric_limits<double>::infinity());
  return f.builder.create<SelectOp>(f.loc, scores.getType(), visible, scores,
                                    removed);
}

static Value maskedScores(Formula f, AttentionOp op, Value scores) {
  if (!typeOf(op.getMask()).getElementType().isInteger(1))
    return f.add(scores, f.widened(op.getMask()));
  double removed = op.getRemoved() ? op.getRemoved()->convertToDouble()
                                   : -std::numeric_limits<double>::infinity();
  return f.builder.create<SelectOp>(f.loc, scores.getType(), op.getMask(),
                                    scores, f.splat(scores, removed));
}

static Value attention(Formula f, AttentionOp op) {
  Value query = f.widened(op.getQuery()), key = f.widened(op.getKey()),
        value = f.widened(op.getValue());
  int64_t rank = typeOf(query).getRank();
  auto leading = llvm::to_vector(llvm::seq<int64_t>(0, rank - 2));
  auto dot = [&](Value lhs, Value rhs, int64_t contracted) -> Value {
    auto dims = DotDimsAttr::get(f.builder.getContext(), leading, leading,
                                 {rank - 1}, {contracted});
    SmallVector<int64_t> shape(typeOf(lhs).getShape().drop_back());
    shape.push_back(
        typeOf(rhs).getDimSize(contracted == rank - 1 ? rank - 2 : rank - 1));
    auto type = RankedTensorType::get(shape, typeOf(lhs).getElementType());
    return f.builder.create<DotGeneralOp>(f.loc, type, lhs, rhs, dims);
  };
  Value scores = dot(query, key, rank - 1);
  scores = f.mul(scores, f.splat(scores, op.getScale().convertToDouble()));
  if (op.getMask())
    scores = maskedScores(f, op, scores);
  if (op.getCausal())
    scores = causalScores(f, scores);
  Value weights = f.softmax(scores, {rank - 1}, false);
  if (op.getGuarded()) {
    auto flags = typeOf(weights).clone(f.builder.getI1Type());
    Value isNaN = f.builder.create<CompareOp>(
        f.loc, flags, CompareDirection::ne, weights, weights);
    weights = f.builder.create<SelectOp>(f.loc, weights.getType(), isNaN,
                                         f.splat(weights, 0), weights);
  }
  return dot(weights, value, rank - 2);
}

Value buildFormula(OpBuilder &builder, Operation *composite) {
  Formula f{builder, composite->getLoc()};
  Value result =
      llvm::TypeSwitch<Operation *, Value>(composite)
          .Case([&](SoftmaxOp op) {
            return f.softmax(f.widened(op.getOperand()), op.getDims(), false);
          })
          .Case([&](LogSoftmaxOp op) {
            return f.softmax(f.widened(op.getOperand()), op.getDims(), true);
          })
          .Case([&](LayerNormOp op) { return layerNorm(f, op); })
          .Case([&](RmsNormOp op) { return rmsNorm(f, op); })
          .Case([&](BatchNormOp op) { return batchNorm(f, op); })
          .Case([&](GeluOp op) { return gelu(f, op); })
          .Case([&](AttentionOp op) { return attention(f, op); })
          .Default([](Operation *) { return Value(); });
  return result ? f.convert(result,
                            typeOf(composite->getResult(0)).getElementType())
                : result;
}

} // namespace zenith::graph
