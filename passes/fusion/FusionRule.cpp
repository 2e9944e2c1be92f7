// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the families' answers, and answers for ops of other dialects.

#include "passes/fusion/FusionRule.h"
#include "ir/SearchOps.h"

#include "passes/fusion/FusionRule.cpp.inc"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::fusion {

void registerFusionRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, GraphDialect *) {
    attachElementwiseFusion(context);
    attachMovementFusion(context);
    attachContractionFusion(context);
    attachLinearAlgebraFusion(context);
    attachReductionFusion(context);
    attachIndexingFusion(context);
    attachOrderingFusion(context);
    attachCompositeFusion(context);
    attachControlFusion(context);
  });
  registry.addExtension(+[](MLIRContext *context, search::SearchDialect *) {
    attachSearchFusion(context);
  });
}

Role roleOf(Operation *op, DimAnalysis &dims) {
  auto rule = dyn_cast<FusionRule>(op);
  return rule && op->getNumResults() != 0 ? rule.role(dims) : Role::Outside;
}

bool isElementwise(Operation *op) {
  auto rule = dyn_cast<FusionRule>(op);
  return rule && rule.isElementwise();
}

bool readsChunks(Operation *op) {
  auto rule = dyn_cast<FusionRule>(op);
  return rule &&
         llvm::any_of(llvm::seq(op->getNumOperands()), [&](unsigned operand) {
           return rule.readsChunks(operand);
         });
}

bool isDimScalar(Value value, DimAnalysis &dims) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() != 0 ||
      !type.getElementType().isSignlessInteger(64))
    return false;
  if (!isa_and_nonnull<DimOp, AddOp, SubOp, MulOp, DivOp, RemOp, FloorModOp,
                       MaxOp, MinOp>(value.getDefiningOp()))
    return false;
  bool known = true;
  dims.scalar(value).forEachSymbol([&](const std::string &name) {
    known &= !StringRef(name).starts_with("%i");
  });
  return known;
}

bool isSplatConstant(Operation *op) {
  auto constant = dyn_cast_or_null<ConstantOp>(op);
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                           : DenseElementsAttr();
  return elements && elements.isSplat();
}

SmallVector<Value> operandsInMemory(Operation *op,
                                    function_ref<bool(unsigned)> isComputed) {
  SmallVector<Value> needed;
  for (OpOperand &operand : op->getOpOperands())
    if (!isComputed(operand.getOperandNumber()))
      needed.push_back(operand.get());
  return needed;
}

} // namespace zenith::fusion
