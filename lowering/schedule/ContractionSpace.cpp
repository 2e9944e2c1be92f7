// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns products into axes: digits of both operands are refined until each loop
// moves either by a fixed stride.

#include "lowering/schedule/ContractionSpace.h"
#include "ir/Contraction.h"
#include "ir/encodings/PackedPanels.h"
#include "lowering/builder/KernelBuilder.h"
#include "lowering/microkernels/MicroKernel.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

DimExpr ContractionSpace::depthOfAllTaps() const {
  DimExpr all = depth.size;
  for (const TapAxis &tap : taps)
    all = all * tap.axis.size;
  return all;
}

DimExpr ContractionSpace::lineCount() const {
  DimExpr all = 1;
  for (const Axis &line : lines)
    all = all * line.size;
  return all;
}

DimExpr ContractionSpace::outerCount() const {
  DimExpr all = 1;
  for (const OuterAxis &axis : outer)
    all = all * axis.axis.size;
  return all;
}

unsigned tileColumns(Type sum, const TargetModel &target) {
  unsigned vectors = std::max(1u, target.nr / target.lanes);
  return vectors * sumLanes(sum, target);
}

bool multipliesPairs(const ContractionSpace &space, const TargetModel &target) {
  Type a = space.a.element, b = space.elementOfB();
  // Printed kernels have no loads that look at two elements as one.
  if (!space.depth.strideA.isConstant(1) || target.printed)
    return false;
  if (a.isBF16() && b.isBF16() && space.sum.isF32())
    return target.bf16Pairs;
  if (space.group > 1)
    return true;
  return a.isInteger(16) && !a.isUnsignedInteger() && space.sum.isInteger(32) &&
         b.isInteger() && b.getIntOrFloatBitWidth() <= 16 &&
         !b.isUnsignedInteger(16);
}

double estimate(const DimExpr &expr) {
  auto value = expr.evaluate(
      [](const std::string &) { return std::optional<int64_t>(64); });
  return value ? double(*value) : 1e6;
}

Operation *contractionAnchor(graph::FusionOp fusion) {
  Operation *anchor = nullptr;
  for (Operation &op : fusion.getBody().front())
    if (isa<graph::DotGeneralOp, graph::ConvolutionOp>(op)) {
      if (anchor)
        return nullptr;
      anchor = &op;
    }
  return anchor;
}

unsigned elementSize(Type element) {
  return std::max(1u, memoryType(element).getIntOrFloatBitWidth() / 8);
}

void renumberScratch(ContractionSpace &space, unsigned first) {
  auto move = [&](Source &source) {
    if (source.scratch)
      source.index += first;
  };
  move(space.a);
  move(space.b);
  for (Preparation &preparation : space.preparations) {
    preparation.scratch += first;
    move(preparation.from);
  }
}

PlacedOperand materialise(ContractionSpace &space, Value value,
                          graph::DimAnalysis &dims, Type element) {
  Preparation copy;
  copy.kind = Preparation::Materialise;
  copy.value = value;
  copy.scratch = space.preparations.size();
  if (!element)
    element = getElementTypeOrSelf(value.getType());
  copy.from.element = element;
  copy.bytes = dims.elementCount(value) * DimExpr(elementSize(element));
  space.preparations.push_back(copy);
  PlacedOperand placed;
  placed.source = {true, copy.scratch, element, DimExpr(0)};
  placed.dims = rowMajorView(value, dims).dims;
  return placed;
}

static std::optional<PlacedOperand> placePanels(Value value,
                                                graph::DimAnalysis &dims) {
  auto panels = graph::matchUnpackedPanels(value);
  auto argument =
      panels ? dyn_cast<BlockArgument>(panels->packed) : BlockArgument();
  // One panel is a matrix like any other.
  if (!argument ||
      (panels->group == 1 && dims.dimOf(argument, 0).isConstant(1)))
    return std::nullopt;
  PlacedOperand placed;
  placed.source = {false, argument.getArgNumber(),
                   getElementTypeOrSelf(argument.getType()), DimExpr(0)};
  placed.panel = unsigned(panels->panel);
  placed.group = unsigned(panels->group);
  const graph::DimVector &sizes = dims.dimsOf(value);
  placed.dims.resize(sizes.size());
  placed.dims.back().push_back({sizes.back(), DimExpr(1)});
  DimExpr stride = panels->panel;
  for (unsigned i = sizes.size() - 1; i-- > 0;) {
    placed.dims[i].push_back({sizes[i], stride});
    stride = stride * sizes[i];
  }
  return placed;
}

