// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights that are integers times a scale stay integers in memory: the result
// of the matmul is scaled instead.

#include "ir/matchers/IntegerRange.h"
#include "ir/matchers/ParameterDependence.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "ir/ops/CompositeFormulas.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/quantize/ScaledIntegers.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_KEEPINTEGERWEIGHTSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::quantize {

static void scaleResult(DotGeneralOp op) {
  Value result = op.getResult(), weights = op.getRhs();
  if (!typeOf(result).getElementType().isF32() || !isParameter(weights) ||
      isFixed(op.getLhs()))
    return;
  auto dims = weightDimsOf(op);
  OpBuilder builder(op);
  auto right = dims ? scaledIntegers(builder, weights) : std::nullopt;
  if (!right || (right->dim >= 0 && right->dim != dims->weightDim))
    return;
  unsigned bits = rangeOf(right->integers)->fits(8) ? 8 : 16;
  Value narrow =
      converted(builder, right->integers, builder.getIntegerType(bits));
  op.getRhsMutable().assign(converted(builder, narrow, builder.getF32Type()));
  // The sizes of the scale are read off the result itself.
  llvm::SmallPtrSet<Operation *, 4> readers(result.user_begin(),
                                            result.user_end());
  builder.setInsertionPointAfter(op);
  SmallVector<int64_t> mapping;
  if (right->dim >= 0)
    mapping.push_back(dims->resultDim);
  Value scale =
      broadcastLike(builder, op.getLoc(), right->scale, mapping, result);
  auto scaled =
      builder.create<MulOp>(op.getLoc(), result.getType(), result, scale);
  result.replaceUsesWithIf(
      scaled, [&](OpOperand &use) { return readers.contains(use.getOwner()); });
}

namespace {

struct KeepIntegerWeightsPass
    : impl::KeepIntegerWeightsPassBase<KeepIntegerWeightsPass> {
  using KeepIntegerWeightsPassBase::KeepIntegerWeightsPassBase;

  void runOnOperation() override { getOperation().walk(scaleResult); }
};

} // namespace
} // namespace zenith::quantize
