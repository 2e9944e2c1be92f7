// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of matmuls and convolutions: linear in each operand, and the
// cotangent of one is a product of the result's with the other.

#include "ir/matchers/TypeOf.h"
#include "passes/autodiff/ConvolutionGradients.h"
#include "passes/autodiff/GradientRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

using Values = SmallVector<Value>;
using Dims = SmallVector<int64_t>;

/// Dimensions of an operand that are in neither list.
static Dims freeDims(Value x, ArrayRef<int64_t> batching,
                     ArrayRef<int64_t> contracting) {
  Dims dims;
  for (int64_t d = 0; d < typeOf(x).getRank(); ++d)
    if (!llvm::is_contained(batching, d) && !llvm::is_contained(contracting, d))
      dims.push_back(d);
  return dims;
}

namespace {
/// One operand of a dot_general and how it numbers its dimensions.
struct Side {
  Value value;
  ArrayRef<int64_t> batching, contracting;
  Dims free;

  Side(Value value, ArrayRef<int64_t> batching, ArrayRef<int64_t> contracting)
      : value(value), batching(batching), contracting(contracting),
        free(freeDims(value, batching, contracting)) {}
};
} // namespace

/// The cotangent of `own`, from that of the result, where the free dimensions
/// of `other` are from `firstOther` on.
static Value transposeDot(RuleBuilder &rule, Value ct, const Side &own,
                          const Side &other, int64_t firstOther) {
  Type element = typeOf(ct).getElementType();
  Dims ctBatching = llvm::to_vector(llvm::seq<int64_t>(0, own.batching.size())),
       ctContracting = llvm::to_vector(
           llvm::seq<int64_t>(firstOther, firstOther + other.free.size()));
  auto dims = DotDimsAttr::get(rule.builder.getContext(), ctBatching,
                               other.batching, ctContracting, other.free);
  Value product = rule.dot(ct, rule.convert(other.value, element), dims);
  // Dimensions of the product: batching, free of own, contracted of other in
  // its order.
  Dims order(own.batching);
  llvm::append_range(order, own.free);
  Dims sorted(other.contracting);
  llvm::sort(sorted);
  for (int64_t d : sorted)
    order.push_back(own.contracting[llvm::find(other.contracting, d) -
                                    other.contracting.begin()]);
  Dims permutation(order.size());
  for (auto [position, d] : llvm::enumerate(order))
    permutation[d] = position;
  return rule.convert(rule.transpose(product, permutation),
                      typeOf(own.value).getElementType());
}

static Derivatives transposeOf(DotGeneralOp op, RuleBuilder &rule, Value ct,
                               const BitVector &linear) {
  DotDimsAttr dims = op.getDims();
  Side lhs(op.getLhs(), dims.getLhsBatching(), dims.getLhsContracting()),
      rhs(op.getRhs(), dims.getRhsBatching(), dims.getRhsContracting());
  int64_t batches = lhs.batching.size();
  if (linear.all())
    return notLinear(op);
  if (linear[0])
    return Values{
        transposeDot(rule, ct, lhs, rhs, batches + int64_t(lhs.free.size())),
        Value()};
  return Values{Value(), transposeDot(rule, ct, rhs, lhs, batches)};
}

static Derivatives transposeOf(ConvolutionOp op, RuleBuilder &rule, Value ct,
                               const BitVector &linear) {
  if (linear.all())
    return notLinear(op);
  if (linear[0])
    return Values{inputCotangent(op, rule, ct), Value()};
  return Values{Value(), kernelCotangent(op, rule, ct)};
}

static GradientAnswer answerOf(DotGeneralOp) { return {}; }
static GradientAnswer answerOf(ConvolutionOp op) {
  return convolutionAnswer(op);
}

namespace {

template <typename Op>
struct ContractionGradient
    : GradientRule::ExternalModel<ContractionGradient<Op>, Op> {
  GradientAnswer gradientAnswer(Operation *op) const {
    return answerOf(cast<Op>(op));
  }
  Derivatives linearize(Operation *op, RuleBuilder &rule,
                        ArrayRef<Value> tangents) const {
    Value sum;
    for (unsigned side : {0u, 1u})
      if (tangents[side])
        sum = rule.plus(sum, onTangents(op, rule, tangents, {side})[0]);
    return Values{sum};
  }
  Derivatives transpose(Operation *op, RuleBuilder &rule,
                        ArrayRef<Value> cotangents,
                        const BitVector &linear) const {
    return transposeOf(cast<Op>(op), rule, cotangents[0], linear);
  }
};

} // namespace

void attachContractionGradients(MLIRContext *context) {
  attachAll<ContractionGradient,
#define GET_OP_LIST
#include "ir/Contraction.cpp.inc"
            >(context);
}

} // namespace zenith::autodiff
