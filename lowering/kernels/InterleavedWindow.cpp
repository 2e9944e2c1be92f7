// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of a position lie side by side, one for each plane. Squares of them
// are transposed along whole planes, whatever the length of a row. The last
// planes share a copy with planes before them, whose results it does not store.

#include "lowering/kernels/InterleavedWindow.h"
#include "ir/dims/OneFactor.h"
#include "lowering/builder/SizeChoice.h"
#include "lowering/builder/TileTranspose.h"
#include "lowering/elements/LoopNests.h"
#include "lowering/kernels/PlaneWindow.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {

/// A task's planes and rows of results.
struct Band {
  Value firstPlane; ///< of lane 0
  Value firstLane;  ///< of those whose results are stored
  Value row, rows;  ///< of results
  Value line;       ///< of the first tap of the first row; may be padding
  Value first, end; ///< lines of the input that are read
};

class InterleavedWindow : PlaneWindow {
public:
  InterleavedWindow(const EmissionContext &context, const WindowLoops &shape,
                    const WindowKeys &keys, const InterleavedPlanes &planes)
      : PlaneWindow(context, shape, keys, planes.geometry), planes(planes),
        results(resultSpace(context, shape)), rowLoop(*geometry.rowLoop) {
    findPlaneLoop();
  }
  FailureOr<KernelPlan> run();

private:
  static IterationSpace resultSpace(const EmissionContext &context,
                                    const WindowLoops &shape);
  void findPlaneLoop();
  Value at(Value position) { return k.mul(position, k.index(width)); }
  Value load(Value memory, Value offset) {
    return k.b.create<vector::LoadOp>(k.loc, vector, memory, offset);
  }
  void store(Value lanes, Value memory, Value position) {
    k.b.create<vector::StoreOp>(k.loc, lanes, memory, at(position));
  }
  void transposeInput(ArrayRef<LaneIndex> index, Value position, Value memory,
                      Value first);
  void copyLines(ArrayRef<LaneIndex> index, const Band &band, Value from);
  void transposeLines(ArrayRef<LaneIndex> index, const Band &band);
  void padLines(const Band &band);
  bool copiesFilters() const;
  void copyFilters(const Band &band);
  SmallVector<Value> reduceBlock(ArrayRef<LaneIndex> index, const Band &band,
                                 Value line, Value column);
  void reduceRows(ArrayRef<LaneIndex> index, const Band &band);
  void finishSquare(SmallVector<LaneIndex> loopIndex, const Band &band,
                    Value from, Value count, Value row);
  void finishBand(ArrayRef<LaneIndex> loopIndex, const Band &band);
  void emitBand(SmallVector<LaneIndex> loopIndex, Value group, Value part);

  const InterleavedPlanes &planes;
  /// Loops of the epilogue alone, which may have one along a whole plane.
  IterationSpace results;
  unsigned rowLoop;
  std::optional<unsigned> planeLoop; ///< of `results`
  /// Elements without padding, and later results; the copy with padding; a
  /// square of results; filters, where they are copied.
  Value elements, copy, square, filters;
};

} // namespace

IterationSpace InterleavedWindow::resultSpace(const EmissionContext &context,
                                              const WindowLoops &shape) {
  Value anchor = shape.anchor->getResult(0);
  const graph::DimVector dims = context.dims.dimsOf(anchor);
  SmallVector<unsigned> all, groups;
  for (unsigned d = 0; d < dims.size(); ++d) {
    all.push_back(d);
    groups.push_back(d + 2 < dims.size() ? 0 : 1);
  }
  SmallVector<SpaceRoot> roots;
  graph::FusionOp fusion = context.fusion;
  for (Value result : fusion.getBody().front().getTerminator()->getOperands())
    roots.push_back({result, all, /*written=*/true});
  return IterationSpace(context.dims, dims, roots, groups, anchor);
}

void InterleavedWindow::findPlaneLoop() {
  unsigned count = 0;
  for (unsigned loop = 0; loop < results.rank(); ++loop)
    if (results.group(loop) == 1) {
      planeLoop = loop;
      ++count;
    }
  if (count != 1)
    planeLoop.reset();
}

/// Whether filters of planes lie one after the other, not tap after tap.
bool InterleavedWindow::copiesFilters() const {
  if (!conv || !isa<BlockArgument>(graph::ConvolutionOp(conv).getKernel()))
    return false;
  graph::ConvDimsAttr dims = graph::ConvolutionOp(conv).getDims();
  return dims.getKernelOutput() == 0 &&
         dims.getKernelSpatial() == ArrayRef<int64_t>{2, 3} &&
         int64_t(space.dimOf(planes.lane)) == dims.getOutputFeature();
}

