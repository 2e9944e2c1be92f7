// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises sums of products whose first factor is a widened parameter.

#include "ir/encodings/WidenedFactor.h"
#include "ir/encodings/PackedPanels.h"
#include "ir/matchers/ParameterDependence.h"

using namespace mlir;

namespace zenith::graph {

ConvertOp widenedFactor(ReduceOp sum) {
  auto product = sum.getKind() == ReduceKind::sum
                     ? sum.getOperand().getDefiningOp<MulOp>()
                     : MulOp();
  if (!product || isFixed(product.getRhs()) || !isParameter(product.getLhs()) ||
      beforeWidening(product.getLhs()) == product.getLhs())
    return {};
  return product.getLhs().getDefiningOp<ConvertOp>();
}

} // namespace zenith::graph
