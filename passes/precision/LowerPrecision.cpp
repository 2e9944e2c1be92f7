// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the target multiplies products of narrow operands: pairs of bf16 where it
// has them and they pay, else the operands widened by the kernels. The
// roundings are the program's either way.

#include "ir/GraphOps.h"
#include "ir/matchers/ParameterDependence.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "ir/remarks/Remark.h"
#include "ir/target/TargetModel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/precision/KeptOps.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_LOWERPRECISIONPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::precision {

/// From this M on a dot product of pairs is faster than widened weights.
static constexpr int64_t fewestPairedRows = 4;

static bool isBatched(Operation *op) {
  if (auto dot = dyn_cast<DotGeneralOp>(op))
    return !dot.getDims().getRhsBatching().empty();
  return cast<ConvolutionOp>(op).getGroups() != 1;
}

/// True where M, elements of the result per column of the weights, is known to
/// be small.
static bool hasFewRows(Operation *op) {
  RankedTensorType result = typeOf(op->getResult(0));
  RankedTensorType weights = typeOf(op->getOperand(1));
  if (!result.hasStaticShape() || weights.getNumElements() == 0)
    return false;
  int64_t k = 1;
  if (auto dot = dyn_cast<DotGeneralOp>(op))
    for (int64_t dim : dot.getDims().getRhsContracting())
      k *= weights.getDimSize(dim);
  else
    k = weights.getNumElements() /
        weights.getDimSize(cast<ConvolutionOp>(op).getDims().getKernelOutput());
  int64_t columns = weights.getNumElements() / k;
  return result.getNumElements() < fewestPairedRows * columns;
}

/// True for products that kernels of pairs compute: of packed weights.
static bool formsPairs(Operation *op) {
  Value weights = op->getOperand(1);
  return typeOf(weights).getElementType().isBF16() &&
         typeOf(weights).hasStaticShape() && isParameter(weights) &&
         !isBatched(op) && !hasFewRows(op);
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
    bool hasPairs = pairs || target::modelOf(getOperation()).bf16Pairs;
    SmallVector<Operation *> products;
    getOperation().walk([&](Operation *op) {
      if (isa<DotGeneralOp, ConvolutionOp>(op) &&
          isa<BFloat16Type, Float16Type>(
              typeOf(op->getOperand(0)).getElementType()))
        products.push_back(op);
    });
    for (Operation *op : products) {
      Type element = typeOf(op->getOperand(0)).getElementType();
      if (hasPairs && formsPairs(op))
        continue;
      if (explain && !(hasPairs && element.isBF16()))
        remarks::emit(op, remarks::Code::PRE201,
                      {sourceName(op), element.isBF16() ? "bf16" : "f16"});
      widen(op);
    }
  }
};

} // namespace
} // namespace zenith::precision
