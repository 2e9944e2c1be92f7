// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes are not negative, slices stay inside, reshapes keep the number of
// elements, elementwise shapes agree.

#include "lowering/pipeline/ShapeGuards.h"

#include "ir/GraphOps.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace zenith::pipeline {

using graph::DimExpr;

namespace {
class GuardCollector {
public:
  explicit GuardCollector(graph::DimAnalysis &dims) : dims(dims) {}
  void visit(Operation *op);
  std::vector<ShapeGuard> guards;

private:
  void atLeastZero(const DimExpr &expr, Operation *op, const Twine &what);
  void equal(const DimExpr &lhs, const DimExpr &rhs, Operation *op,
             const Twine &what);
  void visitSlice(graph::SliceOp slice);

  graph::DimAnalysis &dims;
  llvm::StringSet<> seen;
};
} // namespace

void GuardCollector::atLeastZero(const DimExpr &expr, Operation *op,
                                 const Twine &what) {
  if (DimExpr(0).provablyAtMost(expr) || !seen.insert(expr.str()).second)
    return;
  guards.push_back({expr, (op->getName().getStringRef() + ": " + what).str()});
}

void GuardCollector::equal(const DimExpr &lhs, const DimExpr &rhs,
                           Operation *op, const Twine &what) {
  if (lhs == rhs)
    return;
  std::string text = (what + " " + lhs.str() + " is not " + rhs.str()).str();
  atLeastZero(lhs - rhs, op, text);
  atLeastZero(rhs - lhs, op, text);
}

void GuardCollector::visitSlice(graph::SliceOp slice) {
  auto from = cast<RankedTensorType>(slice.getOperand().getType());
  const graph::DimVector sizes = dims.dimsOf(slice.getResult());
  unsigned dynamic = 0;
  for (int64_t axis = 0; axis < from.getRank(); ++axis) {
    int64_t fixed = slice.getStaticStarts()[axis];
    DimExpr start = ShapedType::isDynamic(fixed)
                        ? dims.scalar(slice.getStarts()[dynamic++])
                        : DimExpr(fixed);
    DimExpr last =
        start + (sizes[axis] - DimExpr(1)) * DimExpr(slice.getStrides()[axis]);
    DimExpr room = dims.dimOf(slice.getOperand(), axis) - last - DimExpr(1);
    atLeastZero(start, slice, "start " + start.str() + " is negative");
    // A slice of no elements may start at the end.
    if (!sizes[axis].isConstant(0) && !DimExpr(1).provablyAtMost(sizes[axis]))
      room = DimExpr::max(room, DimExpr(0) - sizes[axis]);
    atLeastZero(room, slice,
                "the part leaves dimension " + Twine(axis) + " of the operand");
  }
}

void GuardCollector::visit(Operation *op) {
  if (!isa<graph::GraphDialect>(op->getDialect()))
    return;
  for (Value result : op->getResults())
    for (const DimExpr &size : dims.dimsOf(result))
      atLeastZero(size, op, "size " + size.str() + " is negative");
  if (auto slice = dyn_cast<graph::SliceOp>(op))
    visitSlice(slice);
  else if (auto reshape = dyn_cast<graph::ReshapeOp>(op))
    equal(dims.elementCount(reshape.getOperand()),
          dims.elementCount(reshape.getResult()), op, "element count");
  else if (graph::familyOf(op) == graph::Family::Elementwise)
    for (Value operand :
         op->getOperands().drop_front(op->getNumOperands() ? 1 : 0))
      for (auto [lhs, rhs] :
           llvm::zip(dims.dimsOf(op->getOperand(0)), dims.dimsOf(operand)))
        equal(lhs, rhs, op, "size");
}

std::vector<ShapeGuard> collectShapeGuards(func::FuncOp function,
                                           graph::DimAnalysis &dims) {
  GuardCollector collector(dims);
  function.walk<WalkOrder::PreOrder>(
      [&](Operation *op) { collector.visit(op); });
  return std::move(collector.guards);
}

} // namespace zenith::pipeline
