// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NHWC depthwise convolutions and pooling, with lanes along the channels or
// along a row: several positions at a time, so that they share what they read.
// Taps in the padding are skipped: rows of taps by loop bounds, taps beside a
// row when the code for its ends is emitted.

#include "ir/dims/OneFactor.h"
#include "lowering/builder/RowTasks.h"
#include "lowering/builder/SizeChoice.h"
#include "lowering/elements/ElementConversions.h"
#include "lowering/elements/LoopNests.h"
#include "lowering/elements/WindowElements.h"
#include "lowering/kernels/Int8WindowKernel.h"
#include "lowering/kernels/KernelEmitters.h"
#include "lowering/kernels/NCHWWindowKernel.h"
#include "lowering/schedule/LaneChoice.h"
#include "lowering/schedule/Schedule.h"
#include "lowering/schedule/windows/WindowSchedule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"
#include <memory>
#include <optional>

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {
class NHWCWindowKernel {
public:
  NHWCWindowKernel(const EmissionContext &context, IterationSpace &space,
                   Operation *anchor, ArrayRef<WindowDim> spans, unsigned lane,
                   unsigned column)
      : kernel(context.fusion, context.dims, context.target, context.kernels,
               context.name),
        emitter(kernel), space(space), anchor(anchor), spans(spans), lane(lane),
        column(column) {
    emitter.indices.width = vectorsOfWindow() * lanesOfWindow(context);
    for (unsigned loop = 0; loop < space.rank(); ++loop)
      if (loop != lane && loop != column)
        outer.push_back(loop);
  }

  FailureOr<KernelPlan> run();

private:
  const WindowDim *spanOf(unsigned loop) const {
    for (const WindowDim &span : spans)
      if (span.dim == space.dimOf(loop))
        return &span;
    return nullptr;
  }
  void emitPositions(ArrayRef<LaneIndex> loopIndex);
  Value rowInside(ArrayRef<LaneIndex> loopIndex);
  void emitPositions(ArrayRef<LaneIndex> row, const LaneIndex &base,
                     int64_t count);
  void emitColumns(ArrayRef<LaneIndex> loopIndex);
  void emitUnknownColumns(ArrayRef<LaneIndex> loopIndex);
  void emitKnownColumns(ArrayRef<LaneIndex> loopIndex, int64_t from,
                        int64_t count);
  void emitWhere(Value condition, function_ref<void()> then,
                 function_ref<void()> otherwise);
  Value rowHolds(int64_t block, bool anyLength);
  void emitBlocks(ArrayRef<LaneIndex> loopIndex, int64_t block, bool anyLength);
  void emitColumnsSingly(ArrayRef<LaneIndex> loopIndex);
  int64_t columnsAtOnce() const;
  unsigned vectorsOfWindow() const;
  Launch runRows();
  Launch runRowsOfPlanes();
  Launch runChannels();
  bool lanesAlongRow() const { return lane == column; }
  void emitRow(SmallVector<LaneIndex> loopIndex);
  void emitMaskedRow(ArrayRef<LaneIndex> loopIndex);
  void emitImageRows(SmallVector<LaneIndex> loopIndex, Value inside);
  SmallVector<LaneIndex> withKnownRange(SmallVector<LaneIndex> loopIndex);
  double flopsOf(const DimExpr &length) const;

  KernelBuilder kernel;
  ElementEmitter emitter;
  IterationSpace &space;
  Operation *anchor;
  ArrayRef<WindowDim> spans;
  unsigned lane, column;
  SmallVector<unsigned> outer;
};
} // namespace

void NHWCWindowKernel::emitPositions(ArrayRef<LaneIndex> loopIndex) {
  emitter.storeResults(space.shapeIndex(emitter.indices, loopIndex));
}

// Whether no tap of the row reads padding along the outer dimensions.
Value NHWCWindowKernel::rowInside(ArrayRef<LaneIndex> loopIndex) {
  Value inside = kernel.integer(kernel.b.getI1Type(), 1);
  for (unsigned loop : outer) {
    const WindowDim *span = spanOf(loop);
    if (!span)
      continue;
    Value at = emitter.indices.value(loopIndex[loop]);
    auto both = [&](arith::CmpIPredicate predicate, const DimExpr &bound) {
      Value holds = kernel.b.create<arith::CmpIOp>(kernel.loc, predicate, at,
                                                   kernel.size(bound));
      inside = kernel.b.create<arith::AndIOp>(kernel.loc, inside, holds);
    };
    both(arith::CmpIPredicate::sge, span->firstInside());
    both(arith::CmpIPredicate::slt, span->endInside(space.size(loop)));
  }
  return inside;
}

