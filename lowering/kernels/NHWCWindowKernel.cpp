// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NHWC depthwise convolutions and pooling, with lanes along the channels or
// along a row: several positions at a time, so that they share what they read.
// Taps in the padding are skipped: rows of taps by loop bounds, taps beside a
// row when the code for its ends is emitted.

#include "ir/dims/OneFactor.h"
#include "lowering/builder/RowTasks.h"
#include "lowering/builder/SizeChoice.h"
#include "lowering/elements/LoopNests.h"
#include "lowering/elements/WindowElements.h"
#include "lowering/kernels/DotWindowKernel.h"
#include "lowering/kernels/InterleavedWindow.h"
#include "lowering/kernels/KernelEmitters.h"
#include "lowering/kernels/NCHWWindowKernel.h"
#include "lowering/schedule/Schedule.h"
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
  NHWCWindowKernel(const EmissionContext &context, const WindowLoops &loops,
                   const WindowKeys &keys)
      : kernel(context.fusion, context.dims, context.target, context.kernels,
               context.name),
        emitter(kernel), loops(loops), keys(keys), space(loops.space),
        anchor(loops.anchor), lane(loops.lane), column(loops.column) {
    emitter.indices.width = lanesAlongRow() ? keys.lanes : keys.tile[1];
    for (unsigned loop = 0; loop < space.rank(); ++loop)
      if (loop != lane && loop != column)
        outer.push_back(loop);
  }

  FailureOr<KernelPlan> run();

private:
  const WindowDim *spanOf(unsigned loop) const { return loops.spanOf(loop); }
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
  /// Positions at a time.
  int64_t columnsAtOnce() const { return keys.tile[0]; }
  Launch runRows();
  Launch runRowsOfPlanes();
  Launch runChannels();
  bool lanesAlongRow() const { return loops.lanesAlongRow(); }
  void emitRow(SmallVector<LaneIndex> loopIndex);
  void emitMaskedRow(ArrayRef<LaneIndex> loopIndex);
  void emitImageRows(SmallVector<LaneIndex> loopIndex, Value inside);
  SmallVector<LaneIndex> withKnownRange(SmallVector<LaneIndex> loopIndex);
  double flopsOf(const DimExpr &length) const {
    return loops.flopsOf(kernel.fusion, length);
  }

  KernelBuilder kernel;
  ElementEmitter emitter;
  const WindowLoops &loops;
  const WindowKeys &keys;
  const IterationSpace &space;
  Operation *anchor;
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
  int64_t width = emitter.indices.width, atOnce = keys.tile[1] / width;
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
              DimExpr::max(DimExpr::floorDiv(keys.block[0], length), 1)),
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
                       flopsOf(keys.block[0]));
}

// Lanes run along the rows.
Launch NHWCWindowKernel::runRows() {
  if (!space.size(lane).constant() && !outer.empty())
    return runRowsOfPlanes();
  RowTasks tasks = RowTasks::plan(space.rows({lane}), space.size(lane),
                                  keys.block[0], /*cutRows=*/false);
  forEachRowIndex(emitter, space, outer, tasks,
                  [&](SmallVector<LaneIndex> loopIndex, Value, Value) {
                    emitImageRows(loopIndex, rowInside(loopIndex));
                  });
  return kernel.finish(tasks.tasks,
                       tasks.rowsPerTask * flopsOf(space.size(lane)));
}

