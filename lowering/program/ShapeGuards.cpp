// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards of dynamic sizes, checked by each run: sizes are not negative, slices
// stay inside their operands, reshapes keep the number of elements, and sizes
// agree where ops require it.

#include "lowering/program/ShapeGuards.h"

#include "ir/attributes/DimBoundsAttr.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace zenith::pipeline {

using graph::DimExpr;

namespace {
class GuardCollector {
public:
  explicit GuardCollector(graph::DimAnalysis &dims) : dims(dims) {}
  void visit(Operation *op);
  void atLeastZero(const DimExpr &expr, Operation *op, const Twine &what);
  std::vector<ShapeGuard> guards;

private:
  void equal(const DimExpr &lhs, const DimExpr &rhs, Operation *op,
             const Twine &what);
  void visitSlice(graph::SliceOp slice);
  void visitOperands(Operation *op);
  void visitWholeOperands(Operation *op);
  void sameShapes(ValueRange values, Operation *op, unsigned firstDim = 0);

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
    DimExpr margin = dims.dimOf(slice.getOperand(), axis) - last - DimExpr(1);
    atLeastZero(start, slice, "start " + start.str() + " is negative");
    // A slice of no elements may start at the end.
    if (!sizes[axis].isConstant(0) && !DimExpr(1).provablyAtMost(sizes[axis]))
      margin = DimExpr::max(margin, DimExpr(0) - sizes[axis]);
    atLeastZero(margin, slice,
                "the part leaves dimension " + Twine(axis) + " of the operand");
  }
}

/// Operands that a kernel reads element by element together have one shape.
void GuardCollector::sameShapes(ValueRange values, Operation *op,
                                unsigned firstDim) {
  for (Value value : values.drop_front())
    for (auto [lhs, rhs] :
         llvm::zip(ArrayRef(dims.dimsOf(values[0])).drop_front(firstDim),
                   ArrayRef(dims.dimsOf(value)).drop_front(firstDim)))
      equal(lhs, rhs, op, "size");
}

/// Kernels of these ops index all operands by the sizes of one.
void GuardCollector::visitWholeOperands(Operation *op) {
  auto size = [&](Value value, int64_t dim) {
    int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
    return dims.dimOf(value, dim < 0 ? rank + dim : dim);
  };
  if (isa<graph::SortOp, graph::SortWithOp>(op)) {
    sameShapes(op->getOperands(), op);
  } else if (isa<graph::ReduceWithOp, graph::ReduceWindowWithOp>(op)) {
    sameShapes(op->getOperands().take_front(op->getNumOperands() / 2), op);
  } else if (auto scatter = dyn_cast<graph::ScatterWithOp>(op)) {
    sameShapes(scatter.getInputs(), op);
    sameShapes(scatter.getUpdates(), op);
  } else if (auto isIn = dyn_cast<graph::IsInOp>(op)) {
    sameShapes(isIn->getOperands(), op, 1);
  } else if (auto boxes = dyn_cast<graph::NonMaxSuppressionOp>(op)) {
    equal(size(boxes.getBoxes(), 0), size(boxes.getScores(), 0), op, "batch");
    equal(size(boxes.getBoxes(), 1), size(boxes.getScores(), 2), op,
          "number of boxes");
    equal(size(boxes.getBoxes(), 2), 4, op, "size of a box");
  } else if (isa<graph::CholeskyOp>(op)) {
    equal(size(op->getOperand(0), -2), size(op->getOperand(0), -1), op, "size");
  } else if (auto solve = dyn_cast<graph::TriangularSolveOp>(op)) {
    Value a = solve.getA(), b = solve.getB();
    equal(size(a, -2), size(a, -1), op, "size");
    equal(size(a, -1), size(b, solve.getLeft() ? -2 : -1), op, "size");
    for (int64_t d = 0; d + 2 < cast<RankedTensorType>(a.getType()).getRank();
         ++d)
      equal(size(a, d), size(b, d), op, "size");
  } else if (auto fourier = dyn_cast<graph::FourierOp>(op)) {
    int64_t count = fourier.getLength().size();
    for (auto [d, length] : llvm::enumerate(fourier.getLength())) {
      bool half = fourier.getKind() == graph::FourierKind::c2r &&
                  int64_t(d) + 1 == count;
      equal(size(fourier.getOperand(), int64_t(d) - count),
            half ? length / 2 + 1 : length, op, "size");
    }
  }
}