// Reduces neighbouring positions in lockstep; the epilogue then finds the
// values.
void NHWCWindowKernel::emitPositions(ArrayRef<LaneIndex> row,
                                     const LaneIndex &base, int64_t count) {
  ElementEmitter::Scope scope(emitter);
  SmallVector<LaneIndex> loopIndex(row);
  std::vector<SmallVector<LaneIndex>> at, indices;
  int64_t step = lanesAlongRow() ? emitter.indices.width : 1;
  for (int64_t position = 0; position < count; ++position) {
    loopIndex[column] = emitter.indices.shift(base, position * step);
    at.push_back(loopIndex);
    indices.push_back(space.shapeIndex(emitter.indices, loopIndex));
  }
  emitter.preset(anchor->getResult(0), indices,
                 WindowElements(emitter).emitAll(anchor, indices));
  for (ArrayRef<LaneIndex> position : at)
    emitPositions(position);
}

// Indices of the outer positions of a row without padding, whose bounds are
// known to be inside.
SmallVector<LaneIndex>
NHWCWindowKernel::withKnownRange(SmallVector<LaneIndex> loopIndex) {
  for (unsigned loop : outer)
    if (const WindowDim *span = spanOf(loop)) {
      Value at = kernel.max(emitter.indices.value(loopIndex[loop]),
                            kernel.size(span->firstInside()));
      loopIndex[loop] = emitter.indices.scalar(
          at, span->endInside(space.size(loop)), 1, span->firstInside());
    }
  return loopIndex;
}

// A row with lanes along it: a masked vector at either end, and whole vectors
// between them, of which the last overlaps the one before where needed.
void NHWCWindowKernel::emitRow(SmallVector<LaneIndex> loopIndex) {
  constexpr int64_t atOnce = 4;
  int64_t width = emitter.indices.width;
  const WindowDim *span = spanOf(column);
  const DimExpr &size = space.size(column);
  DimExpr first = span->firstInside(), end = span->endInside(size);
  auto blocks = [&](Value at, int64_t count) {
    IndexMath::Assumption lastIsInside(emitter.indices, span->behind(end - 1));
    emitPositions(
        loopIndex,
        emitter.indices.lanes(at, end - (count - 1) * width, 1, first), count);
  };
  // Rows of unknown length are here only if each of their ends reads no padding
  // of the other.
  std::optional<IndexMath::Assumption> leftEndsInside, rightBeginsInside;
  if (!size.constant()) {
    leftEndsInside.emplace(emitter.indices, span->behind(width - 1));
    rightBeginsInside.emplace(
        emitter.indices, (size - width) * DimExpr(span->stride) - span->low);
  }
  auto border = [&](const DimExpr &start, const DimExpr &limit) {
    emitPositions(loopIndex,
                  emitter.indices.lanes(kernel.size(start), limit, 1, start),
                  1);
  };
  bool leftBorder = !first.isConstant(0), rightBorder = end != size;
  if (leftBorder)
    border(0, size.constant() ? size : DimExpr(width));
  DimExpr from = leftBorder ? DimExpr(width) : DimExpr(0),
          to = rightBorder ? size - width : size;
  Value low = kernel.size(from), high = kernel.max(low, kernel.size(to)),
        step = kernel.index(width);
  Value wide = kernel.index(atOnce * width);
  Value whole = kernel.sub(high, kernel.rem(kernel.sub(high, low), wide));
  kernel.loop(low, whole, wide, [&](Value at) { blocks(at, atOnce); });
  kernel.loop(whole, high, step, [&](Value at) {
    blocks(kernel.min(at, kernel.size(end - width)), 1);
  });
  if (rightBorder)
    border(size - width, size);
}

