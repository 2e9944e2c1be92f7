// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of movement: tangents move as the values do, cotangents move back
// and add up where an element was copied.

#include "ir/matchers/TypeOf.h"
#include "passes/autodiff/GradientRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

using Values = SmallVector<Value>;
using Dims = SmallVector<int64_t>;

static Dims repeated(Value x, int64_t value) {
  return Dims(cast<RankedTensorType>(x.getType()).getRank(), value);
}

/// Operands that the op is linear in.
static SmallVector<unsigned> linearOperands(Operation *op) {
  if (isa<ConcatOp>(op))
    return llvm::to_vector(llvm::seq<unsigned>(0, op->getNumOperands()));
  if (isa<PadOp>(op))
    return {0, 1};
  return {0};
}

/// Sums over repeated dimensions; those of size 1 stay.
static Value transposeOf(BroadcastOp op, RuleBuilder &rule, Value ct) {
  RankedTensorType from = typeOf(op.getOperand()), to = typeOf(op.getResult());
  Dims summed = rule.others(ct, op.getMapping());
  for (auto [d, target] : llvm::enumerate(op.getMapping()))
    if (from.getDimSize(d) == 1 && to.getDimSize(target) != 1)
      summed.push_back(target);
  llvm::sort(summed);
  Value sum = rule.sum(ct, summed);
  // The operand's dimensions in order of the result's.
  Dims order = llvm::to_vector(llvm::seq<int64_t>(0, from.getRank()));
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return op.getMapping()[a] < op.getMapping()[b];
  });
  Dims kept;
  for (int64_t d : order)
    if (!llvm::is_contained(summed, op.getMapping()[d]))
      kept.push_back(d);
  // Which dimension of the sum each remaining dimension of the operand is.
  Dims permutation;
  for (int64_t d = 0; d < from.getRank(); ++d)
    if (llvm::is_contained(kept, d))
      permutation.push_back(llvm::find(kept, d) - kept.begin());
  return rule.reshape(rule.transpose(sum, permutation), op.getOperand());
}

/// `ct` with dimension d of the size that `x` has there: element i belongs to
/// element i of x, or to its only one.
static Value sumWhereRepeated(RuleBuilder &rule, Value ct, Value x, int64_t d) {
  RankedTensorType type = typeOf(ct);
  Dims shape(type.getShape()), window;
  shape[d] = typeOf(x).getDimSize(d);
  Values sizes;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    if (ShapedType::isDynamic(shape[i]))
      sizes.push_back(rule.dim(i == d ? x : ct, i));
    if (i != d)
      window.push_back(i);
  }
  Value zeros = rule.builder.create<BroadcastOp>(
      rule.loc, type.clone(shape), rule.scalar(type.getElementType(), 0),
      ArrayRef<int64_t>(), sizes);
  Type i64 = rule.builder.getI64Type();
  auto listType = RankedTensorType::get({type.getDimSize(d)}, i64);
  Values count;
  if (listType.isDynamicDim(0))
    count.push_back(rule.dim(ct, d));
  Value places = rule.builder.create<IotaOp>(rule.loc, listType, 0, count);
  Value last = rule.sub(rule.dim(x, d), rule.index(1));
  places = rule.binary<MinOp>(places, rule.broadcast(last, {}, places));
  auto dims = ScatterDimsAttr::get(rule.builder.getContext(), window, {d}, {},
                                   {}, {d}, 1);
  return rule.builder.create<ScatterOp>(rule.loc, zeros.getType(),
                                        ScatterKind::sum, zeros, places, ct,
                                        dims, /*unique=*/false);
}

static Value transposeOf(ExpandOp op, RuleBuilder &rule, Value ct) {
  Value x = op.getOperand();
  Dims ones;
  for (int64_t d = 0; d < typeOf(x).getRank(); ++d) {
    int64_t size = typeOf(x).getDimSize(d);
    if (ShapedType::isDynamic(size))
      ct = sumWhereRepeated(rule, ct, x, d);
    else if (size == 1 && typeOf(ct).getDimSize(d) != 1)
      ones.push_back(d);
  }
  return rule.reshape(rule.sum(ct, ones), x);
}