/// Sizes of several operands that the op's constraints require to be equal.
void GuardCollector::visitOperands(Operation *op) {
  if (auto broadcast = dyn_cast<graph::BroadcastOp>(op)) {
    auto from = cast<RankedTensorType>(broadcast.getOperand().getType());
    for (auto [d, to] : llvm::enumerate(broadcast.getMapping()))
      if (from.isDynamicDim(d))
        equal(dims.dimOf(broadcast.getOperand(), d),
              dims.dimOf(broadcast.getResult(), to), op, "size");
  } else if (auto concat = dyn_cast<graph::ConcatOp>(op)) {
    for (Value operand : concat.getOperands().drop_front())
      for (auto [d, size] : llvm::enumerate(dims.dimsOf(operand)))
        if (d != concat.getDim())
          equal(dims.dimOf(concat.getOperands()[0], d), size, op, "size");
  } else if (auto product = dyn_cast<graph::DotGeneralOp>(op)) {
    auto pairs = product.getDims();
    auto same = [&](ArrayRef<int64_t> left, ArrayRef<int64_t> right) {
      for (auto [l, r] : llvm::zip(left, right))
        equal(dims.dimOf(product.getLhs(), l), dims.dimOf(product.getRhs(), r),
              op, "size");
    };
    same(pairs.getLhsBatching(), pairs.getRhsBatching());
    same(pairs.getLhsContracting(), pairs.getRhsContracting());
  } else if (auto largest = dyn_cast<graph::TopKOp>(op)) {
    atLeastZero(dims.dimOf(largest.getOperand(), largest.getDim()) -
                    dims.dimOf(largest.getValues(), largest.getDim()),
                op, "k is more than the operand has");
  } else if (auto rows = dyn_cast<graph::CompactOp>(op)) {
    for (Value input : rows.getInputs())
      equal(dims.dimOf(rows.getMask(), 0), dims.dimOf(input, 0), op,
            "number of rows");
  }
}

void GuardCollector::visit(Operation *op) {
  if (!graph::familyOf(op))
    return;
  for (Value result : op->getResults())
    for (const DimExpr &size : dims.dimsOf(result))
      atLeastZero(size, op, "size " + size.str() + " is negative");
  visitOperands(op);
  visitWholeOperands(op);
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

static void visitReads(Operation *op, GuardCollector &collector,
                       graph::DimAnalysis &dims) {
  if (auto gather = dyn_cast<graph::GatherOp>(op)) {
    // Without an index there is nothing to read.
    DimExpr count = dims.elementCount(gather.getResult());
    for (auto [d, slice] : llvm::enumerate(gather.getSliceSizes())) {
      DimExpr margin = dims.dimOf(gather.getOperand(), d) - DimExpr(slice);
      if (slice > 0 && !DimExpr(0).provablyAtMost(margin))
        collector.atLeastZero(
            DimExpr::max(margin, DimExpr(0) - count), op,
            "a slice of " + Twine(slice) + " exceeds dimension " + Twine(d) +
                " of size " + dims.dimOf(gather.getOperand(), d).str());
    }
  } else if (isa<graph::DynamicSliceOp, graph::DynamicUpdateSliceOp>(op)) {
    Value part =
        isa<graph::DynamicSliceOp>(op) ? op->getResult(0) : op->getOperand(1);
    for (auto [d, size] : llvm::enumerate(dims.dimsOf(part)))
      collector.atLeastZero(dims.dimOf(op->getOperand(0), d) - size, op,
                            "a part of " + size.str() + " exceeds dimension " +
                                Twine(d));
  } else if (auto reduce = dyn_cast<graph::ArgReduceOp>(op)) {
    DimExpr size = dims.dimOf(reduce.getOperand(), reduce.getDim());
    if (!DimExpr(1).provablyAtMost(size))
      collector.atLeastZero(
          DimExpr::max(size - DimExpr(1),
                       DimExpr(0) - dims.elementCount(reduce.getResult())),
          op, "dimension " + Twine(reduce.getDim()) + " is empty");
  }
}

std::vector<ShapeGuard> collectReadGuards(graph::FusionOp fusion,
                                          graph::DimAnalysis &dims) {
  GuardCollector collector(dims);
  fusion.getBody().walk(
      [&](Operation *op) { visitReads(op, collector, dims); });
  return std::move(collector.guards);
}

/// What the function's callers have promised of named dimensions. The symbols
/// are those of any size, or nothing would be left to check.
static std::vector<ShapeGuard> boundsOfDims(func::FuncOp function) {
  std::vector<ShapeGuard> guards;
  // Callers of such functions have checked their own.
  if (function.isPrivate())
    return guards;
  for (const auto &[name, bounds] : graph::dimBoundsOf(function)) {
    DimExpr size = DimExpr::symbol(name);
    std::string message =
        "dimension '" + name + "' is not in " + graph::textOf(bounds);
    if (bounds.low > 0)
      guards.push_back({size - DimExpr(bounds.low), message});
    if (bounds.high != graph::DimBounds().high)
      guards.push_back({DimExpr(bounds.high) - size, message});
    if (bounds.multiple > 1)
      guards.push_back(
          {DimExpr(0) - DimExpr::mod(size, DimExpr(bounds.multiple)), message});
  }
  return guards;
}

std::vector<ShapeGuard> collectShapeGuards(func::FuncOp function,
                                           graph::DimAnalysis &dims) {
  GuardCollector collector(dims);
  collector.guards = boundsOfDims(function);
  if (function.isExternal())
    return std::move(collector.guards);
  for (Operation &step : function.getBody().front()) {
    size_t first = collector.guards.size();
    step.walk<WalkOrder::PreOrder>([&](Operation *op) { collector.visit(op); });
    for (ShapeGuard &guard :
         MutableArrayRef(collector.guards).drop_front(first))
      guard.step = &step;
  }
  return std::move(collector.guards);
}

} // namespace zenith::pipeline
