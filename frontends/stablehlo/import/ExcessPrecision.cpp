// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions that read results of bf16 ops before rounding.

#include "frontends/stablehlo/import/ExcessPrecision.h"

#include "ir/GraphDialect.h"
#include "ir/GraphOps.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace zenith;

static bool isBF16(Value value) { return getElementTypeOrSelf(value).isBF16(); }

static bool isProduct(Operation *op) {
  return isa<graph::DotGeneralOp, graph::ConvolutionOp>(op);
}

// Ops that JAX's compiler runs in f32 and then rounds. Other ops move values,
// or round at every step.
static bool roundsOnce(Operation *op) {
  return op && op->getNumResults() == 1 && isBF16(op->getResult(0)) &&
         !isa<graph::ConvertOp, graph::BitcastOp>(op) &&
         (isProduct(op) || op->hasTrait<graph::ElementwiseTypes>());
}

static Type widened(Value value) {
  return cast<RankedTensorType>(value.getType())
      .clone(Float32Type::get(value.getContext()));
}

// The same op before it, with a result in f32. Matmuls of bf16 accumulate in
// f32 anyway; other ops take widened operands.
static Operation *wideOf(Operation *op) {
  OpBuilder builder(op);
  Operation *wide = builder.clone(*op);
  builder.setInsertionPoint(wide);
  if (!isProduct(op))
    for (OpOperand &operand : wide->getOpOperands())
      if (isBF16(operand.get()))
        operand.set(builder.create<graph::ConvertOp>(
            op->getLoc(), widened(operand.get()), operand.get()));
  wide->getResult(0).setType(widened(op->getResult(0)));
  return wide;
}

void stablehlo::keepExcessPrecision(ModuleOp module) {
  // The program's own conversions, before new ones are made.
  llvm::MapVector<Operation *, SmallVector<graph::ConvertOp>> readers;
  module.walk([&](graph::ConvertOp convert) {
    Operation *op = convert.getOperand().getDefiningOp();
    if (roundsOnce(op) && convert.getType() == widened(op->getResult(0)))
      readers[op].push_back(convert);
  });
  for (auto &[op, converts] : readers) {
    Operation *wide = wideOf(op);
    for (graph::ConvertOp convert : converts) {
      convert.replaceAllUsesWith(wide->getResult(0));
      convert.erase();
    }
    if (!op->use_empty()) {
      OpBuilder builder(op);
      op->replaceAllUsesWith(builder.create<graph::ConvertOp>(
          op->getLoc(), op->getResult(0).getType(), wide->getResult(0)));
    }
    op->erase();
  }
}