static Value transposeOf(ReshapeOp op, RuleBuilder &rule, Value ct) {
  return rule.reshape(ct, op.getOperand());
}

static Value transposeOf(TransposeOp op, RuleBuilder &rule, Value ct) {
  Dims inverse(op.getPermutation().size());
  for (auto [to, from] : llvm::enumerate(op.getPermutation()))
    inverse[from] = to;
  return rule.transpose(ct, inverse);
}

static Value transposeOf(ReverseOp op, RuleBuilder &rule, Value ct) {
  return rule.reverse(ct, op.getDims());
}

/// A pad with zeros by these amounts, which may be dynamic, to the shape of
/// `shape`.
static Value padTo(RuleBuilder &rule, Value x, Value shape, ArrayRef<Value> low,
                   ArrayRef<int64_t> interior) {
  Dims staticLow, staticHigh;
  Values dynamicLow, dynamicHigh;
  auto add = [&](Value amount, Dims &known, Values &dynamic) {
    auto constant = amount.getDefiningOp<ConstantOp>();
    if (constant) {
      known.push_back(cast<DenseElementsAttr>(constant.getValue())
                          .getSplatValue<APInt>()
                          .getSExtValue());
      return;
    }
    known.push_back(ShapedType::kDynamic);
    dynamic.push_back(amount);
  };
  for (auto [d, start] : llvm::enumerate(low)) {
    add(start, staticLow, dynamicLow);
    int64_t size = typeOf(x).getDimSize(d), whole = typeOf(shape).getDimSize(d);
    if (staticLow.back() != ShapedType::kDynamic &&
        !ShapedType::isDynamic(size) && !ShapedType::isDynamic(whole)) {
      int64_t covered = size == 0 ? 0 : (size - 1) * (interior[d] + 1) + 1;
      staticHigh.push_back(whole - staticLow.back() - covered);
      continue;
    }
    // The last element is at low + (n - 1) * (interior + 1).
    Value n = rule.dim(x, d), one = rule.index(1);
    Value last = rule.mul(rule.sub(n, one), rule.index(interior[d] + 1));
    Value covered = rule.binary<MaxOp>(rule.add(last, one), rule.index(0));
    add(rule.sub(rule.sub(rule.dim(shape, d), start), covered), staticHigh,
        dynamicHigh);
  }
  Value zero = rule.scalar(typeOf(x).getElementType(), 0);
  return rule.builder.create<PadOp>(
      rule.loc, typeOf(x).clone(typeOf(shape).getShape()), x, zero, dynamicLow,
      dynamicHigh, staticLow, staticHigh, interior);
}

/// Static and dynamic entries in one list of scalars.
static Values mixed(RuleBuilder &rule, ArrayRef<int64_t> known,
                    ValueRange dynamic) {
  Values all;
  for (int64_t entry : known) {
    if (!ShapedType::isDynamic(entry)) {
      all.push_back(rule.index(entry));
      continue;
    }
    all.push_back(dynamic.front());
    dynamic = dynamic.drop_front();
  }
  return all;
}

static Value transposeOf(SliceOp op, RuleBuilder &rule, Value ct) {
  Dims interior;
  for (int64_t stride : op.getStrides())
    interior.push_back(stride - 1);
  return padTo(rule, ct, op.getOperand(),
               mixed(rule, op.getStaticStarts(), op.getStarts()), interior);
}

