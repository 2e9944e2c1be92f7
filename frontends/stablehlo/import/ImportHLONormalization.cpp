// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import of batch normalisation: inference, training and its gradient.

#include "frontends/stablehlo/import/OpReading.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

namespace {
/// The operand of a batch norm, and vectors broadcast along its features.
class Norm {
public:
  explicit Norm(OpReading &x)
      : x(x), operand(x, x.in(0)), feature(x.intAttribute("feature_index")) {
    auto value = x.op->getAttrOfType<FloatAttr>("epsilon");
    epsilon = value ? value.getValueAsDouble() : 0;
    if (feature < 0 || feature >= rankOf(operand.value))
      x.invalid("has a feature dimension out of range");
    for (int64_t i = 0; i < rankOf(operand.value); ++i)
      if (i != feature)
        dims.push_back(i);
  }
  Expr spread(Expr vector) const {
    return vector.with(x.broadcast(vector.value, {feature},
                                   tensorTypeOf(operand.value),
                                   x.dynamicDims(operand.value)));
  }
  Expr input(unsigned index) const { return Expr(x, x.in(index)); }
  Expr sum(Expr value) const {
    return value.with(x.reduce(graph::ReduceKind::sum, value.value, dims));
  }
  /// How many elements a feature has, as a value like `other`.
  Expr countLike(Expr other) const {
    double count = 1;
    Value open;
    for (int64_t dim : dims) {
      int64_t size = tensorTypeOf(operand.value).getDimSize(dim);
      if (!ShapedType::isDynamic(size)) {
        count *= double(size);
        continue;
      }
      Value scalar = x.dim(operand.value, dim);
      open = open ? x.binary<graph::MulOp>(open, scalar) : scalar;
    }
    if (!open)
      return other.constant(count);
    Value scalar = x.convert(open, other.element());
    return other.with(x.spread(scalar, other.value)) * count;
  }
  Expr mean(Expr value) const {
    Expr total = sum(value);
    return total / countLike(total);
  }

  OpReading &x;
  Expr operand;
  int64_t feature;
  double epsilon = 0;
  SmallVector<int64_t> dims;
};
} // namespace

static void inferenceRule(OpReading &x) {
  Norm norm(x);
  if (x.failed())
    return;
  Expr scale = norm.spread(norm.input(1)), offset = norm.spread(norm.input(2)),
       mean = norm.spread(norm.input(3)), variance = norm.spread(norm.input(4));
  Expr deviation = (variance + norm.epsilon).apply<graph::SqrtOp>();
  x.out((scale * ((norm.operand - mean) / deviation) + offset).value);
}

static void trainingRule(OpReading &x) {
  Norm norm(x);
  if (x.failed())
    return;
  Expr mean = norm.mean(norm.operand);
  Expr centered = norm.operand - norm.spread(mean);
  Expr variance = norm.mean(centered * centered);
  Expr deviation =
      (norm.spread(variance) + norm.epsilon).apply<graph::SqrtOp>();
  Expr output = norm.spread(norm.input(1)) * (centered / deviation) +
                norm.spread(norm.input(2));
  x.out(Values{output.value, mean.value, variance.value});
}

static void gradientRule(OpReading &x) {
  Norm norm(x);
  if (x.failed())
    return;
  Expr scale = norm.spread(norm.input(1)), mean = norm.spread(norm.input(2)),
       variance = norm.spread(norm.input(3)), gradient = norm.input(4);
  Expr centered = norm.operand - mean;
  Expr sum = norm.sum(gradient * centered);
  Expr deviation = (variance + norm.epsilon).apply<graph::SqrtOp>();
  Expr count = norm.countLike(gradient);
  Expr first = count * gradient, second = norm.spread(norm.sum(gradient));
  Expr third = norm.spread(sum) * centered / (variance + norm.epsilon);
  Expr operand = scale / deviation / count * (first - second - third);
  Expr vectorDeviation = (norm.input(3) + norm.epsilon).apply<graph::SqrtOp>();
  x.out(
      {operand.value, (sum / vectorDeviation).value, norm.sum(gradient).value});
}

void stablehlo::addNormalizationRules(RuleTable &rules) {
  rules["stablehlo.batch_norm_inference"] = inferenceRule;
  rules["stablehlo.batch_norm_training"] = trainingRule;
  rules["stablehlo.batch_norm_grad"] = gradientRule;
}
