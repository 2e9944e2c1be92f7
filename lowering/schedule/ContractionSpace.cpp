// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns matmuls into GEMM loop nests: the digits of both operands are refined
// until each loop moves either operand by a fixed stride.

#include "lowering/schedule/ContractionSpace.h"
#include "ir/attributes/EncodingAttrs.h"
#include "ir/encodings/FewRows.h"
#include "ir/encodings/PackedPanels.h"
#include "ir/ops/Contraction.h"
#include "lowering/builder/KernelBuilder.h"
#include "lowering/microkernels/MicroKernel.h"
#include "lowering/schedule/GateSchedule.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

DimExpr ContractionSpace::totalK() const {
  DimExpr all = kAxis.size;
  for (const TapAxis &tap : taps)
    all = all * tap.axis.size;
  return all;
}

DimExpr ContractionSpace::outerRowCount() const {
  DimExpr all = 1;
  for (const Axis &axis : outerRows)
    all = all * axis.size;
  return all;
}

DimExpr ContractionSpace::outerCount() const {
  DimExpr all = 1;
  for (const OuterAxis &axis : outer)
    all = all * axis.axis.size;
  return all;
}

DimExpr paddedK(const DimExpr &k, unsigned group) {
  return group > 1 ? DimExpr::ceilDiv(k, int64_t(group)) * int64_t(group) : k;
}

DimExpr ContractionSpace::panelElements() const {
  DimExpr rows = paddedK(panelK.value_or(kAxis.size), kInterleave);
  if (!panelK)
    for (const TapAxis &tap : taps)
      rows = rows * tap.axis.size;
  return rows * DimExpr(int64_t(panel));
}

unsigned nrOf(Type sum, const TargetModel &target) {
  unsigned vectors = std::max(1u, target.nr / target.lanes);
  return vectors * sumLanes(sum, target);
}

bool hasBF16Pairs(Type a, Type b, Type sum, const TargetModel &target) {
  return target.bf16Pairs && target.wideLoads && a.isBF16() && b.isBF16() &&
         sum.isF32();
}

