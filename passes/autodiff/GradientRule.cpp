// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the families' answers, and what they share.

#include "passes/autodiff/GradientRule.h"

#include "ir/LocationText.h"
#include "ir/SearchOps.h"
#include "mlir/IR/IRMapping.h"

#include "passes/autodiff/GradientRule.cpp.inc"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

void registerGradientRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, GraphDialect *) {
    attachElementwiseGradients(context);
    attachMovementGradients(context);
    attachContractionGradients(context);
    attachLinearAlgebraGradients(context);
    attachReductionGradients(context);
    attachIndexingGradients(context);
    attachOrderingGradients(context);
    attachRandomGradients(context);
    attachCompositeGradients(context);
    attachControlGradients(context);
    attachCollectiveGradients(context);
  });
  registry.addExtension(+[](MLIRContext *context, search::SearchDialect *) {
    attachSearchGradients(context);
  });
}

GradientAnswer gradientAnswerOf(Operation *op) {
  if (auto rule = dyn_cast<GradientRule>(op))
    return rule.gradientAnswer();
  return {GradientAnswer::Refused, ""};
}

llvm::Error refuseRule(Operation *op, const Twine &why) {
  std::string reason = why.str();
  if (reason.empty())
    reason = gradientAnswerOf(op).reason;
  return makeError(ErrorCode::Unsupported,
                   "'" + op->getName().getStringRef() +
                       "' op has no derivative" +
                       (reason.empty() ? "" : ": " + reason),
                   placeOf(op->getLoc()));
}

llvm::Error notLinear(Operation *op) {
  return makeError(ErrorCode::Unsupported,
                   "'" + op->getName().getStringRef() +
                       "' op is not linear in the tangents and cannot be "
                       "transposed",
                   placeOf(op->getLoc()));
}

SmallVector<Value> onTangents(Operation *op, RuleBuilder &rule,
                              ArrayRef<Value> tangents,
                              ArrayRef<unsigned> linear) {
  IRMapping mapping;
  SmallVector<Value> operands(op->getOperands());
  for (unsigned index : linear)
    operands[index] =
        tangents[index] ? tangents[index] : rule.zeros(operands[index]);
  Operation *copy = rule.builder.clone(*op, mapping);
  copy->setOperands(operands);
  return copy->getResults();
}

} // namespace zenith::autodiff