/// The square of elements from `position` of the planes on.
void InterleavedWindow::transposeInput(ArrayRef<LaneIndex> index,
                                       Value position, Value memory,
                                       Value first) {
  auto input = cast<BlockArgument>(shape.anchor->getOperand(0));
  LaneIndex linear =
      emitter.linearize(input, inputIndex(index, LaneIndex(0), LaneIndex(0)));
  transposeMemory(k, vector,
                  {k.memoryOf(input),
                   k.add(emitter.indices.laneBase(linear), position),
                   k.size(emitter.indices.laneStride(linear))},
                  {memory, at(first), k.index(width)});
}

/// Lines from `from` on, by squares along all of them, the last of which
/// overlaps the one before or lies before the first line.
void InterleavedWindow::copyLines(ArrayRef<LaneIndex> index, const Band &band,
                                  Value from) {
  const PlaneSide &x = geometry.x;
  const DimExpr &height = geometry.y.planeInputs, &positions = x.planeInputs;
  Value columns = k.size(planes.paddedColumns()), length = k.size(positions),
        start = k.mul(from, length), last = k.size(height * positions - width),
        before = k.sub(start, k.index(width));
  k.loop(start, k.mul(band.end, length), k.index(width), [&](Value number) {
    Value position = k.min(number, last);
    transposeInput(index, position, elements, k.sub(position, before));
  });
  k.loop(from, band.end, k.index(1), [&](Value line) {
    Value source = k.sub(k.mul(line, length), before),
          to = k.add(k.mul(k.sub(line, band.first), columns), k.index(x.low));
    k.loop(k.index(0), length, k.index(1), [&](Value column) {
      store(load(elements, at(k.add(source, column))), copy, k.add(to, column));
    });
  });
}

/// Lines that a vector holds, but for half of it, by a square for each. What it
/// writes beyond its line the next one overwrites, if not padding. The last
/// line is copied, since a square would reach beyond the planes.
void InterleavedWindow::transposeLines(ArrayRef<LaneIndex> index,
                                       const Band &band) {
  const DimExpr &height = geometry.y.planeInputs,
                &length = geometry.x.planeInputs;
  DimExpr isVector = isAtLeast(length, width / 2 + 1) * isAtMost(length, width),
          whole =
              isVector * (DimExpr::floorDiv(height * length - width,
                                            DimExpr::max(length, DimExpr(1))) +
                          1);
  Value until =
            k.min(k.max(k.size(graph::oneFactor(whole)), band.first), band.end),
        columns = k.size(planes.paddedColumns());
  k.loop(band.first, until, k.index(1), [&](Value line) {
    Value to =
        k.add(k.mul(k.sub(line, band.first), columns), k.index(geometry.x.low));
    transposeInput(index, k.mul(line, k.size(length)), copy, to);
  });
  copyLines(index, band, until);
}

/// Padding from the end of each line to the next one, and before the first.
void InterleavedWindow::padLines(const Band &band) {
  const PlaneSide &x = geometry.x;
  Value padding = start(), columns = k.size(planes.paddedColumns()),
        low = k.index(x.low),
        some = k.min(k.size(x.planeInputs), k.sub(columns, low));
  k.loop(k.index(-1), k.sub(band.end, band.first), k.index(1), [&](Value line) {
    Value inner = k.add(k.mul(line, columns), low);
    k.loop(k.max(k.add(inner, some), k.index(0)), k.add(inner, columns),
           k.index(1), [&](Value position) { store(padding, copy, position); });
  });
}

/// The filters of the planes, one tap after the other, from filters that lie
/// one after the other.
void InterleavedWindow::copyFilters(const Band &band) {
  Value memory = k.memoryOf(cast<BlockArgument>(conv.getKernel()));
  int64_t taps = geometry.taps();
  Value start = k.mul(band.firstPlane, k.index(taps));
  for (int64_t from = 0; taps >= width && from < taps; from += width) {
    Value tap = k.index(std::min(from, taps - width));
    transposeMemory(k, vector, {memory, k.add(start, tap), k.index(taps)},
                    {filters, at(tap), k.index(width)});
  }
  if (taps >= width)
    return;
  // Squares would reach beyond the filters.
  Value mask = k.mask(k.index(taps), unsigned(width));
  k.loop(k.index(0), k.index(width), k.index(1), [&](Value plane) {
    Value lanes = k.b.create<vector::MaskedLoadOp>(
        k.loc, vector, memory, k.add(start, k.mul(plane, k.index(taps))), mask,
        PlaneWindow::start());
    store(lanes, square, plane);
  });
  transposeMemory(k, vector, {square, k.index(0), k.index(width)},
                  {filters, k.index(0), k.index(width)});
}

