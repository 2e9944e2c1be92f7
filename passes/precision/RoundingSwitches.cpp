// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects between operands and rounded operands by an argument.

#include "passes/precision/RoundingSwitches.h"

#include "ir/GraphOps.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "ir/ops/CompositeFormulas.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::precision {

void addRoundingSwitches(func::FuncOp function, ArrayRef<Operation *> products,
                         FloatWord type) {
  MLIRContext *context = function.getContext();
  Type f32 = Float32Type::get(context), narrow = elementTypeOf(type, context);
  auto flag = RankedTensorType::get({}, IntegerType::get(context, 1));
  OpBuilder builder(context);
  for (Operation *op : products) {
    Location loc = op->getLoc();
    unsigned index = function.getNumArguments();
    function.insertArgument(index, flag, {}, loc);
    Value on = function.getArgument(index);
    builder.setInsertionPoint(op);
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      if (!graph::typeOf(value).getElementType().isF32())
        continue;
      Value rounded =
          converted(builder, converted(builder, value, narrow), f32);
      Value choice = on;
      if (graph::typeOf(value).getRank() != 0)
        choice = broadcastLike(builder, loc, on, {}, value);
      operand.set(builder.create<SelectOp>(loc, value.getType(), choice,
                                           rounded, value));
    }
  }
}

} // namespace zenith::precision
