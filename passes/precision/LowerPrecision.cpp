// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounds the weights of matmuls and convolutions to a narrow type, and leaves
// the widening to the kernels.

#include "ir/GraphOps.h"
#include "ir/encodings/Winograd.h"
#include "ir/matchers/ParameterDependence.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "ir/remarks/Remark.h"
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
  void remark(Operation *op, remarks::Code code,
              ArrayRef<remarks::Value> values = {}) {
    if (explain)
      remarks::emit(op, code, values);
  }
};

} // namespace

bool LowerPrecisionPass::isCandidate(Operation *op) {
  auto isF32 = [](Value value) {
    return typeOf(value).getElementType().isF32();
  };
  Value weights = op->getOperand(1);
  if (!isF32(weights) || !isF32(op->getOperand(0)) || !isF32(op->getResult(0)))
    remark(op, remarks::Code::PRE101);
  else if (!typeOf(weights).hasStaticShape() || !isParameter(weights))
    remark(op, remarks::Code::PRE102);
  else if (*tensorBytes(typeOf(weights)) < minBytes ||
           typeOf(weights).getNumElements() == 0)
    remark(op, remarks::Code::PRE103, {*tensorBytes(typeOf(weights))});
  else if (isBatched(op))
    remark(op, remarks::Code::PRE104);
  else if (op->hasAttr(winogradTileAttrName))
    remark(op, remarks::Code::PRE105);
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
    remark(op, remarks::Code::PRE002, {type.getValue(), bytes, 2 * bytes});
    return;
  }
  op->setOperand(
      1, converted(builder, weights, Float32Type::get(op->getContext())));
  remark(op, remarks::Code::PRE001, {type.getValue(), bytes, 2 * bytes});
}

} // namespace zenith::precision
