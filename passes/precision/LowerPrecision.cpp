// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the target multiplies products of narrow operands: pairs of bf16 where it
// has them and they pay, else the operands widened by the kernels. The
// roundings are the program's either way.

#include "ir/DimAnalysis.h"
#include "ir/GraphOps.h"
#include "ir/matchers/ParameterDependence.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "ir/remarks/Remark.h"
#include "ir/target/TargetModel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/cost/WinogradCycles.h"
#include "passes/precision/KeptOps.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_LOWERPRECISIONPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::precision {

static bool isBatched(Operation *op) {
  if (auto dot = dyn_cast<DotGeneralOp>(op))
    return !dot.getDims().getRhsBatching().empty();
  return cast<ConvolutionOp>(op).getGroups() != 1;
}

/// True for products that kernels of pairs compute: of packed weights, but not
/// where a Winograd convolution of f32 takes less time.
static bool formsPairs(Operation *op, const target::TargetModel &target,
                       DimAnalysis &dims) {
  Value weights = op->getOperand(1);
  if (!target.bf16Pairs || !typeOf(weights).getElementType().isBF16() ||
      !typeOf(weights).hasStaticShape() || !isParameter(weights) ||
      isBatched(op))
    return false;
  auto convolution = dyn_cast<ConvolutionOp>(op);
  return !convolution || cost::fastestTile(convolution, target, dims) == 1;
}

/// The same product of the operands widened to f32, rounded to its result's
/// type.
static void widen(Operation *op) {
  OpBuilder builder(op);
  Type f32 = builder.getF32Type();
  for (OpOperand &operand : op->getOpOperands())
    operand.set(converted(builder, operand.get(), f32));
  Value result = op->getResult(0);
  Type element = typeOf(result).getElementType();
  if (element.isF32())
    return;
  result.setType(typeOf(result).clone(f32));
  builder.setInsertionPointAfter(op);
  Value narrow = converted(builder, result, element);
  result.replaceAllUsesExcept(narrow, narrow.getDefiningOp());
}

namespace {

struct LowerPrecisionPass : impl::LowerPrecisionPassBase<LowerPrecisionPass> {
  using LowerPrecisionPassBase::LowerPrecisionPassBase;

  void runOnOperation() override {
    target::TargetModel target = target::modelOf(getOperation());
    target.bf16Pairs |= pairs;
    DimAnalysis dims;
    SmallVector<Operation *> products;
    getOperation().walk([&](Operation *op) {
      if (isa<DotGeneralOp, ConvolutionOp>(op) &&
          isa<BFloat16Type, Float16Type>(
              typeOf(op->getOperand(0)).getElementType()))
        products.push_back(op);
    });
    for (Operation *op : products) {
      Type element = typeOf(op->getOperand(0)).getElementType();
      if (formsPairs(op, target, dims))
        continue;
      if (explain && !(target.bf16Pairs && element.isBF16()))
        remarks::emit(op, remarks::Code::PRE201,
                      {sourceName(op), element.isBF16() ? "bf16" : "f16"});
      widen(op);
    }
  }
};

} // namespace
} // namespace zenith::precision
