// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes sizes that DimAnalysis knows as sums of products of the signature's
// dimensions, and drops movement to the same shape.

#include "ir/DimScalars.h"
#include "ir/GraphOps.h"
#include "ir/matchers/TypeOf.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_SIMPLIFYSIZESPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::simplify {

static bool isSizeOp(Operation *op) {
  if (!isa<DimOp, AddOp, SubOp, MulOp, DivOp, RemOp, FloorModOp, MaxOp, MinOp>(
          op))
    return false;
  auto type = typeOf(op->getResult(0));
  return type.getRank() == 0 && type.getElementType().isSignlessInteger(64);
}

/// True where a reshape or broadcast keeps shape and order of elements.
static bool keepsShape(Operation *op, DimAnalysis &dims) {
  if (!isa<ReshapeOp, BroadcastOp>(op) ||
      op->getOperand(0).getType() != op->getResult(0).getType())
    return false;
  if (auto broadcast = dyn_cast<BroadcastOp>(op);
      broadcast && !llvm::is_sorted(broadcast.getMapping()))
    return false;
  return dims.dimsOf(op->getOperand(0)) == dims.dimsOf(op->getResult(0));
}

static void simplifySizes(func::FuncOp function) {
  DimAnalysis dims;
  DimScalars scalars(function, dims);
  SmallVector<Operation *> sizes, kept;
  for (Operation &op : function.getBody().front())
    if (isSizeOp(&op))
      sizes.push_back(&op);
    else if (keepsShape(&op, dims))
      kept.push_back(&op);
  SmallVector<std::pair<Operation *, Value>> rewritten;
  for (Operation *op : sizes)
    if (Value value = scalars.materialize(dims.scalar(op->getResult(0))))
      rewritten.push_back({op, value});
  for (auto [op, value] : rewritten)
    op->getResult(0).replaceAllUsesWith(value);
  for (Operation *op : kept)
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

namespace {

struct SimplifySizesPass : impl::SimplifySizesPassBase<SimplifySizesPass> {
  using SimplifySizesPassBase::SimplifySizesPassBase;

  void runOnOperation() override {
    if (!getOperation().isExternal())
      simplifySizes(getOperation());
  }
};

} // namespace
} // namespace zenith::simplify
