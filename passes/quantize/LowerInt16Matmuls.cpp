// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantized values minus their zero point fit 16 bits, of which targets
// multiply and add pairs at once.

#include "ir/GraphOps.h"
#include "ir/matchers/IntegerRange.h"
#include "ir/matchers/TypeOf.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/quantize/Int8Matmul.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_LOWERINT16MATMULSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::quantize {

static Value narrowed(OpBuilder &builder, Value value) {
  auto type =
      RankedTensorType::get(typeOf(value).getShape(), builder.getI16Type());
  // Convert the source itself, so that memory holds the narrow elements.
  if (auto convert = value.getDefiningOp<ConvertOp>())
    if (auto range = rangeOfType(typeOf(convert.getOperand()).getElementType());
        range && range->fits(16))
      value = convert.getOperand();
  if (value.getType() == type)
    return value;
  return builder.create<ConvertOp>(value.getLoc(), type, value);
}

static void narrowOperands(Operation *contraction) {
  auto convolution = dyn_cast<ConvolutionOp>(contraction);
  if (convolution && convolution.getGroups() != 1)
    return;
  Value left = contraction->getOperand(0), right = contraction->getOperand(1);
  auto fits = [](Value value) {
    auto range = typeOf(value).getElementType().isSignlessInteger(32)
                     ? rangeOf(value)
                     : std::nullopt;
    return range && range->fits(16);
  };
  Type result = typeOf(contraction->getResult(0)).getElementType();
  if (!result.isSignlessInteger(32) || !fits(left) || !fits(right))
    return;
  OpBuilder builder(contraction);
  contraction->setOperand(0, narrowed(builder, left));
  contraction->setOperand(1, narrowed(builder, right));
}

namespace {

struct LowerInt16MatmulsPass
    : impl::LowerInt16MatmulsPassBase<LowerInt16MatmulsPass> {
  using LowerInt16MatmulsPassBase::LowerInt16MatmulsPassBase;

  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (isa<ConvolutionOp, DotGeneralOp>(op) &&
          !(keepInt8 && isInt8Matmul(op)))
        narrowOperands(op);
    });
  }
};

} // namespace
} // namespace zenith::quantize
