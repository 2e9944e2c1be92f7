// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes sizes that DimAnalysis knows as sums of products of the signature's
// dimensions, and drops movement to the same shape.

#include "ir/DimScalars.h"
#include "ir/GraphOps.h"
#include "ir/matchers/TypeOf.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/simplify/SizeFacts.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_SIMPLIFYSIZESPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::simplify {

static bool isSizeOp(Operation *op) {
  if (!isa<DimOp, AddOp, SubOp, MulOp, DivOp, RemOp, FloorModOp, MaxOp, MinOp,
           SelectOp>(op))
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

/// True for min(c, wanted) of a constant c that is not 1: the size is `wanted`,
/// or the check before the op has ended the run.
static bool isLimitOf(const DimExpr &size, const DimExpr &wanted) {
  const DimAtom *atom = size.asAtom();
  if (!atom || atom->kind != DimAtom::Kind::Min)
    return false;
  auto isLimit = [](const DimExpr &side) {
    return side.constant().value_or(0) >= 2;
  };
  return (*atom->lhs == wanted && isLimit(*atom->rhs)) ||
         (*atom->rhs == wanted && isLimit(*atom->lhs));
}

/// An expand whose dimensions are known to be 1, or equal, is a broadcast; null
/// where one of them is not.
static Value resolved(ExpandOp expand, DimAnalysis &dims) {
  Value operand = expand.getOperand();
  auto from = typeOf(operand), to = typeOf(expand.getResult());
  SmallVector<int64_t> mapping, shape;
  for (int64_t d = 0; d < from.getRank(); ++d) {
    const DimExpr &size = dims.dimOf(operand, d);
    const DimExpr &wanted = dims.dimOf(expand.getResult(), d);
    bool isOne = size.isConstant(1);
    if (!isOne && size != wanted && !isLimitOf(size, wanted))
      return {};
    mapping.push_back(d);
    shape.push_back(isOne ? 1 : from.getDimSize(d));
  }
  OpBuilder builder(expand);
  auto known = RankedTensorType::get(shape, from.getElementType());
  if (known != from) {
    SmallVector<Value> open;
    for (int64_t d = 0; d < from.getRank(); ++d)
      if (known.isDynamicDim(d))
        open.push_back(builder.create<DimOp>(expand.getLoc(), operand, d));
    operand = builder.create<ReshapeOp>(expand.getLoc(), known, operand, open);
  }
  if (operand.getType() == to)
    return operand;
  return builder.create<BroadcastOp>(expand.getLoc(), to, operand, mapping,
                                     expand.getDims());
}

static void resolveExpands(func::FuncOp function) {
  DimAnalysis dims;
  SmallVector<std::pair<ExpandOp, Value>> found;
  function.walk([&](ExpandOp expand) {
    if (Value value = resolved(expand, dims))
      found.push_back({expand, value});
  });
  for (auto [expand, value] : found)
    expand.replaceAllUsesWith(value);
}

static void simplifySizes(func::FuncOp function) {
  applySizeFacts(function);
  resolveExpands(function);
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