/// Neighbouring results of a row. Their first taps are in a line of the input,
/// which may be padding, and at a column of the copy.
SmallVector<Value> InterleavedWindow::reduceBlock(ArrayRef<LaneIndex> index,
                                                  const Band &band, Value line,
                                                  Value column) {
  const PlaneSide &x = geometry.x, &y = geometry.y;
  Value zero = k.index(0), dilation = k.index(y.dilation),
        columns = k.size(planes.paddedColumns());
  auto tapsBefore = [&](Value lines) {
    return k.min(
        k.div(k.add(k.max(lines, zero), k.index(y.dilation - 1)), dilation),
        k.index(y.taps));
  };
  Value from = k.sub(line, band.first);
  return k.loop(
      tapsBefore(k.sub(zero, line)),
      tapsBefore(k.sub(k.size(y.planeInputs), line)), k.index(1),
      SmallVector<Value>(size_t(keys.tile[0]), start()),
      [&](Value down, ValueRange carried) {
        ElementEmitter::Scope scope(emitter);
        SmallVector<Value> sums(carried);
        Value first = at(
            k.add(k.mul(k.add(from, k.mul(down, dilation)), columns), column));
        LaneIndex tapDown = emitter.indices.scalar(down, y.taps);
        std::map<int64_t, Value> read;
        for (int64_t tap = 0; tap < x.taps; ++tap) {
          Value lanesOfTap =
              filters
                  ? load(filters,
                         at(k.add(k.mul(down, k.index(x.taps)), k.index(tap))))
                  : weight(tapDown, LaneIndex(DimExpr(tap)), index);
          for (auto [number, sum] : llvm::enumerate(sums)) {
            int64_t ahead = int64_t(number) * x.stride + tap * x.dilation;
            Value &lanes = read[ahead];
            if (!lanes)
              lanes = load(copy, k.add(first, k.index(ahead * width)));
            sum = step(sum, lanes, lanesOfTap);
          }
        }
        return sums;
      });
}

/// Results of the band. Blocks reach beyond a row, whose next one overwrites
/// that.
void InterleavedWindow::reduceRows(ArrayRef<LaneIndex> index,
                                   const Band &band) {
  const PlaneSide &x = geometry.x, &y = geometry.y;
  Value distance = planeLoop ? k.size(x.planeResults) : k.index(width);
  k.loop(k.index(0), band.rows, k.index(1), [&](Value row) {
    Value to = k.mul(row, distance),
          line = k.add(band.line, k.mul(row, k.index(y.stride)));
    k.loop(k.index(0), k.size(x.planeResults), k.index(keys.tile[0]),
           [&](Value column) {
             SmallVector<Value> sums = reduceBlock(
                 index, band, line, k.mul(column, k.index(x.stride)));
             for (auto [number, sum] : llvm::enumerate(sums))
               store(sum, elements,
                     k.add(k.add(to, column), k.index(int64_t(number))));
           });
  });
}

/// The epilogue and the stores of `count` results, at most as many as lanes:
/// of a row, or from one on.
void InterleavedWindow::finishSquare(SmallVector<LaneIndex> loopIndex,
                                     const Band &band, Value from, Value count,
                                     Value row) {
  IndexMath &math = emitter.indices;
  const DimExpr &height = geometry.y.planeResults,
                &length = geometry.x.planeResults;
  Value lanes = k.index(width);
  transposeMemory(k, vector, {elements, at(from), lanes},
                  {square, k.index(0), lanes});
  emitter.active.mask = k.mask(count, unsigned(width));
  SmallVector<LaneIndex> ofPlane;
  if (planeLoop) {
    SmallVector<LaneIndex> loops(results.rank(), LaneIndex(0));
    loops[*planeLoop] = math.lanes(k.add(k.mul(band.row, k.size(length)), from),
                                   height * length);
    ofPlane = results.shapeIndex(math, loops);
  } else {
    loopIndex[rowLoop] = math.scalar(k.add(band.row, row), height);
    loopIndex[shape.column] = math.lanes(k.index(0), length);
  }
  k.loop(band.firstLane, lanes, k.index(1), [&](Value number) {
    ElementEmitter::Scope scope(emitter);
    loopIndex[planes.lane] =
        math.scalar(k.add(band.firstPlane, number), planes.planes);
    SmallVector<LaneIndex> index = space.shapeIndex(math, loopIndex);
    if (planeLoop)
      llvm::copy(ArrayRef(ofPlane).take_back(2), index.end() - 2);
    emitter.preset(shape.anchor->getResult(0), {index},
                   load(square, k.mul(number, lanes)));
    emitter.storeResults(index);
  });
}

