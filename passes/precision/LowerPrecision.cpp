// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounds the weights of matmuls and convolutions to a narrow type, and leaves
// the widening to the kernels.

#include "ir/GraphOps.h"
#include "ir/encodings/Winograd.h"
#include "ir/matchers/ParameterDependence.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "ir/target/TargetModel.h"
#include "ir/tensor/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"

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
  if (!result.hasStaticShape())
    return false;
  RankedTensorType weights = typeOf(op->getOperand(1));
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

namespace {

struct LowerPrecisionPass : impl::LowerPrecisionPassBase<LowerPrecisionPass> {
  using LowerPrecisionPassBase::LowerPrecisionPassBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    Type narrow;
    if (type == "bf16")
      narrow = BFloat16Type::get(context);
    else if (type == "f16")
      narrow = Float16Type::get(context);
    if (!narrow) {
      getOperation().emitError()
          << "type: got " << type.getValue() << ", expected bf16 or f16";
      return signalPassFailure();
    }
    roundsBoth = activations ||
                 (narrow.isBF16() && target::modelOf(getOperation()).bf16Pairs);
    SmallVector<Operation *> contractions;
    getOperation().walk([&](Operation *op) {
      if (isa<DotGeneralOp, ConvolutionOp>(op))
        contractions.push_back(op);
    });
    for (Operation *op : contractions)
      lower(op, narrow);
  }

private:
  bool roundsBoth = false; ///< the other operand of dot products too

  void lower(Operation *op, Type narrow);
  bool isCandidate(Operation *op);
  void remark(Operation *op, StringRef code, const Twine &text) {
    if (explain)
      op->emitRemark() << "precision: " << code << ": " << text;
  }
};

} // namespace

bool LowerPrecisionPass::isCandidate(Operation *op) {
  auto isF32 = [](Value value) {
    return typeOf(value).getElementType().isF32();
  };
  Value weights = op->getOperand(1);
  if (!isF32(weights) || !isF32(op->getOperand(0)) || !isF32(op->getResult(0)))
    remark(op, "PRE101", "the operands are not f32");
  else if (!typeOf(weights).hasStaticShape() || !isParameter(weights))
    remark(op, "PRE102", "the weights depend on arguments");
  else if (*tensorBytes(typeOf(weights)) < minBytes ||
           typeOf(weights).getNumElements() == 0)
    remark(op, "PRE103",
           "the weights have " + Twine(*tensorBytes(typeOf(weights))) +
               " bytes only");
  else if (isBatched(op))
    remark(op, "PRE104", "the contraction is batched or grouped");
  else if (op->hasAttr(winogradTileAttrName))
    remark(op, "PRE105", "the filter is stored transformed (Winograd)");
  else
    return true;
  return false;
}

void LowerPrecisionPass::lower(Operation *op, Type narrow) {
  if (!isCandidate(op))
    return;
  OpBuilder builder(op);
  Value weights = converted(builder, op->getOperand(1), narrow);
  int64_t bytes = *tensorBytes(typeOf(weights));
  if (roundsBoth && !hasFewRows(op)) {
    op->setOperand(0, converted(builder, op->getOperand(0), narrow));
    op->setOperand(1, weights);
    remark(op, "PRE002",
           "both operands are rounded to " + type.getValue() +
               "; the weights take " + Twine(bytes) + " bytes instead of " +
               Twine(2 * bytes));
    return;
  }
  op->setOperand(
      1, converted(builder, weights, Float32Type::get(op->getContext())));
  remark(op, "PRE001",
         "the weights are stored as " + type.getValue() + " in " +
             Twine(bytes) + " bytes instead of " + Twine(2 * bytes));
}

} // namespace zenith::precision
