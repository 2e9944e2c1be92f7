// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises sums of products whose first factor is a widened parameter.

#include "ir/encodings/WidenedFactor.h"
#include "ir/encodings/PackedPanels.h"
#include "ir/matchers/ParameterDependence.h"
#include "ir/matchers/SplatConstant.h"

using namespace mlir;

namespace zenith::graph {

/// The conversion to float of the first factor.
static ConvertOp widenedFactor(Value value) {
  auto product = value.getDefiningOp<MulOp>();
  if (!product || isFixed(product.getRhs()) || !isParameter(product.getLhs()) ||
      beforeWidening(product.getLhs()) == product.getLhs())
    return {};
  return product.getLhs().getDefiningOp<ConvertOp>();
}

/// Adds what makes integers of fields of bytes.
static void addFieldOps(Value integers, SmallVectorImpl<Operation *> &ops) {
  auto difference = integers.getDefiningOp<SubOp>();
  Value codes = difference ? difference.getLhs() : integers;
  Operation *field = codes.getDefiningOp();
  if (!isa_and_nonnull<AndOp, ShiftRightLogicalOp>(field) ||
      !splatValue(field->getOperand(1)))
    return;
  ops.push_back(field);
  if (difference)
    ops.push_back(difference);
}

SmallVector<Operation *> wideningOps(ReduceOp sum) {
  SmallVector<Operation *> ops;
  if (sum.getKind() != ReduceKind::sum)
    return ops;
  SmallVector<Value> terms{sum.getOperand()};
  if (auto pair = sum.getOperand().getDefiningOp<AddOp>())
    terms.assign({pair.getLhs(), pair.getRhs()});
  for (Value term : terms) {
    ConvertOp widening = widenedFactor(term);
    if (!widening)
      return {};
    ops.push_back(widening);
    addFieldOps(widening.getOperand(), ops);
  }
  return ops;
}

} // namespace zenith::graph