bool multipliesKPairs(const ContractionSpace &space,
                      const TargetModel &target) {
  Type a = space.a.element, b = space.elementOfB();
  if (!space.kAxis.strideA.isConstant(1) || !target.wideLoads)
    return false;
  if (a.isBF16() && b.isBF16() && space.sum.isF32())
    return target.bf16Pairs;
  if (space.kInterleave > 1)
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

Value memoryOf(KernelBuilder &kernel, const OperandSource &source) {
  return source.scratch
             ? kernel.scratch(source.index, memoryType(source.element))
             : kernel.operand(source.index);
}

void renumberScratch(ContractionSpace &space, unsigned first) {
  auto move = [&](OperandSource &source) {
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

LocatedOperand materialise(ContractionSpace &space, Value value,
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
  LocatedOperand located;
  located.source = {true, copy.scratch, element, DimExpr(0)};
  located.dims = rowMajorView(value, dims).dims;
  return located;
}

/// Panels of integers that memory holds, scales and zero points too.
static std::optional<graph::CodedPanels> codesIn(BlockArgument integers,
                                                 Operation *anchor) {
  auto panels = graph::matchUnpackedPanels(anchor->getOperand(1));
  auto codes = panels ? graph::matchCodedPanels(panels->packed) : std::nullopt;
  if (!codes || codes->integers != integers ||
      !isa<BlockArgument>(codes->scales) ||
      (codes->zeros && !isa<BlockArgument>(codes->zeros)))
    return std::nullopt;
  return codes;
}

std::optional<EncodedB> encodedB(Operation *anchor) {
  auto fusion = anchor->getParentOfType<graph::FusionOp>();
  auto encodings =
      fusion ? fusion->getAttrOfType<ArrayAttr>(graph::encodingsAttrName)
             : ArrayAttr();
  if (!encodings || encodings.size() != fusion.getInputs().size())
    return std::nullopt;
  for (auto [index, encoding] : llvm::enumerate(encodings)) {
    BlockArgument argument = fusion.getBody().getArgument(unsigned(index));
    if (auto panels = dyn_cast<graph::PanelsAttr>(encoding))
      return EncodedB{argument,
                      panels.getWidth(),
                      panels.getGroup(),
                      {},
                      codesIn(argument, anchor)};
    auto winograd = dyn_cast<graph::WinogradAttr>(encoding);
    auto conv = dyn_cast<graph::ConvolutionOp>(anchor);
    if (!winograd || !conv)
      continue;
    auto type = cast<RankedTensorType>(argument.getType());
    int64_t width = type.getRank() == 3 ? type.getDimSize(2) : 0;
    return EncodedB{argument,
                    width,
                    1,
                    graph::winogradFilter(conv, winograd.getTile()),
                    {}};
  }
  return std::nullopt;
}

bool EncodedB::hasPanels() const {
  auto type = cast<RankedTensorType>(argument.getType());
  return codes || (width && (group > 1 || type.getDimSize(0) != 1));
}

LocatedOperand EncodedB::at(size_t rank) const {
  LocatedOperand located;
  located.source = {false, argument.getArgNumber(),
                    getElementTypeOrSelf(argument.getType()), DimExpr(0)};
  located.dims.resize(rank);
  return located;
}

LocatedOperand EncodedB::panels(ArrayRef<DimExpr> sizes) const {
  LocatedOperand located = at(sizes.size());
  located.panel = unsigned(width);
  located.codes = codes;
  located.kInterleave = unsigned(group);
  located.dims.back().push_back({sizes.back(), DimExpr(1)});
  DimExpr stride = width;
  for (unsigned i = sizes.size() - 1; i-- > 0;) {
    located.dims[i].push_back({sizes[i], stride});
    stride = stride * sizes[i];
  }
  return located;
}

LocatedOperand EncodedB::transformed(graph::ConvolutionOp op) const {
  auto kernel = cast<RankedTensorType>(op.getKernel().getType());
  int64_t outputs = kernel.getShape().back(),
          ofTap = kernel.getShape().drop_back().back() * filter->planes,
          rows = (filter->storedPoints() + filter->taps()) * ofTap;
  if (hasPanels())
    return panels({DimExpr(rows), DimExpr(outputs)});
  LocatedOperand located = at(2);
  located.dims[0].push_back({DimExpr(rows), DimExpr(width ? width : outputs)});
  located.dims[1].push_back({DimExpr(outputs), DimExpr(1)});
  return located;
}

/// Whether both operands, before they are widened, are such that the target
/// multiplies pairs.
static bool hasNarrowPairs(const ContractionSpace &space,
                           const TargetModel &target) {
  auto elementOf = [&](unsigned number) {
    return getElementTypeOrSelf(
        graph::beforeWidening(space.op->getOperand(number)).getType());
  };
  return hasBF16Pairs(elementOf(0), elementOf(1), space.sum, target);
}

Value multipliedOperand(const ContractionSpace &space, unsigned number,
                        const TargetModel &target) {
  Value value = space.op->getOperand(number);
  return hasNarrowPairs(space, target) ? graph::beforeWidening(value) : value;
}

LocatedOperand locateB(ContractionSpace &space, Value value,
                       graph::DimAnalysis &dims) {
  auto encoded = encodedB(space.op);
  return encoded && !encoded->filter && encoded->hasPanels()
             ? encoded->panels(dims.dimsOf(value))
             : locateOperand(space, value, dims);
}

LocatedOperand locateOperand(ContractionSpace &space, Value value,
                             graph::DimAnalysis &dims) {
  Value narrow = graph::beforeWidening(value);
  auto view = operandView(narrow, dims);
  if (!view || !knownBeforeLaunch(view->offset))
    return materialise(space, value, dims);
  LocatedOperand located;
  located.source = {false, view->source.getArgNumber(),
                    getElementTypeOrSelf(narrow.getType()), view->offset};
  located.dims = std::move(view->dims);
  return located;
}

LocatedOperand locateLhs(ContractionSpace &space, const DimExpr &columns,
                         graph::DimAnalysis &dims, const TargetModel &target,
                         sched::Operand::Form wanted) {
  // Copying an element takes about as long as widening it for two panels.
  constexpr int64_t fewestPanels = 3;
  Value value = space.op->getOperand(0);
  Type narrow = getElementTypeOrSelf(graph::beforeWidening(value).getType());
  bool halves = (narrow.isBF16() || narrow.isF16()) && space.sum.isF32();
  auto dot = dyn_cast<graph::DotGeneralOp>(space.op);
  auto encoded = encodedB(space.op);
  // Few rows are multiplied in pairs by codes.
  if (dot && encoded && encoded->codes && graph::hasFewRows(dot) &&
      graph::areLookedUp(*encoded->codes) && target.bf16Pairs && target.vbmi &&
      narrow.isBF16())
    return locateOperand(space, value, dims);
  bool isOpen =
      wanted == sched::Operand::Open || wanted == sched::Operand::Padded;
  bool paysOff =
      isOpen ? estimate(columns) >= fewestPanels * nrOf(space.sum, target)
             : wanted == sched::Operand::Widened;
  if (!halves || hasNarrowPairs(space, target) || !target.coreCaches ||
      !paysOff)
    return locateOperand(space, multipliedOperand(space, 0, target), dims);
  space.formOfA = sched::Operand::Widened;
  return materialise(space, value, dims, space.sum);
}

void transposeA(ContractionSpace &space, SmallVector<Axis> outer,
                const Axis &rows, const Axis &k) {
  Preparation copy;
  copy.kind = Preparation::TransposeA;
  copy.scratch = space.preparations.size();
  copy.from = space.a;
  copy.columns = rows;
  copy.kAxes = {k};
  copy.bytes =
      rows.size * k.size * DimExpr(int64_t(elementSize(space.a.element)));
  for (const Axis &axis : outer)
    copy.bytes = copy.bytes * axis.size;
  copy.outer = std::move(outer);
  space.a = {true, copy.scratch, space.a.element, DimExpr(0)};
  space.formOfA = sched::Operand::Transposed;
  space.preparations.push_back(std::move(copy));
}

void transposeForPairs(ContractionSpace &space, const TargetModel &target,
                       sched::Operand::Form wanted) {
  // Pairs halve the time of the multiplications by a column; copying an element
  // takes about as long as those by the columns of a panel.
  constexpr int64_t fewestPanels = 2;
  Axis &kAxis = space.kAxis, &rows = space.rowAxis;
  bool paysOff = wanted == sched::Operand::Open
                     ? estimate(space.columns.size) >=
                           fewestPanels * nrOf(space.sum, target)
                     : wanted == sched::Operand::Transposed;
  if (!hasBF16Pairs(space.a.element, space.b.element, space.sum, target) ||
      !paysOff || !target.coreCaches || !space.taps.empty() ||
      kAxis.strideA.isConstant(1) || !rows.strideA.isConstant(1))
    return;
  Axis ofRows{rows.size, DimExpr(0), rows.strideA},
      ofK{kAxis.size, DimExpr(0), kAxis.strideA};
  kAxis.strideA = DimExpr(1);
  rows.strideA = kAxis.size;
  DimExpr stride = rows.size * kAxis.size;
  SmallVector<Axis> outer;
  auto layOut = [&](Axis &axis) {
    if (axis.strideA.isConstant(0))
      return;
    outer.insert(outer.begin(), {axis.size, DimExpr(0), axis.strideA});
    axis.strideA = stride;
    stride = stride * axis.size;
  };
  for (Axis &axis : llvm::reverse(space.outerRows))
    layOut(axis);
  for (OuterAxis &axis : llvm::reverse(space.outer))
    layOut(axis.axis);
  transposeA(space, std::move(outer), ofRows, ofK);
}

static SmallVector<StridedDim> selectDims(const LocatedOperand &operand,
                                          ArrayRef<int64_t> which) {
  SmallVector<StridedDim> dims;
  for (int64_t dim : which)
    dims.push_back(operand.dims[dim]);
  return dims;
}

/// Joins neighbouring axes that are one contiguous run of strides in both
/// operands.
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

bool supportsKInterleave(unsigned group, Type lhs, Type rhs) {
  if (group == 4)
    return lhs.isUnsignedInteger(8) && rhs.isInteger(8) &&
           !rhs.isUnsignedInteger();
  return group == 1 || (group == 2 && lhs.isBF16() && rhs.isBF16()) ||
         (group == 2 && lhs.isInteger(16) && !lhs.isUnsignedInteger() &&
          rhs.isInteger() && rhs.getIntOrFloatBitWidth() <= 16 &&
          !rhs.isUnsignedInteger(16));
}

bool readsKInterleave(Type element, const TargetModel &target) {
  return target.wideLoads && (!element.isBF16() || target.bf16Pairs);
}

namespace {
/// Axes of a matmul for given locations of its operands; false where their
/// digits don't nest.
struct DotAxes {
  graph::DotDimsAttr dotDims;
  ContractionSpace &space;

  bool shared(const LocatedOperand &lhs, const LocatedOperand &rhs);
  bool sums(const LocatedOperand &lhs, const LocatedOperand &rhs);
  bool build(const LocatedOperand &lhs, const LocatedOperand &rhs);
};
} // namespace

bool DotAxes::shared(const LocatedOperand &lhs, const LocatedOperand &rhs) {
  for (auto [dim, bothDims] : llvm::enumerate(
           llvm::zip(dotDims.getLhsBatching(), dotDims.getRhsBatching()))) {
    auto [left, right] = bothDims;
    auto digits = refine(lhs.dims[left], rhs.dims[right]);
    if (!digits)
      return false;
    for (const StridePair &digit : *digits)
      space.outer.push_back(
          {{digit.size, digit.first, digit.second}, int(dim)});
  }
  return true;
}

bool DotAxes::sums(const LocatedOperand &lhs, const LocatedOperand &rhs) {
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  for (auto [left, right] :
       llvm::zip(dotDims.getLhsContracting(), dotDims.getRhsContracting()))
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
  space.kAxis = axes.empty() ? Axis{DimExpr(1), DimExpr(1), DimExpr(1)}
                             : axes.pop_back_val();
  for (const Axis &axis : axes)
    space.taps.push_back({axis, false, {}});
  return true;
}

bool DotAxes::build(const LocatedOperand &lhs, const LocatedOperand &rhs) {
  space.outer.clear();
  space.outerRows.clear();
  space.taps.clear();
  unsigned contracted = dotDims.getRhsContracting().size();
  if (rhs.panel &&
      (contracted + 1 != rhs.dims.size() ||
       llvm::is_contained(dotDims.getRhsContracting(), int64_t(contracted))))
    return false;
  if (!shared(lhs, rhs) || !sums(lhs, rhs))
    return false;
  // Interleaved k are read as one value, from both operands.
  auto kSize = space.kAxis.size.constant();
  if (!supportsKInterleave(rhs.kInterleave, lhs.source.element,
                           rhs.source.element) ||
      (rhs.kInterleave > 1 && (!space.kAxis.strideA.isConstant(1) || !kSize ||
                               ((!space.taps.empty() || rhs.kInterleave == 4) &&
                                *kSize % rhs.kInterleave != 0))))
    return false;
  auto rows = flatten(
      selectDims(lhs, graph::freeDims(lhs.dims.size(), dotDims.getLhsBatching(),
                                      dotDims.getLhsContracting())));
  auto columns = flatten(
      selectDims(rhs, graph::freeDims(rhs.dims.size(), dotDims.getRhsBatching(),
                                      dotDims.getRhsContracting())));
  for (const Stride &digit : llvm::drop_end(rows))
    space.outerRows.push_back({digit.size, digit.stride, DimExpr(0)});
  space.rowAxis = {rows.back().size, rows.back().stride, DimExpr(0)};
  for (const Stride &digit : llvm::drop_end(columns))
    space.outer.push_back({{digit.size, DimExpr(0), digit.stride}, -1});
  space.columns = {columns.back().size, DimExpr(0), columns.back().stride};
  space.a = lhs.source;
  space.b = rhs.source;
  space.panel = rhs.panel;
  space.codes = rhs.codes;
  space.kInterleave = rhs.kInterleave;
  return true;
}

/// Panels of half the tile's width: a small-M tile reads one of them, other
/// tiles read two side by side.
static bool isHalfOfTile(const LocatedOperand &rhs, unsigned columns,
                         const TargetModel &target) {
  return rhs.panel * 2 == columns && rhs.kInterleave == 1 &&
         target.tileVariants && rhs.source.element.isF32();
}

/// Panels whose width does not suit the register tile are read as a row-major
/// matrix where there is only one, and copied otherwise. Codes suit panels of
/// the tile's width, which tasks widen, or few rows read as they are.
static LocatedOperand usablePanels(ContractionSpace &space, LocatedOperand rhs,
                                   Value value, graph::DimAnalysis &dims,
                                   const TargetModel &target,
                                   sched::Operand::Form wanted) {
  unsigned columns = nrOf(space.sum, target);
  bool widens = wanted == sched::Operand::Open ||
                wanted == sched::Operand::Widened ||
                wanted == sched::Operand::Panels;
  if (rhs.codes && (rhs.panel != columns || !widens || !space.sum.isF32()))
    return materialise(space, value, dims);
  bool fits = rhs.panel % columns == 0 || isHalfOfTile(rhs, columns, target);
  if (rhs.kInterleave > 1 &&
      (!fits || !readsKInterleave(rhs.source.element, target)))
    return materialise(space, value, dims);
  if (!rhs.panel || fits)
    return rhs;
  auto width = dims.dimsOf(value).back().constant();
  if (!width || *width > rhs.panel)
    return materialise(space, value, dims);
  rhs.panel = 0;
  return rhs;
}

/// Matmuls of a matrix with its own transpose, unless they are known to be
/// small and not worth the second pass that mirrors the result.
static bool isSymmetric(graph::DotGeneralOp op, const ContractionSpace &space) {
  constexpr int64_t fewestRows = 256, shortestDepth = 64;
  auto fusion = op->getParentOfType<graph::FusionOp>();
  Operation *yield = fusion.getBody().front().getTerminator();
  auto rows = space.rowAxis.size.constant(), kSize = space.totalK().constant();
  bool alone = yield->getNumOperands() == 1 &&
               yield->getOperand(0) == op.getResult() && space.outer.empty() &&
               space.outerRows.empty() && !space.panel;
  if (!alone || (rows && *rows < fewestRows) || !kSize ||
      *kSize < shortestDepth || space.columns.size != space.rowAxis.size ||
      space.columns.strideB != space.rowAxis.strideA)
    return false;
  const OperandSource &a = space.a, &b = space.b;
  if (a.scratch || b.scratch || a.offset != b.offset ||
      fusion->getOperand(a.index) != fusion->getOperand(b.index))
    return false;
  auto same = [](const Axis &axis) { return axis.strideA == axis.strideB; };
  return same(space.kAxis) && llvm::all_of(space.taps, [&](const TapAxis &tap) {
           return same(tap.axis);
         });
}

/// Computes a matrix times a vector as the vector times the transposed matrix:
/// dot products of several matrix rows side by side read memory faster than one
/// row after the other.
static void transposeMatrixByVector(ContractionSpace &space) {
  bool transposes =
      space.columns.size.isConstant(1) && space.outerRows.empty() &&
      space.taps.empty() && !space.panel && space.kAxis.strideA.isConstant(1) &&
      space.kAxis.strideB.isConstant(1) && !space.rowAxis.size.isConstant(1) &&
      !space.rowAxis.size.isConstant(0);
  for (const OuterAxis &outer : space.outer)
    transposes &= outer.resultDim >= 0;
  if (!transposes)
    return;
  for (OuterAxis &outer : space.outer)
    std::swap(outer.axis.strideA, outer.axis.strideB);
  std::swap(space.a, space.b);
  space.columns = {space.rowAxis.size, DimExpr(0), space.rowAxis.strideA};
  space.rowAxis = {DimExpr(1), DimExpr(0), DimExpr(0)};
  std::swap(space.rowDims, space.columnDims);
}

FailureOr<ContractionSpace> dotSpace(graph::DotGeneralOp op,
                                     graph::DimAnalysis &dims,
                                     const TargetModel &target,
                                     const sched::Operands &wanted) {
  ContractionSpace space;
  space.op = op;
  space.gateSlices = findGateSlices(op);
  space.sum = sumType(getElementTypeOrSelf(op.getLhs().getType()),
                      getElementTypeOrSelf(op.getType()));
  DotAxes axes{op.getDims(), space};
  DimExpr columns = 1;
  for (int64_t dim : graph::freeDims(dims.dimsOf(op.getRhs()).size(),
                                     op.getDims().getRhsBatching(),
                                     op.getDims().getRhsContracting()))
    columns = columns * dims.dimOf(op.getRhs(), dim);
  LocatedOperand lhs = locateLhs(space, columns, dims, target, wanted.a.form);
  Value multipliedB = multipliedOperand(space, 1, target);
  LocatedOperand rhs = usablePanels(space, locateB(space, multipliedB, dims),
                                    multipliedB, dims, target, wanted.b.form);
  bool ok = axes.build(lhs, rhs);
  if (!ok && !lhs.source.scratch) {
    lhs = materialise(space, multipliedOperand(space, 0, target), dims);
    ok = axes.build(lhs, rhs);
  }
  if (!ok && !rhs.source.scratch) {
    rhs = materialise(space, multipliedB, dims);
    ok = axes.build(lhs, rhs);
  }
  if (!ok)
    return op.emitError(
        "unsupported: contracting dimensions whose strides do not nest");
  unsigned batching = op.getDims().getLhsBatching().size();
  unsigned rank = dims.dimsOf(op.getResult()).size();
  unsigned rows = dims.dimsOf(op.getLhs()).size() - batching -
                  op.getDims().getLhsContracting().size();
  for (unsigned dim = batching; dim < rank; ++dim)
    (dim < batching + rows ? space.rowDims : space.columnDims).push_back(dim);
  space.symmetric = target.stackArrays && isSymmetric(op, space);
  transposeMatrixByVector(space);
  if (!space.symmetric)
    transposeForPairs(space, target, wanted.a.form);
  chooseForm(space, target, wanted.b.form);
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

/// Divides the columns into gates. Fails, with an error at the op, where the
/// slices of the result are not gates.
static LogicalResult findGates(ContractionSpace &space,
                               graph::DimAnalysis &dims,
                               const TargetModel &target) {
  if (space.gateSlices.empty())
    return success();
  auto columns = space.columns.size.constant();
  bool dividesColumns = space.form != ContractionSpace::Copied &&
                        space.form != ContractionSpace::TiledDots &&
                        space.outer.empty() && columns;
  auto ofGate = dividesColumns ? columnsOfGate(space.gateSlices, *columns,
                                               nrOf(space.sum, target), dims)
                               : std::nullopt;
  if (!ofGate)
    return space.op->emitError(
        "unsupported: slices of a matmul that are not gates of equal width");
  space.gateColumns = *ofGate;
  space.gates = unsigned(*columns / *ofGate);
  return success();
}

FailureOr<ContractionSpace> contractionSpace(graph::FusionOp fusion,
                                             graph::DimAnalysis &dims,
                                             const TargetModel &target,
                                             const sched::Operands &wanted) {
  Operation *anchor = contractionAnchor(fusion);
  if (!anchor)
    return fusion.emitError("unsupported: a contraction fusion needs exactly "
                            "one dot_general or convolution");
  if (failed(checkElements(anchor)))
    return failure();
  if (auto dot = dyn_cast<graph::DotGeneralOp>(anchor)) {
    auto space = dotSpace(dot, dims, target, wanted);
    if (succeeded(space) && failed(findGates(*space, dims, target)))
      return failure();
    return space;
  }
  return convolutionSpace(cast<graph::ConvolutionOp>(anchor), dims, target,
                          wanted);
}

} // namespace zenith::kernels