void InterleavedWindow::finishBand(ArrayRef<LaneIndex> loopIndex,
                                   const Band &band) {
  SmallVector<LaneIndex> loops(loopIndex);
  Value length = k.size(geometry.x.planeResults);
  if (!planeLoop)
    return k.loop(k.index(0), band.rows, k.index(1), [&](Value row) {
      ElementEmitter::Scope scope(emitter);
      finishSquare(loops, band, k.mul(row, k.index(width)), length, row);
    });
  Value all = k.mul(band.rows, length);
  k.loop(k.index(0), all, k.index(width), [&](Value from) {
    ElementEmitter::Scope scope(emitter);
    finishSquare(loops, band, from, k.sub(all, from), {});
  });
}

void InterleavedWindow::emitBand(SmallVector<LaneIndex> loopIndex, Value group,
                                 Value part) {
  const PlaneSide &y = geometry.y;
  Value first = k.mul(group, k.index(width)),
        rows = k.size(planes.rowsOfBand());
  Band band;
  band.firstPlane = k.min(first, k.size(planes.planes - width));
  band.firstLane = k.sub(first, band.firstPlane);
  band.row = k.mul(part, rows);
  band.rows = k.min(rows, k.sub(k.size(y.planeResults), band.row));
  band.line = k.sub(k.mul(band.row, k.index(y.stride)), k.index(y.low));
  Value lines = k.add(k.mul(k.sub(band.rows, k.index(1)), k.index(y.stride)),
                      k.index(y.reach() + 1));
  band.first = k.max(band.line, k.index(0));
  band.end =
      k.max(k.min(k.add(band.line, lines), k.size(y.planeInputs)), band.first);
  SmallVector<LaneIndex> side(loopIndex);
  side[planes.lane] = emitter.indices.lanes(band.firstPlane, planes.planes);
  SmallVector<LaneIndex> index = space.shapeIndex(emitter.indices, side);
  transposeLines(index, band);
  padLines(band);
  if (filters)
    copyFilters(band);
  reduceRows(index, band);
  finishBand(loopIndex, band);
}

FailureOr<KernelPlan> InterleavedWindow::run() {
  constexpr int64_t usualRows = 8;
  int64_t columns = keys.tile[0];
  // Squares begin before the first element, and end after the last one.
  elements = array((planes.positions + 2 * width + columns) * width);
  copy = array(
      (planes.positions + planes.beyond(columns) + geometry.x.low + width) *
      width);
  square = array(width * width);
  if (copiesFilters())
    filters = array(std::max(geometry.taps(), width) * width);
  SmallVector<unsigned> outer;
  for (unsigned loop = 0; loop < space.rank(); ++loop)
    if (loop != planes.lane && loop != rowLoop && loop != shape.column)
      outer.push_back(loop);
  DimExpr groups = graph::oneFactor(DimExpr::ceilDiv(planes.planes, width)),
          bands = graph::oneFactor(
              DimExpr::ceilDiv(geometry.y.planeResults, planes.rowsOfBand()));
  forEachTaskIndex(emitter, space, outer, {groups, bands},
                   [&](SmallVector<LaneIndex> loopIndex, ArrayRef<Value> part) {
                     emitBand(std::move(loopIndex), part[0], part[1]);
                   });
  PlaneGeometry usual = geometry;
  usual.setTile(usualRows, width / 2, width);
  Launch launch = k.finish(
      space.rows({planes.lane, rowLoop, shape.column}) * groups * bands,
      flopsOfPlane(k.fusion, reduced, usual) * double(width));
  KernelPlan plan;
  if (!addLaunch(plan, unlessFailed(emitter, std::move(launch))))
    return failure();
  return plan;
}

FailureOr<KernelPlan> emitInterleavedWindow(const EmissionContext &context,
                                            const WindowLoops &loops,
                                            const WindowKeys &keys,
                                            const InterleavedPlanes &planes) {
  return InterleavedWindow(context, loops, keys, planes).run();
}

} // namespace zenith::kernels