PlacedOperand placeOperand(ContractionSpace &space, Value value,
                           graph::DimAnalysis &dims) {
  if (auto panels = placePanels(value, dims))
    return *panels;
  Value narrow = graph::beforeWidening(value);
  auto view = operandView(narrow, dims);
  if (!view || !knownBeforeLaunch(view->offset))
    return materialise(space, value, dims);
  PlacedOperand placed;
  placed.source = {false, view->source.getArgNumber(),
                   getElementTypeOrSelf(narrow.getType()), view->offset};
  placed.dims = std::move(view->dims);
  return placed;
}

PlacedOperand placeLeft(ContractionSpace &space, const DimExpr &columns,
                        graph::DimAnalysis &dims, const TargetModel &target) {
  // A copy of a number takes about as long as widening it for two panels.
  constexpr int64_t fewestPanels = 3;
  Value value = space.op->getOperand(0);
  auto elementOf = [](Value operand) {
    return getElementTypeOrSelf(graph::beforeWidening(operand).getType());
  };
  Type narrow = elementOf(value);
  bool halves = (narrow.isBF16() || narrow.isF16()) && space.sum.isF32();
  bool pairs = target.bf16Pairs && narrow.isBF16() &&
               elementOf(space.op->getOperand(1)).isBF16();
  if (!halves || pairs || target.printed ||
      estimate(columns) < fewestPanels * tileColumns(space.sum, target))
    return placeOperand(space, value, dims);
  return materialise(space, value, dims, space.sum);
}

static SmallVector<StridedDim> selectDims(const PlacedOperand &operand,
                                          ArrayRef<int64_t> which) {
  SmallVector<StridedDim> dims;
  for (int64_t dim : which)
    dims.push_back(operand.dims[dim]);
  return dims;
}

/// Joins neighbouring axes that both operands walk as one.
static void coalesceAxes(SmallVectorImpl<Axis> &axes) {
  llvm::erase_if(axes,
                 [](const Axis &axis) { return axis.size.isConstant(1); });
  for (unsigned i = axes.size(); i-- > 1;) {
    Axis &outer = axes[i - 1], &inner = axes[i];
    if (outer.strideA != inner.size * inner.strideA ||
        outer.strideB != inner.size * inner.strideB)
      continue;
    outer = {outer.size * inner.size, inner.strideA, inner.strideB};
    axes.erase(axes.begin() + i);
  }
}

bool takesGroups(unsigned group, Type lhs, Type rhs) {
  if (group == 4)
    return lhs.isUnsignedInteger(8) && rhs.isInteger(8) &&
           !rhs.isUnsignedInteger();
  return group == 1 ||
         (group == 2 && lhs.isInteger(16) && !lhs.isUnsignedInteger() &&
          rhs.isInteger() && rhs.getIntOrFloatBitWidth() <= 16 &&
          !rhs.isUnsignedInteger(16));
}

namespace {
/// Axes of a product for given places of its operands; false where their digits
/// don't nest.
struct DotAxes {
  graph::DotDimsAttr numbers;
  ContractionSpace &space;

  bool shared(const PlacedOperand &lhs, const PlacedOperand &rhs);
  bool sums(const PlacedOperand &lhs, const PlacedOperand &rhs);
  bool build(const PlacedOperand &lhs, const PlacedOperand &rhs);
};
} // namespace

bool DotAxes::shared(const PlacedOperand &lhs, const PlacedOperand &rhs) {
  for (auto [dim, numbersOfDim] : llvm::enumerate(
           llvm::zip(numbers.getLhsBatching(), numbers.getRhsBatching()))) {
    auto [left, right] = numbersOfDim;
    auto digits = refine(lhs.dims[left], rhs.dims[right]);
    if (!digits)
      return false;
    for (const StridePair &digit : *digits)
      space.outer.push_back(
          {{digit.size, digit.first, digit.second}, int(dim)});
  }
  return true;
}

bool DotAxes::sums(const PlacedOperand &lhs, const PlacedOperand &rhs) {
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  for (auto [left, right] :
       llvm::zip(numbers.getLhsContracting(), numbers.getRhsContracting()))
    pairs.push_back({right, left});
  llvm::sort(pairs);
  SmallVector<Axis> axes;
  for (auto [right, left] : pairs) {
    auto digits = refine(lhs.dims[left], rhs.dims[right]);
    if (!digits)
      return false;
    for (const StridePair &digit : *digits)
      axes.push_back({digit.size, digit.first, digit.second});
  }
  coalesceAxes(axes);
  if (axes.size() > 4)
    return false;
  space.depth = axes.empty() ? Axis{DimExpr(1), DimExpr(1), DimExpr(1)}
                             : axes.pop_back_val();
  for (const Axis &axis : axes)
    space.taps.push_back({axis, false, {}});
  return true;
}