// A task computes some rows for one vector of channels after the other: the
// weights of a vector, and the input that its rows share, stay in the
// first-level cache.
Launch NHWCWindowKernel::runChannels() {
  constexpr int64_t fewestLanes = 64, mostRows = 64;
  int64_t enough = keys.block[0], cached = keys.block[1];
  DimExpr rows = space.rows({lane, column}), featureMaps = 1;
  for (unsigned loop : outer)
    if (spanOf(loop))
      featureMaps = featureMaps * space.size(loop);
  const DimExpr &columns = space.size(column), &channels = space.size(lane);
  int64_t lanes = std::max<int64_t>(1, channels.constant().value_or(64));
  // A small feature map is one task per group of channels instead.
  DimExpr isSmall =
      isAtMost(featureMaps * columns * DimExpr(fewestLanes), cached);
  auto either = [&](const DimExpr &small, const DimExpr &large) {
    return isSmall * small + (DimExpr(1) - isSmall) * large;
  };
  DimExpr some =
      DimExpr::floorDiv(DimExpr(std::min(enough, cached) / lanes), columns);
  DimExpr rowsOfTask =
      DimExpr::max(either(featureMaps, DimExpr::min(some, mostRows)), 1);
  DimExpr vectors = DimExpr(2 * int64_t(emitter.indices.width)),
          all = DimExpr::ceilDiv(channels, vectors),
          share = DimExpr::floorDiv(DimExpr(enough),
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
  return kernel.finish(blocks * chunks, flopsOf(1) * guess(columns) *
                                            guess(rowsOfTask) *
                                            guess(lanesOfTask));
}

FailureOr<KernelPlan> NHWCWindowKernel::run() {
  Launch launch = lanesAlongRow() ? runRows() : runChannels();
  KernelPlan plan;
  if (!addLaunch(plan, unlessFailed(emitter, std::move(launch))))
    return failure();
  return plan;
}

/// Whether the keys are those of their form, for these loops.
static bool hasSizes(const WindowLoops &loops, const WindowKeys &keys,
                     graph::DimAnalysis &dims) {
  bool hasTile = keys.lanes > 0 && keys.tile.size() == 2;
  switch (keys.form) {
  case sched::WindowForm::Open:
    return false;
  case sched::WindowForm::Channels:
    return !loops.lanesAlongRow() && hasTile && keys.block.size() == 2;
  case sched::WindowForm::Rows:
    return loops.lanesAlongRow() && hasTile && keys.block.size() == 1;
  case sched::WindowForm::Planes: {
    auto planes = PlaneGeometry::of(loops);
    return loops.lanesAlongRow() && planes && keys.keep > 0 &&
           keys.block.size() == (planes->isTile ? 3u : 1u);
  }
  case sched::WindowForm::Interleaved:
    return loops.lanesAlongRow() && hasTile && keys.block.size() == 1 &&
           InterleavedPlanes::of(loops, keys.lanes, keys.block[0]);
  case sched::WindowForm::Dots:
    return DotWindowSchedule::supports(loops, dims) && hasTile &&
           keys.block.size() == 2;
  }
  llvm_unreachable("not a form");
}

static FailureOr<KernelPlan> emitForm(const EmissionContext &context,
                                      const WindowLoops &loops,
                                      const WindowKeys &keys) {
  if (keys.form == sched::WindowForm::Planes)
    return emitNCHWWindow(context, loops, keys);
  if (keys.form == sched::WindowForm::Interleaved)
    return emitInterleavedWindow(
        context, loops, keys,
        *InterleavedPlanes::of(loops, keys.lanes, keys.block[0]));
  if (keys.form == sched::WindowForm::Dots)
    return emitDotWindow(context, loops, keys);
  return NHWCWindowKernel(context, loops, keys).run();
}

/// Of the name of a variant that is beside one for all sizes.
static StringRef suffixOf(sched::WindowForm form) {
  if (form == sched::WindowForm::Interleaved)
    return "_interleaved";
  return form == sched::WindowForm::Rows ? "_rows" : "_narrow";
}

FailureOr<KernelPlan> emitWindow(const EmissionContext &context) {
  graph::FusionOp fusion = context.fusion;
  auto loops = WindowLoops::of(fusion, context.dims);
  if (!loops)
    return fusion.emitOpError("schedule: kind: got a window, expected elements "
                              "(sched_c1)");
  KernelPlan plan;
  auto variants = sched::guardedVariants(fusion.getScheduleAttr());
  for (const sched::GuardedVariant &variant : variants) {
    WindowKeys keys = windowKeys(variant.schedule);
    std::string name = context.name.str();
    // Beside the one for all sizes.
    if (&variant != &variants.back())
      name += suffixOf(keys.form);
    EmissionContext own{fusion, context.dims, context.target, context.kernels,
                        name};
    if (!hasSizes(*loops, keys, context.dims))
      return fusion.emitOpError("schedule: form: got keys that are not all of "
                                "a form of these loops (sched_c1)");
    auto ofForm = emitForm(own, *loops, keys);
    if (failed(ofForm))
      return failure();
    for (Launch &launch : ofForm->launches) {
      launch.guard = variant.guard;
      plan.launches.push_back(std::move(launch));
    }
  }
  return plan;
}

} // namespace zenith::kernels