/// Elements where the operand's were; those that negative padding left out are
/// zero. First the ends, then the strides.
static Value ofPadded(PadOp op, RuleBuilder &rule, Value ct) {
  RankedTensorType type = typeOf(op.getOperand());
  Dims low, high, sizes, stride, none(type.getRank(), 0);
  Values dynamicLow, dynamicHigh;
  auto negated = [&](ArrayRef<int64_t> known, ValueRange dynamic, Dims &amounts,
                     Values &values) {
    for (int64_t amount : known)
      amounts.push_back(ShapedType::isDynamic(amount) ? amount : -amount);
    for (Value amount : dynamic)
      values.push_back(rule.sub(rule.index(0), amount));
  };
  negated(op.getStaticLow(), op.getLow(), low, dynamicLow);
  negated(op.getStaticHigh(), op.getHigh(), high, dynamicHigh);
  for (auto [size, interior] : llvm::zip(type.getShape(), op.getInterior())) {
    stride.push_back(interior + 1);
    sizes.push_back(ShapedType::isDynamic(size) || size == 0
                        ? size
                        : (size - 1) * (interior + 1) + 1);
  }
  Value zero = rule.scalar(type.getElementType(), 0);
  Value whole =
      rule.builder.create<PadOp>(rule.loc, type.clone(sizes), ct, zero,
                                 dynamicLow, dynamicHigh, low, high, none);
  return rule.builder.create<SliceOp>(rule.loc, type, whole, ValueRange(),
                                      rule.dynamicDims(op.getOperand()), none,
                                      type.getShape(), stride);
}

static Values transposeOf(PadOp op, RuleBuilder &rule, Value ct,
                          const BitVector &linear) {
  Dims all = llvm::to_vector(llvm::seq<int64_t>(0, typeOf(ct).getRank()));
  Values result(op->getNumOperands());
  Value inside = ofPadded(op, rule, ct);
  if (linear[0])
    result[0] = inside;
  // The padding has what the operand has not.
  if (linear[1])
    result[1] = rule.sub(rule.sum(ct, all), rule.sum(inside, all));
  return result;
}

static Values transposeOf(ConcatOp op, RuleBuilder &rule, Value ct,
                          const BitVector &linear) {
  Values result(op->getNumOperands());
  Value start = rule.index(0);
  int64_t dim = op.getDim(), known = 0;
  for (auto [index, operand] : llvm::enumerate(op.getOperands())) {
    RankedTensorType type = typeOf(operand);
    if (linear[index]) {
      Dims starts = repeated(operand, 0);
      Values dynamic;
      starts[dim] = known;
      if (ShapedType::isDynamic(known))
        dynamic.push_back(start);
      result[index] = rule.builder.create<SliceOp>(
          rule.loc, type, ct, dynamic, rule.dynamicDims(operand), starts,
          type.getShape(), repeated(operand, 1));
    }
    start = rule.add(start, rule.dim(operand, dim));
    known = ShapedType::isDynamic(known) || type.isDynamicDim(dim)
                ? ShapedType::kDynamic
                : known + type.getDimSize(dim);
  }
  return result;
}

template <typename Op>
static Values transposed(Op op, RuleBuilder &rule, Value ct,
                         const BitVector &linear) {
  if constexpr (std::is_same_v<Op, PadOp> || std::is_same_v<Op, ConcatOp>) {
    return transposeOf(op, rule, ct, linear);
  } else {
    Values result(op->getNumOperands());
    result[0] = transposeOf(op, rule, ct);
    return result;
  }
}

namespace {

template <typename Op>
constexpr bool isConstantOp =
    std::is_same_v<Op, ConstantOp> || std::is_same_v<Op, DimOp> ||
    std::is_same_v<Op, IotaOp>;

template <typename Op>
struct MovementGradient
    : GradientRule::ExternalModel<MovementGradient<Op>, Op> {
  GradientAnswer gradientAnswer(Operation *) const {
    return {isConstantOp<Op> ? GradientAnswer::Zero : GradientAnswer::Rule, ""};
  }
  Derivatives linearize(Operation *op, RuleBuilder &rule,
                        ArrayRef<Value> tangents) const {
    return onTangents(op, rule, tangents, linearOperands(op));
  }
  Derivatives transpose(Operation *op, RuleBuilder &rule,
                        ArrayRef<Value> cotangents,
                        const BitVector &linear) const {
    if constexpr (isConstantOp<Op>)
      return notLinear(op);
    else
      return transposed(cast<Op>(op), rule, cotangents[0], linear);
  }
};

} // namespace

void attachMovementGradients(MLIRContext *context) {
  attachAll<MovementGradient,
#define GET_OP_LIST
#include "ir/Movement.cpp.inc"
            >(context);
}

} // namespace zenith::autodiff
