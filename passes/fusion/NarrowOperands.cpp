// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches operands that are widened from narrower types.

#include "passes/fusion/NarrowOperands.h"
#include "ir/encodings/PackedPanels.h"
#include "passes/fusion/FusionRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::fusion {

bool readsInt8(OpOperand &use) {
  Operation *matmul = use.getOwner();
  if (!isa<DotGeneralOp, ConvolutionOp>(matmul) || use.getOperandNumber() != 0)
    return false;
  auto panels = matchUnpackedPanels(matmul->getOperand(1));
  return panels && panels->group == 4;
}

bool widensInRegisters(OpOperand &use) {
  Value wide = use.get();
  bool becomesFloat =
      isa<FloatType>(getElementTypeOrSelf(wide.getType())) &&
      isa<IntegerType>(getElementTypeOrSelf(beforeWidening(wide).getType()));
  return use.getOperandNumber() == 1 &&
         (!becomesFloat || matchUnpackedPanels(wide));
}

std::optional<Int8Input> int8InputOf(Operation *window) {
  constexpr unsigned maxSteps = 4;
  Int8Input input{window->getOperand(0), {}};
  while (input.steps.size() < maxSteps) {
    Operation *op = input.source.getDefiningOp();
    bool isStep = isa_and_nonnull<ConvertOp>(op) ||
                  (isa_and_nonnull<AddOp, SubOp, MulOp>(op) &&
                   isSplatConstant(op->getOperand(1).getDefiningOp()));
    if (!isStep || !op->hasOneUse())
      return std::nullopt;
    input.steps.push_back(op);
    input.source = op->getOperand(0);
    if (getElementTypeOrSelf(input.source.getType()).isInteger(8))
      return input;
  }
  return std::nullopt;
}

} // namespace zenith::fusion