// The same by masked vectors alone. Few rows of a plane are at its borders, and
// code for sizes that only a run knows is there beside code for others.
void NHWCWindowKernel::emitMaskedRow(ArrayRef<LaneIndex> loopIndex) {
  const DimExpr &size = space.size(column);
  int64_t width = emitter.indices.width;
  Value last = kernel.size(size - width);
  kernel.loop(
      kernel.index(0), kernel.size(size), kernel.index(width), [&](Value at) {
        emitPositions(loopIndex,
                      emitter.indices.lanes(kernel.min(at, last), size), 1);
      });
}

// Rows that read no padding along the outer dimensions need no tests there.
void NHWCWindowKernel::emitImageRows(SmallVector<LaneIndex> loopIndex,
                                     Value inside) {
  auto branch =
      kernel.b.create<scf::IfOp>(kernel.loc, inside, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(kernel.b);
  kernel.b.setInsertionPoint(branch.thenBlock()->getTerminator());
  {
    ElementEmitter::Scope scope(emitter);
    std::vector<std::unique_ptr<IndexMath::Assumption>> lastIsInside;
    for (unsigned loop : outer)
      if (const WindowDim *span = spanOf(loop))
        lastIsInside.push_back(std::make_unique<IndexMath::Assumption>(
            emitter.indices,
            span->behind(span->endInside(space.size(loop)) - 1)));
    emitRow(withKnownRange(loopIndex));
  }
  kernel.b.setInsertionPoint(branch.elseBlock()->getTerminator());
  ElementEmitter::Scope scope(emitter);
  if (space.size(column).constant())
    emitRow(loopIndex);
  else
    emitMaskedRow(loopIndex);
}

// Vectors per position: positions a power of two apart evict each other from
// the first-level cache, and the cache line that holds the other channels would
// be read again for them.
unsigned NHWCWindowKernel::vectorsOfWindow() const {
  int64_t bytes = widestBytes(kernel.fusion),
          aliasedBytes = kernel.target.l1WayBytes() / 2;
  auto channels = space.size(lane).constant();
  bool aliased =
      lane != column && channels && *channels * bytes % aliasedBytes == 0;
  return aliased && int64_t(kernel.target.lanes) * 4 < kernel.target.lineBytes
             ? 2
             : 1;
}

// Positions at a time: few enough for the registers and for unrolling all taps.
// With large filters more positions share each load of the weights, which pays
// off.
int64_t NHWCWindowKernel::columnsAtOnce() const {
  // Accumulators that hide the latency of multiply-adds; more taps are too much
  // code.
  constexpr int64_t unrolled = 640;
  const int64_t registers = kernel.target.fmasInFlight();
  int64_t taps = spanOf(column)->count;
  if (auto convolution = dyn_cast<graph::ConvolutionOp>(anchor))
    taps *= cast<RankedTensorType>(convolution.getKernel().getType())
                .getDimSize(convolution.getDims().getKernelInput());
  return std::clamp<int64_t>(unrolled / taps, 2, registers) / vectorsOfWindow();
}

// All columns of a row, for one vector of channels.
void NHWCWindowKernel::emitColumns(ArrayRef<LaneIndex> loopIndex) {
  const WindowDim *span = spanOf(column);
  const DimExpr &size = space.size(column);
  auto columns = size.constant(), first = span->firstInside().constant(),
       end = span->endInside(size).constant();
  if (!columns || !first || !end) {
    emitUnknownColumns(loopIndex);
    return;
  }
  int64_t most = columnsAtOnce();
  RowBlocking parts(*columns, std::min(*first, *columns),
                    std::min(*end, *columns), most);
  emitKnownColumns(loopIndex, 0, parts.left);
  int64_t behind = parts.left + parts.repeats * parts.atOnce;
  kernel.loop(kernel.index(parts.left), kernel.index(behind),
              kernel.index(parts.atOnce), [&](Value at) {
                LaneIndex base = emitter.indices.scalar(
                    at, DimExpr(*end - (parts.atOnce - 1)), 1, DimExpr(*first));
                emitPositions(loopIndex, base, parts.atOnce);
              });
  emitKnownColumns(loopIndex, behind, parts.right);
}

// Columns from `from` on, whose positions are known.
void NHWCWindowKernel::emitKnownColumns(ArrayRef<LaneIndex> loopIndex,
                                        int64_t from, int64_t count) {
  int64_t most = columnsAtOnce();
  for (int64_t blocks = (count + most - 1) / most; blocks > 0; --blocks) {
    int64_t some = (count + blocks - 1) / blocks;
    emitPositions(loopIndex, LaneIndex(DimExpr(from)), some);
    from += some, count -= some;
  }
}

// The same for a dynamic number of columns: blocks at either end and between
// them, which may overlap; smaller blocks at the ends of short rows.
void NHWCWindowKernel::emitUnknownColumns(ArrayRef<LaneIndex> loopIndex) {
  int64_t most = columnsAtOnce(),
          first = *spanOf(column)->firstInside().constant();
  int64_t shortest = most + first, half = shortest / 2;
  auto singly = [&] { emitColumnsSingly(loopIndex); };
  emitWhere(
      rowHolds(most, /*anyLength=*/true),
      [&] { emitBlocks(loopIndex, most, /*anyLength=*/true); },
      [&] {
        if (half >= most || half < 2)
          return singly();
        emitWhere(
            rowHolds(half, /*anyLength=*/false),
            [&] { emitBlocks(loopIndex, half, /*anyLength=*/false); }, singly);
      });
}

void NHWCWindowKernel::emitWhere(Value condition, function_ref<void()> then,
                                 function_ref<void()> otherwise) {
  auto branch = kernel.b.create<scf::IfOp>(kernel.loc, condition,
                                           /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(kernel.b);
  for (auto [block, run] : {std::pair(branch.thenBlock(), then),
                            std::pair(branch.elseBlock(), otherwise)}) {
    kernel.b.setInsertionPoint(block->getTerminator());
    ElementEmitter::Scope scope(emitter);
    run();
  }
}

// Whether no position of a block at one end of the row reads padding at the
// other end, and none of a block between them reads any. Without `anyLength`
// there are no blocks between them.
Value NHWCWindowKernel::rowHolds(int64_t block, bool anyLength) {
  const WindowDim *span = spanOf(column);
  const DimExpr &size = space.size(column);
  int64_t first = *span->firstInside().constant();
  Value all = kernel.size(size), end = kernel.size(span->endInside(size));
  auto atLeast = [&](Value x, Value y) -> Value {
    return kernel.b.create<arith::CmpIOp>(kernel.loc, arith::CmpIPredicate::sge,
                                          x, y);
  };
  Value between = atLeast(kernel.index(2 * block), all);
  if (anyLength)
    between = kernel.b.create<arith::OrIOp>(
        kernel.loc, between, atLeast(end, kernel.index(block + first)));
  Value holds = between;
  for (Value other : {atLeast(all, kernel.index(block + first)),
                      atLeast(end, kernel.index(block)),
                      atLeast(kernel.index(block), kernel.sub(all, end))})
    holds = kernel.b.create<arith::AndIOp>(kernel.loc, holds, other);
  return holds;
}

void NHWCWindowKernel::emitBlocks(ArrayRef<LaneIndex> loopIndex, int64_t block,
                                  bool anyLength) {
  const WindowDim *span = spanOf(column);
  const DimExpr &size = space.size(column);
  IndexMath &math = emitter.indices;
  DimExpr end = span->endInside(size), last = size - block;
  IndexMath::Assumption left(math, span->behind(block - 1)),
      right(math, last * DimExpr(span->stride) - span->low);
  emitPositions(loopIndex, LaneIndex(DimExpr(0)), block);
  if (anyLength) {
    IndexMath::Assumption between(math, span->behind(end - 1));
    Value inside = kernel.size(end - block);
    kernel.loop(kernel.index(block), kernel.size(last), kernel.index(block),
                [&](Value at) {
                  ElementEmitter::Scope scope(emitter);
                  LaneIndex base =
                      math.scalar(kernel.min(at, inside), end - (block - 1), 1,
                                  span->firstInside());
                  emitPositions(loopIndex, base, block);
                });
  }
  emitPositions(loopIndex, LaneIndex(last), block);
}

void NHWCWindowKernel::emitColumnsSingly(ArrayRef<LaneIndex> loopIndex) {
  const DimExpr &size = space.size(column);
  kernel.loop(kernel.index(0), kernel.size(size), kernel.index(1),
              [&](Value at) {
                emitPositions(loopIndex, emitter.indices.scalar(at, size), 1);
              });
}

// Lanes run along rows of unknown length: a task has neighbouring rows of one
// plane, so that a row takes no division by a size.
Launch NHWCWindowKernel::runRowsOfPlanes() {
  unsigned line = outer.back();
  auto planes = ArrayRef(outer).drop_back();
  const DimExpr &height = space.size(line), &length = space.size(lane);
  DimExpr ofTask = graph::oneFactor(
              DimExpr::max(DimExpr::floorDiv(elementsPerTask, length), 1)),
          blocks = graph::oneFactor(DimExpr::ceilDiv(height, ofTask));
  Value one = kernel.index(1);
  kernel.loop(kernel.begin(), kernel.end(), one, [&](Value task) {
    SmallVector<LaneIndex> loopIndex(space.rank(), LaneIndex(0));
    unflattenRow(emitter, space, planes, kernel.div(task, kernel.size(blocks)),
                 loopIndex);
    Value from =
        kernel.mul(kernel.rem(task, kernel.size(blocks)), kernel.size(ofTask));
    Value to =
        kernel.min(kernel.add(from, kernel.size(ofTask)), kernel.size(height));
    kernel.loop(from, to, one, [&](Value at) {
      ElementEmitter::Scope scope(emitter);
      loopIndex[line] = emitter.indices.scalar(at, height);
      emitImageRows(loopIndex, rowInside(loopIndex));
    });
  });
  return kernel.finish(space.rows({lane, line}) * blocks,
                       flopsOf(elementsPerTask));
}

// Lanes run along the rows.
Launch NHWCWindowKernel::runRows() {
  if (!space.size(lane).constant() && !outer.empty())
    return runRowsOfPlanes();
  RowTasks tasks = RowTasks::plan(space.rows({lane}), space.size(lane),
                                  elementsPerTask, /*cutRows=*/false);
  forEachRow(kernel, tasks, [&](Value row, Value, Value) {
    ElementEmitter::Scope scope(emitter);
    SmallVector<LaneIndex> loopIndex(space.rank(), LaneIndex(0));
    unflattenRow(emitter, space, outer, row, loopIndex);
    emitImageRows(loopIndex, rowInside(loopIndex));
  });
  return kernel.finish(tasks.tasks,
                       tasks.rowsPerTask * flopsOf(space.size(lane)));
}

// A task computes some rows for one vector of channels after the other: the
// weights of a vector, and the input that its rows share, stay in the
// first-level cache.
Launch NHWCWindowKernel::runChannels() {
  // Depthwise filters reuse little of what they read: a task takes as long as
  // one of contractions with more work.
  const double taskFlops = kernel.target.taskFlops(0.4);
  double taskBytes = kernel.target.l2Share(0.25);
  constexpr int64_t fewestLanes = 64, mostRows = 64;
  DimExpr rows = space.rows({lane, column}), featureMaps = 1;
  for (unsigned loop : outer)
    if (spanOf(loop))
      featureMaps = featureMaps * space.size(loop);
  const DimExpr &columns = space.size(column), &channels = space.size(lane);
  double lanes = double(channels.constant().value_or(64)),
         perElement = flopsOf(1);
  // A small feature map is one task per group of channels instead.
  DimExpr spare = DimExpr(int64_t(taskBytes) + 1) -
                  featureMaps * columns * DimExpr(4 * fewestLanes);
  DimExpr isSmall = DimExpr::min(DimExpr::max(spare, 0), 1);
  auto either = [&](const DimExpr &small, const DimExpr &large) {
    return isSmall * small + (DimExpr(1) - isSmall) * large;
  };
  double mostColumns =
      std::min(taskFlops / (perElement * lanes), taskBytes / (4 * lanes));
  DimExpr some = DimExpr::floorDiv(DimExpr(int64_t(mostColumns)), columns);
  DimExpr rowsOfTask =
      DimExpr::max(either(featureMaps, DimExpr::min(some, mostRows)), 1);
  DimExpr vectors = DimExpr(2 * int64_t(emitter.indices.width)),
          all = DimExpr::ceilDiv(channels, vectors),
          share = DimExpr::floorDiv(DimExpr(int64_t(taskFlops / perElement)),
                                    featureMaps * columns * vectors);
  DimExpr lanesOfTask = either(DimExpr::min(share + 1, all), all) * vectors;
  DimExpr chunks = DimExpr::ceilDiv(channels, lanesOfTask);
  bool shared = !chunks.isConstant(1);
  DimExpr blocks = DimExpr::ceilDiv(rows, rowsOfTask);
  Value one = kernel.index(1);
  kernel.loop(kernel.begin(), kernel.end(), one, [&](Value task) {
    Value block = shared ? kernel.div(task, kernel.size(chunks)) : task;
    Value from = kernel.mul(block, kernel.size(rowsOfTask));
    Value to = kernel.min(kernel.add(from, kernel.size(rowsOfTask)),
                          kernel.size(rows));
    Value low = kernel.index(0), high = kernel.size(space.size(lane));
    if (shared) {
      low = kernel.mul(kernel.rem(task, kernel.size(chunks)),
                       kernel.size(lanesOfTask));
      high = kernel.min(high, kernel.add(low, kernel.size(lanesOfTask)));
    }
    forEachLaneBlock(
        emitter, space, lane, low, high, [&](const LaneIndex &lanes) {
          kernel.loop(from, to, one, [&](Value row) {
            ElementEmitter::Scope scope(emitter);
            SmallVector<LaneIndex> loopIndex(space.rank(), LaneIndex(0));
            unflattenRow(emitter, space, outer, row, loopIndex);
            loopIndex[lane] = lanes;
            emitColumns(loopIndex);
          });
        });
  });
  auto guess = [](const DimExpr &size) {
    auto any = [](const std::string &) { return std::optional<int64_t>(64); };
    return double(size.evaluate(any).value_or(1));
  };
  return kernel.finish(blocks * chunks, perElement * guess(columns) *
                                            guess(rowsOfTask) *
                                            guess(lanesOfTask));
}

double NHWCWindowKernel::flopsOf(const DimExpr &length) const {
  // Cost of moving one element, in flops.
  constexpr double movement = 12;
  int64_t window = 1;
  for (const WindowDim &span : spans)
    window *= span.count;
  return double(length.constant().value_or(4096)) *
         (2 * double(window) + movement + costPerElement(kernel.fusion));
}

FailureOr<KernelPlan> NHWCWindowKernel::run() {
  Launch launch = lanesAlongRow() ? runRows() : runChannels();
  KernelPlan plan;
  if (!addLaunch(plan, unlessFailed(emitter, std::move(launch))))
    return failure();
  return plan;
}

// The dimensions that the filter moves along; nothing where the input is
// dilated.
static std::optional<std::vector<WindowDim>> spansOf(Operation *op,
                                                     graph::DimAnalysis &dims) {
  std::vector<WindowDim> spans;
  auto add = [&](unsigned dim, int64_t stride, int64_t low, int64_t count,
                 int64_t dilation, DimExpr size) {
    if (count > 1 || low != 0 || stride > 1)
      spans.push_back({dim, stride, low, count, dilation, std::move(size)});
  };
  if (auto window = dyn_cast<graph::ReduceWindowOp>(op)) {
    for (auto [d, size] : llvm::enumerate(dims.dimsOf(window.getOperand()))) {
      if (window.getBaseDilation()[d] != 1)
        return std::nullopt;
      add(d, window.getStrides()[d], window.getLow()[d], window.getWindow()[d],
          window.getDilation()[d], size);
    }
    return spans;
  }
  auto conv = cast<graph::ConvolutionOp>(op);
  auto numbers = conv.getDims();
  auto kernelType = cast<RankedTensorType>(conv.getKernel().getType());
  for (auto [s, d] : llvm::enumerate(numbers.getInputSpatial())) {
    int64_t count = kernelType.getDimSize(numbers.getKernelSpatial()[s]);
    if (conv.getInputDilation()[s] != 1 || count < 0)
      return std::nullopt;
    add(numbers.getOutputSpatial()[s], conv.getStrides()[s], conv.getLow()[s],
        count, conv.getKernelDilation()[s], dims.dimOf(conv.getInput(), d));
  }
  return spans;
}

// 1 where lanes can run along a row, else 0: it has at least one vector, and
// only the outer vectors read padding.
static DimExpr fillsVectors(const WindowDim &span, const DimExpr &positions,
                            const EmissionContext &context) {
  DimExpr first = span.firstInside(), end = span.endInside(positions);
  int64_t width = lanesOfWindow(context);
  if (span.stride > 2 || !isAtMost(first, width).isConstant(1))
    return 0;
  DimExpr from = first.isConstant(0) ? 0 : width,
          to = positions - isAtLeast(positions - end, 1) * DimExpr(width),
          between = isAtLeast(to - from, 1);
  DimExpr isLong = isAtLeast(end - first, width);
  if (positions.constant())
    isLong = DimExpr(1) - between * (DimExpr(1) - isLong);
  return isAtLeast(positions, width) * isAtLeast(end - positions, -width) *
         isLong;
}

FailureOr<KernelPlan> emitWindow(const EmissionContext &context) {
  graph::FusionOp fusion = context.fusion;
  Block &body = fusion.getBody().front();
  auto anchor = llvm::find_if(body, [](Operation &op) {
    return isa<graph::ReduceWindowOp, graph::ConvolutionOp>(op);
  });
  if (anchor == body.end())
    return emitPointwise(context);
  const graph::DimVector shape = context.dims.dimsOf(anchor->getResult(0));
  auto spans = spansOf(&*anchor, context.dims);
  SmallVector<SpaceRoot> roots;
  for (Value result : body.getTerminator()->getOperands()) {
    SpaceRoot root{result, {}, true};
    for (unsigned d = 0; d < shape.size(); ++d)
      root.dims.push_back(d);
    if (context.dims.dimsOf(result) != shape)
      return emitPointwise(context);
    roots.push_back(std::move(root));
  }
  if (!spans || spans->empty())
    return emitPointwise(context);
  IterationSpace space(context.dims, shape, roots);
  SmallVector<unsigned> candidates;
  for (unsigned loop = 0; loop < space.rank(); ++loop)
    candidates.push_back(loop);
  auto lane = chooseLaneLoop(space, candidates);
  std::optional<unsigned> column;
  bool laneMoves = false;
  for (unsigned loop : candidates)
    for (const WindowDim &span : *spans) {
      if (span.dim != space.dimOf(loop))
        continue;
      // A loop over a part of a dimension has other borders.
      if (space.size(loop) != shape[span.dim])
        return emitPointwise(context);
      laneMoves |= loop == *lane;
      column = loop;
    }
  if (laneMoves)
    column = lane;
  if (!column)
    return emitPointwise(context);
  WindowShape window{&*anchor, *spans, *column};
  // That kernel has the lanes of its instructions.
  bool hasOwnLanes =
      lanesOfWindow(context) == chosenLanesOfWindow(fusion, context.target);
  if (hasOwnLanes && suitsInt8Window(context, space, window, *lane))
    return emitInt8Window(context, space, window, *lane);
  DimExpr fills = 1;
  for (const WindowDim &span : *spans)
    if (laneMoves && span.dim == space.dimOf(*column))
      fills = fillsVectors(span, space.size(*column), context);
  auto emitRows = [&](const EmissionContext &own) {
    return NHWCWindowKernel(own, space, &*anchor, *spans, *lane, *column).run();
  };
  if (laneMoves && suitsNCHWWindow(context, space, window)) {
    DimExpr inPlace =
        graph::oneFactor(fills * readsRowsInPlace(context, space, window));
    FailureOr<KernelPlan> plan = emitNCHWWindow(context, space, window);
    if (failed(plan) || inPlace.isConstant(0))
      return plan;
    for (Launch &launch : plan->launches)
      launch.guard = DimExpr(1) - inPlace;
    std::string name = (context.name + "_rows").str();
    auto rows =
        emitRows({fusion, context.dims, context.target, context.kernels, name});
    if (failed(rows))
      return failure();
    for (Launch &launch : rows->launches) {
      launch.guard = inPlace;
      plan->launches.push_back(std::move(launch));
    }
    return plan;
  }
  return fills.isConstant(1) ? emitRows(context) : emitPointwise(context);
}

} // namespace zenith::kernels
