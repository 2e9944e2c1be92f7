// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both norms are normal * scale + bias, where rms_norm has no mean and no bias.

#include "passes/autodiff/composites/NormGradients.h"
#include "ir/matchers/TypeOf.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

using Dims = SmallVector<int64_t>;

namespace {

/// The attributes and operands that the two norms share.
struct Norm {
  explicit Norm(Operation *op) {
    if (auto layer = dyn_cast<LayerNormOp>(op)) {
      isCentred = true;
      axis = layer.getAxis();
      epsilon = layer.getEpsilon().convertToDouble();
      scale = layer.getScale();
      bias = layer.getBias();
      return;
    }
    auto rms = cast<RmsNormOp>(op);
    axis = rms.getAxis();
    epsilon = rms.getEpsilon().convertToDouble();
    scale = rms.getScale();
  }

  bool isCentred = false;
  int64_t axis;
  double epsilon;
  Value scale, bias; ///< may be null
};

} // namespace

static Dims dimsFrom(Value x, int64_t axis) {
  return llvm::to_vector(llvm::seq<int64_t>(axis, typeOf(x).getRank()));
}

static Value meanOf(RuleBuilder &rule, Value x, ArrayRef<int64_t> dims) {
  Value sum = rule.sum(x, dims);
  Value count = rule.count(x, dims, typeOf(x).getElementType());
  return rule.div(sum, rule.broadcast(count, {}, sum));
}

static Value centred(RuleBuilder &rule, Value x, ArrayRef<int64_t> dims) {
  return rule.sub(x, rule.repeat(meanOf(rule, x, dims), dims, x));
}

/// A vector of the normalised dimensions, repeated along the others.
static Value repeated(RuleBuilder &rule, Value vector, const Norm &norm,
                      Value shape) {
  return rule.broadcast(rule.widened(vector), dimsFrom(shape, norm.axis),
                        shape);
}

NormParts normPartsOf(Operation *op, RuleBuilder &rule) {
  Norm norm(op);
  Value x = rule.widened(op->getOperand(0));
  Dims dims = dimsFrom(x, norm.axis);
  Value centre = norm.isCentred ? centred(rule, x, dims) : x;
  Value variance = meanOf(rule, rule.square(centre), dims);
  Value inverse = rule.unary<RsqrtOp>(
      rule.add(variance, rule.splat(variance, norm.epsilon)));
  inverse = rule.repeat(inverse, dims, x);
  return {inverse, rule.mul(centre, inverse)};
}

Value normResult(Operation *op, RuleBuilder &rule, const NormParts &parts) {
  Norm norm(op);
  Value result = parts.normal;
  if (norm.scale)
    result = rule.mul(result, repeated(rule, norm.scale, norm, result));
  if (norm.bias)
    result = rule.add(result, repeated(rule, norm.bias, norm, result));
  return rule.convert(result, typeOf(op->getResult(0)).getElementType());
}

Value normTangent(Operation *op, RuleBuilder &rule, const NormParts &parts,
                  ArrayRef<Value> t) {
  Norm norm(op);
  auto [inverse, normal] = parts;
  Dims dims = dimsFrom(normal, norm.axis);
  Value ofScale = norm.scale ? t[1] : Value(),
        ofBias = norm.bias ? t[2] : Value(), result;
  if (t[0]) {
    // inverse * (t - normal * mean(normal * t)).
    Value tangent = rule.widened(t[0]);
    if (norm.isCentred)
      tangent = centred(rule, tangent, dims);
    Value along = meanOf(rule, rule.mul(tangent, normal), dims);
    Value part = rule.mul(rule.repeat(along, dims, normal), normal);
    result = rule.mul(rule.sub(tangent, part), inverse);
    if (norm.scale)
      result = rule.mul(result, repeated(rule, norm.scale, norm, normal));
  }
  if (ofScale)
    result = rule.plus(result,
                       rule.mul(repeated(rule, ofScale, norm, normal), normal));
  return ofBias ? rule.plus(result, repeated(rule, ofBias, norm, normal))
                : result;
}

} // namespace zenith::autodiff