bool DotAxes::build(const PlacedOperand &lhs, const PlacedOperand &rhs) {
  space.outer.clear();
  space.lines.clear();
  space.taps.clear();
  unsigned contracted = numbers.getRhsContracting().size();
  if (rhs.panel &&
      (contracted + 1 != rhs.dims.size() ||
       llvm::is_contained(numbers.getRhsContracting(), int64_t(contracted))))
    return false;
  if (!shared(lhs, rhs) || !sums(lhs, rhs))
    return false;
  // Groups of depths are read as one, of both operands.
  auto depth = space.depth.size.constant();
  if (!takesGroups(rhs.group, lhs.source.element, rhs.source.element) ||
      (rhs.group > 1 &&
       (!space.depth.strideA.isConstant(1) || !depth ||
        ((!space.taps.empty() || rhs.group == 4) && *depth % rhs.group != 0))))
    return false;
  auto rows = flatten(
      selectDims(lhs, graph::freeDims(lhs.dims.size(), numbers.getLhsBatching(),
                                      numbers.getLhsContracting())));
  auto columns = flatten(
      selectDims(rhs, graph::freeDims(rhs.dims.size(), numbers.getRhsBatching(),
                                      numbers.getRhsContracting())));
  for (const Stride &digit : llvm::drop_end(rows))
    space.lines.push_back({digit.size, digit.stride, DimExpr(0)});
  space.tile = {rows.back().size, rows.back().stride, DimExpr(0)};
  for (const Stride &digit : llvm::drop_end(columns))
    space.outer.push_back({{digit.size, DimExpr(0), digit.stride}, -1});
  space.columns = {columns.back().size, DimExpr(0), columns.back().stride};
  space.a = lhs.source;
  space.b = rhs.source;
  space.panel = rhs.panel;
  space.group = rhs.group;
  return true;
}

/// Panels that few rows are multiplied by one at a time, others two at a time.
static bool isHalfOfTile(const PlacedOperand &rhs, unsigned columns,
                         const TargetModel &target) {
  return rhs.panel * 2 == columns && rhs.group == 1 && !target.printed &&
         rhs.source.element.isF32();
}

/// Panels that micro-kernels can't step through are read as the matrix that
/// they are, or copied.
static PlacedOperand usablePanels(ContractionSpace &space, PlacedOperand rhs,
                                  Value value, graph::DimAnalysis &dims,
                                  const TargetModel &target) {
  unsigned columns = tileColumns(space.sum, target);
  bool fits = rhs.panel % columns == 0 || isHalfOfTile(rhs, columns, target);
  if (rhs.group > 1 && (!fits || target.printed))
    return materialise(space, value, dims);
  if (!rhs.panel || fits)
    return rhs;
  auto width = dims.dimsOf(value).back().constant();
  if (!width || *width > rhs.panel)
    return materialise(space, value, dims);
  rhs.panel = 0;
  return rhs;
}

/// Large products of rows with themselves; smaller ones are not worth a second
/// pass.
static bool isSymmetric(graph::DotGeneralOp op, const ContractionSpace &space) {
  constexpr int64_t fewestRows = 256, shortestDepth = 64;
  auto fusion = op->getParentOfType<graph::FusionOp>();
  Operation *yield = fusion.getBody().front().getTerminator();
  auto rows = space.tile.size.constant(),
       depth = space.depthOfAllTaps().constant();
  bool alone = yield->getNumOperands() == 1 &&
               yield->getOperand(0) == op.getResult() && space.outer.empty() &&
               space.lines.empty() && !space.panel;
  if (!alone || !rows || *rows < fewestRows || !depth ||
      *depth < shortestDepth || space.columns.size != space.tile.size ||
      space.columns.strideB != space.tile.strideA)
    return false;
  const Source &a = space.a, &b = space.b;
  if (a.scratch || b.scratch || a.offset != b.offset ||
      fusion->getOperand(a.index) != fusion->getOperand(b.index))
    return false;
  auto same = [](const Axis &axis) { return axis.strideA == axis.strideB; };
  return same(space.depth) && llvm::all_of(space.taps, [&](const TapAxis &tap) {
           return same(tap.axis);
         });
}

/// A matrix by a vector as the vector by the transposed matrix: products of
/// several rows with the vector, side by side, read memory faster than one row
/// after the other.
static void turnMatrixByVector(ContractionSpace &space) {
  bool turns = space.columns.size.isConstant(1) && space.lines.empty() &&
               space.taps.empty() && !space.panel &&
               space.depth.strideA.isConstant(1) &&
               space.depth.strideB.isConstant(1) &&
               !space.tile.size.isConstant(1) && !space.tile.size.isConstant(0);
  for (const OuterAxis &outer : space.outer)
    turns &= outer.resultDim >= 0;
  if (!turns)
    return;
  for (OuterAxis &outer : space.outer)
    std::swap(outer.axis.strideA, outer.axis.strideB);
  std::swap(space.a, space.b);
  space.columns = {space.tile.size, DimExpr(0), space.tile.strideA};
  space.tile = {DimExpr(1), DimExpr(0), DimExpr(0)};
  std::swap(space.rowDims, space.columnDims);
}

FailureOr<ContractionSpace> dotSpace(graph::DotGeneralOp op,
                                     graph::DimAnalysis &dims,
                                     const TargetModel &target) {
  ContractionSpace space;
  space.op = op;
  findParts(space);
  space.sum = sumType(getElementTypeOrSelf(op.getLhs().getType()),
                      getElementTypeOrSelf(op.getType()));
  DotAxes axes{op.getDims(), space};
  DimExpr columns = 1;
  for (int64_t dim : graph::freeDims(dims.dimsOf(op.getRhs()).size(),
                                     op.getDims().getRhsBatching(),
                                     op.getDims().getRhsContracting()))
    columns = columns * dims.dimOf(op.getRhs(), dim);
  PlacedOperand lhs = placeLeft(space, columns, dims, target);
  PlacedOperand rhs = usablePanels(
      space, placeOperand(space, op.getRhs(), dims), op.getRhs(), dims, target);
  bool ok = axes.build(lhs, rhs);
  if (!ok && !lhs.source.scratch) {
    lhs = materialise(space, op.getLhs(), dims);
    ok = axes.build(lhs, rhs);
  }
  if (!ok && !rhs.source.scratch) {
    rhs = materialise(space, op.getRhs(), dims);
    ok = axes.build(lhs, rhs);
  }
  if (!ok)
    return op.emitError(
        "unsupported: dimensions that are summed over don't nest");
  unsigned batching = op.getDims().getLhsBatching().size();
  unsigned rank = dims.dimsOf(op.getResult()).size();
  unsigned rows = dims.dimsOf(op.getLhs()).size() - batching -
                  op.getDims().getLhsContracting().size();
  for (unsigned dim = batching; dim < rank; ++dim)
    (dim < batching + rows ? space.rowDims : space.columnDims).push_back(dim);
  space.symmetric = !target.printed && isSymmetric(op, space);
  turnMatrixByVector(space);
  chooseForm(space, target);
  return space;
}

static LogicalResult checkElements(Operation *op) {
  for (Type type : {op->getOperand(0).getType(), op->getOperand(1).getType(),
                    op->getResult(0).getType()}) {
    Type element = getElementTypeOrSelf(type);
    bool known = isa<IntegerType>(element)
                     ? element.getIntOrFloatBitWidth() >= 8
                     : element.isF16() || element.isBF16() || element.isF32() ||
                           element.isF64();
    if (!known)
      return op->emitError(
                 "unsupported: no kernel multiplies elements of type ")
             << element;
  }
  return success();
}

FailureOr<ContractionSpace> contractionSpace(graph::FusionOp fusion,
                                             graph::DimAnalysis &dims,
                                             const TargetModel &target) {
  Operation *anchor = contractionAnchor(fusion);
  if (!anchor)
    return fusion.emitError("unsupported: a contraction fusion needs exactly "
                            "one dot_general or convolution");
  if (failed(checkElements(anchor)))
    return failure();
  if (auto dot = dyn_cast<graph::DotGeneralOp>(anchor)) {
    auto space = dotSpace(dot, dims, target);
    if (succeeded(space) && failed(findGates(*space, dims, target)))
      return failure();
    return space;
  }
  return convolutionSpace(cast<graph::ConvolutionOp>(anchor), dims, target);
}

} // namespace zenith::kernels
