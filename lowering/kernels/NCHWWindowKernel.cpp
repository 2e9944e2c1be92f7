// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies a plane into a cached buffer with its padding, so that all positions
// are reduced by full vectors, several rows at a time. A plane of unknown size
// is cut into tiles of a known one. Tiles of which each element is read once,
// and those of volumes, are read where they lie.

#include "lowering/kernels/NCHWWindowKernel.h"
#include "lowering/builder/LaneShuffle.h"
#include "lowering/elements/LoopNests.h"
#include "lowering/kernels/InPlaceWindow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {

/// Rows of a buffer, and the taps that are reduced from them.
struct PlaneView {
  Value memory;
  int64_t rowStride, phaseStride;
  PlaneSide y, x;
};

class NCHWWindowKernel : PlaneWindow {
public:
  NCHWWindowKernel(const EmissionContext &context, const WindowLoops &shape,
                   const WindowKeys &keys, PlaneGeometry geometry)
      : PlaneWindow(context, shape, keys, geometry) {
    for (unsigned loop = 0; loop < space.rank(); ++loop)
      if (loop != shape.column && loop != geometry.rowLoop)
        outer.push_back(loop);
  }
  FailureOr<KernelPlan> run();

private:
  /// Stores `rows` rows by vectors of results, from a row and a column on.
  using Finish =
      llvm::function_ref<void(Value row, Value column, int64_t rows,
                              ArrayRef<int64_t> shifts, ArrayRef<Value> lanes)>;
  void copyPlane(Value memory, ArrayRef<LaneIndex> index);
  void copyRow(Value memory, SmallVector<LaneIndex> index, Value row,
               int64_t phase);
  Value firstOfTile(Value number);
  Value partOf(const PlaneSide &side, Value first);
  Value ofPhase(const PlaneSide &side, Value results);
  Value rowsRead();
  Value startOfPhase(Value row, int64_t phase);
  void padTileRows(Value memory, Value from, Value until, Value length);
  void copyPhases(Value memory, ArrayRef<LaneIndex> index, Value row, Value at,
                  const RowPart &part);
  void copyTile(Value memory, ArrayRef<LaneIndex> index);
  void storeLanes(Value memory, Value at, Value lanes);
  void reduceColumns(const PlaneView &view, ArrayRef<LaneIndex> index,
                     ArrayRef<Value> at, ArrayRef<LaneIndex> taps,
                     ArrayRef<int64_t> shifts, MutableArrayRef<Value> sums);
  void reduceBlocks(const PlaneView &view, ArrayRef<LaneIndex> index,
                    const TileExtent &extent, int64_t rows, int64_t ofBlock,
                    Finish finish);
  int64_t vectorsOf(const PlaneView &view) const;
  Value vectorsIn(const TileExtent &extent);
  void reduce(const PlaneView &view, ArrayRef<LaneIndex> index,
              const TileExtent &extent, Finish finish);
  void reduceExtent(const PlaneView &view, ArrayRef<LaneIndex> index,
                    const TileExtent &extent, int64_t size, Finish finish);
  SmallVector<Value> reduceBlock(const PlaneView &view,
                                 ArrayRef<LaneIndex> index, Value row,
                                 Value column, int64_t rows,
                                 ArrayRef<int64_t> shifts);
  void plane(SmallVector<LaneIndex> loopIndex);
  void finish(ArrayRef<LaneIndex> loopIndex, Value row, Value column,
              int64_t rows, ArrayRef<int64_t> shifts, ArrayRef<Value> lanes);

  SmallVector<unsigned> outer;
  Value copy,
      reducedRows; ///< the copy of the input, and its reduction along the rows
  Value isPart;    ///< planes have several tiles
};

} // namespace

void NCHWWindowKernel::storeLanes(Value memory, Value at, Value lanes) {
  if (emitter.active.mask)
    k.b.create<vector::MaskedStoreOp>(k.loc, memory, at, emitter.active.mask,
                                      lanes);
  else
    k.b.create<vector::StoreOp>(k.loc, lanes, memory, at);
}

/// Copies the columns of one phase; the last vector overlaps the one before
/// where needed.
void NCHWWindowKernel::copyRow(Value memory, SmallVector<LaneIndex> index,
                               Value row, int64_t phase) {
  const PlaneSide &x = geometry.x;
  IndexMath &math = emitter.indices;
  int64_t first = ((phase - x.low) % x.stride + x.stride) % x.stride;
  int64_t count = (x.inputs - first + x.stride - 1) / x.stride;
  if (count <= 0)
    return;
  bool whole = count >= width;
  int64_t offset =
      phase * geometry.phaseStride(width) + (first + x.low) / x.stride;
  auto some = [&](Value from) {
    ElementEmitter::Scope scope(emitter);
    emitter.active.mask =
        whole ? Value() : k.mask(k.index(count), unsigned(width));
    LaneIndex column = math.shift(math.scale(math.lanes(from, count), x.stride),
                                  DimExpr(first));
    LaneIndex at = math.scalar(row, geometry.y.inputs);
    Value lanes = emitter.emit(shape.anchor->getOperand(0),
                               inputIndex(index, at, column));
    if (!lanes)
      return;
    Value to = k.mul(k.add(row, k.index(geometry.y.low)),
                     k.index(geometry.rowStride(width)));
    storeLanes(memory, k.add(k.add(to, from), k.index(offset)),
               k.broadcast(lanes, unsigned(width)));
  };
  if (!whole) {
    some(k.index(0));
    return;
  }
  Value last = k.index(count - width);
  k.loop(k.index(0), k.index(count), k.index(width),
         [&](Value at) { some(k.min(at, last)); });
}

void NCHWWindowKernel::copyPlane(Value memory, ArrayRef<LaneIndex> index) {
  int64_t rows =
      std::min(geometry.y.inputs, geometry.y.padded() - geometry.y.low);
  k.loop(k.index(0), k.index(rows), k.index(1), [&](Value row) {
    ElementEmitter::Scope scope(emitter);
    for (int64_t phase = 0; phase < geometry.x.stride; ++phase)
      copyRow(memory, SmallVector<LaneIndex>(index), row, phase);
  });
}

/// Results of a tile along a side, the first of which is `first`, that the
/// plane has.
Value NCHWWindowKernel::partOf(const PlaneSide &side, Value first) {
  return k.min(k.sub(k.size(side.planeResults), first), k.index(side.results));
}

/// Elements of a phase that so many results read.
Value NCHWWindowKernel::ofPhase(const PlaneSide &side, Value results) {
  return k.min(k.add(results, k.index(side.reach() / side.stride)),
               k.index(side.ofPhase()));
}

/// Rows of the copy that the results of a tile read.
Value NCHWWindowKernel::rowsRead() {
  const PlaneSide &y = geometry.y;
  return k.add(k.mul(k.sub(tile.rows, k.index(1)), k.index(y.stride)),
               k.index(y.reach() + 1));
}

/// Where a phase of a row of the copy begins.
Value NCHWWindowKernel::startOfPhase(Value row, int64_t phase) {
  return k.add(k.mul(row, k.index(geometry.rowStride(width))),
               k.index(phase * geometry.phaseStride(width)));
}

/// Rows of padding, of which `length` elements of each phase are read. What the
/// last vector of a phase writes beyond is written again later, or not read.
void NCHWWindowKernel::padTileRows(Value memory, Value from, Value until,
                                   Value length) {
  Value padding = start();
  k.loop(from, until, k.index(1), [&](Value row) {
    for (int64_t phase = 0; phase < geometry.x.stride; ++phase) {
      Value to = startOfPhase(row, phase);
      k.loop(k.index(0), length, k.index(width), [&](Value at) {
        k.b.create<vector::StoreOp>(k.loc, padding, memory, k.add(to, at));
      });
    }
  });
}

/// One vector of each phase of a row, from element `at` of the phases on.
void NCHWWindowKernel::copyPhases(Value memory, ArrayRef<LaneIndex> index,
                                  Value row, Value at, const RowPart &part) {
  const PlaneSide &x = geometry.x, &y = geometry.y;
  Value line =
      k.sub(k.add(k.mul(tileRow, k.index(y.stride)), row), k.index(y.low));
  SmallVector<Value> vectors =
      vectorsOfRow(index, emitter.indices.scalar(line, y.planeInputs), part);
  if (!vectors.empty())
    padBeside(part, vectors);
  for (int64_t phase = 0; !vectors.empty() && phase < x.stride; ++phase)
    k.b.create<vector::StoreOp>(k.loc, everyNth(k, vectors, phase), memory,
                                k.add(startOfPhase(row, phase), at));
}

/// Vectors of the rows side by side, of which all rows have the same padding. A
/// tile that is all of its plane has the rows of padding of the one before, at
/// the same place.
void NCHWWindowKernel::copyTile(Value memory, ArrayRef<LaneIndex> index) {
  const PlaneSide &x = geometry.x, &y = geometry.y;
  Value rows = rowsRead(), length = ofPhase(x, tile.columns);
  Value before = k.sub(k.index(y.low), k.mul(tileRow, k.index(y.stride)));
  Value first = k.min(k.max(before, k.index(0)), rows);
  Value end = k.max(k.min(k.add(before, k.size(y.planeInputs)), rows), first);
  k.ifThen(isPart, [&] { padTileRows(memory, k.index(0), first, length); });
  // The last vector overlaps the one before, rather than the next phase.
  Value last = k.max(k.sub(length, k.index(width)), k.index(0));
  k.loop(k.index(0), length, k.index(width), [&](Value number) {
    ElementEmitter::Scope scope(emitter);
    Value at = k.min(number, last);
    RowPart part = partOfRow(at, 0);
    k.loop(first, end, k.index(1), [&](Value row) {
      ElementEmitter::Scope scope(emitter);
      copyPhases(memory, index, row, at, part);
    });
  });
  k.ifThen(isPart, [&] { padTileRows(memory, end, rows, length); });
}

/// Reduces columns of taps into rows by vectors of results: each vector of the
/// plane is read once for all results that it belongs to, and a result takes
/// the taps of these columns row by row.
void NCHWWindowKernel::reduceColumns(const PlaneView &view,
                                     ArrayRef<LaneIndex> index,
                                     ArrayRef<Value> at,
                                     ArrayRef<LaneIndex> taps,
                                     ArrayRef<int64_t> shifts,
                                     MutableArrayRef<Value> sums) {
  const PlaneSide &y = view.y;
  int64_t rows = int64_t(sums.size() / shifts.size());
  std::vector<SmallVector<Value>> weights(taps.size());
  for (auto [column, tap] : llvm::enumerate(taps))
    for (int64_t down = 0; down < y.taps; ++down)
      weights[column].push_back(weight(LaneIndex(DimExpr(down)), tap, index));
  int64_t lines = (rows - 1) * y.stride + y.reach() + 1;
  for (int64_t line = 0; line < lines; ++line)
    for (auto [column, offset] : llvm::enumerate(at))
      for (auto [number, shift] : llvm::enumerate(shifts)) {
        Value lanes;
        for (int64_t row = 0; row < rows; ++row) {
          int64_t distance = line - row * y.stride,
                  down = distance / y.dilation;
          if (distance < 0 || distance % y.dilation || down >= y.taps)
            continue;
          if (!lanes)
            lanes = k.b.create<vector::LoadOp>(
                k.loc, vector, view.memory,
                k.add(offset, k.index(line * view.rowStride + shift)));
          Value &sum = sums[size_t(row) * shifts.size() + number];
          sum = step(sum, lanes, weights[column][size_t(down)]);
        }
      }
}

/// Rows by vectors of results, the first taps of which are at `column` plus a
/// shift.
SmallVector<Value> NCHWWindowKernel::reduceBlock(const PlaneView &view,
                                                 ArrayRef<LaneIndex> index,
                                                 Value row, Value column,
                                                 int64_t rows,
                                                 ArrayRef<int64_t> shifts) {
  constexpr int64_t unrolled = 96;
  const PlaneSide &x = view.x;
  SmallVector<Value> sums(size_t(rows) * shifts.size(), start());
  Value base =
      k.add(k.mul(row, k.index(view.y.stride * view.rowStride)), column);
  if (x.stride == 1 && x.taps * view.y.taps * int64_t(sums.size()) > unrolled)
    return k.loop(k.index(0), k.index(x.taps), k.index(1), sums,
                  [&](Value tap, ValueRange carried) {
                    ElementEmitter::Scope scope(emitter);
                    SmallVector<Value> next(carried);
                    Value at = k.add(base, k.mul(tap, k.index(x.dilation)));
                    reduceColumns(view, index, at,
                                  emitter.indices.scalar(tap, x.taps), shifts,
                                  next);
                    return next;
                  });
  SmallVector<Value> at;
  SmallVector<LaneIndex> taps;
  for (int64_t tap = 0; tap < x.taps; ++tap) {
    int64_t distance = tap * x.dilation;
    int64_t offset =
        distance % x.stride * view.phaseStride + distance / x.stride;
    at.push_back(k.add(base, k.index(offset)));
    taps.push_back(LaneIndex(DimExpr(tap)));
  }
  if (inOrder())
    reduceColumns(view, index, at, taps, shifts, sums);
  else // keeps the weights of one column in registers
    for (auto [offset, tap] : llvm::zip_equal(at, taps))
      reduceColumns(view, index, offset, tap, shifts, sums);
  return sums;
}

/// All results of a view, in blocks of `rows` rows by `ofBlock` vectors. The
/// last block of rows, of columns, and of a row's vectors overlaps the one
/// before where needed, and computes the same results again.
void NCHWWindowKernel::reduceBlocks(const PlaneView &view,
                                    ArrayRef<LaneIndex> index,
                                    const TileExtent &extent, int64_t rows,
                                    int64_t ofBlock, Finish finish) {
  int64_t blocks = (vectorsOf(view) + ofBlock - 1) / ofBlock;
  int64_t lastShift = blocks == 1 ? std::max<int64_t>(0, view.x.results - width)
                                  : (ofBlock - 1) * width;
  SmallVector<int64_t> shifts;
  for (int64_t number = 0; number < ofBlock; ++number)
    shifts.push_back(std::min(number * width, lastShift));
  Value rowsEnd = extent.rows ? extent.rows : k.index(view.y.results),
        lastRow = k.sub(rowsEnd, k.index(rows)),
        lastColumn =
            k.index(blocks == 1 ? 0 : view.x.results - ofBlock * width),
        blocksEnd = k.index(blocks);
  if (extent.columns && blocks > 1) {
    Value vectors = vectorsIn(extent);
    blocksEnd = k.div(k.add(vectors, k.index(ofBlock - 1)), k.index(ofBlock));
    lastColumn = k.min(lastColumn,
                       k.mul(k.sub(vectors, k.index(ofBlock)), k.index(width)));
  }
  k.loop(k.index(0), rowsEnd, k.index(rows), [&](Value at) {
    ElementEmitter::Scope scope(emitter);
    Value row = k.min(at, lastRow);
    auto block = [&](Value column) {
      ElementEmitter::Scope scope(emitter);
      finish(row, column, rows, shifts,
             reduceBlock(view, index, row, column, rows, shifts));
    };
    if (blocks == 1)
      block(k.index(0));
    else
      k.loop(k.index(0), blocksEnd, k.index(1), [&](Value number) {
        block(k.min(k.mul(number, k.index(ofBlock * width)), lastColumn));
      });
  });
}

int64_t NCHWWindowKernel::vectorsOf(const PlaneView &view) const {
  return (view.x.results + width - 1) / width;
}

Value NCHWWindowKernel::vectorsIn(const TileExtent &extent) {
  return k.div(k.add(extent.columns, k.index(width - 1)), k.index(width));
}

/// All results of a view that are in `extent`, if it is given, in blocks that
/// fill the registers.
void NCHWWindowKernel::reduce(const PlaneView &view, ArrayRef<LaneIndex> index,
                              const TileExtent &extent, Finish finish) {
  // More steps are too much code.
  constexpr int64_t mostSteps = 128;
  int64_t most = std::clamp<int64_t>(mostSteps / view.y.taps, 1, keys.keep);
  int64_t vectors = vectorsOf(view);
  if (extent.rows)
    return reduceExtent(view, index, extent,
                        std::min(std::max(view.y.results, vectors), most),
                        finish);
  // Rows share more of what they read than neighbouring vectors, where filters
  // have several rows.
  int64_t rows = std::max<int64_t>(
      1, std::min(view.y.results, view.y.taps > 1 ? most : most / 4));
  int64_t blocks = (vectors * rows + most - 1) / most;
  reduceBlocks(view, index, extent, rows, (vectors + blocks - 1) / blocks,
               finish);
}

/// Blocks of `size` rows, or vectors where there is one row; smaller blocks of
/// a view that has fewer of them.
void NCHWWindowKernel::reduceExtent(const PlaneView &view,
                                    ArrayRef<LaneIndex> index,
                                    const TileExtent &extent, int64_t size,
                                    Finish finish) {
  constexpr int64_t fewest = 4;
  bool byRows = view.y.results > 1;
  auto blocks = [&] {
    ElementEmitter::Scope scope(emitter);
    reduceBlocks(view, index, extent, byRows ? size : 1, byRows ? 1 : size,
                 finish);
  };
  if (size == 1)
    return blocks();
  Value count = byRows ? extent.rows : vectorsIn(extent);
  Value isFull = k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::sge,
                                           count, k.index(size));
  auto branch = k.b.create<scf::IfOp>(k.loc, isFull, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPoint(branch.thenBlock()->getTerminator());
  blocks();
  k.b.setInsertionPoint(branch.elseBlock()->getTerminator());
  reduceExtent(view, index, extent, size > fewest ? size / 2 : 1, finish);
}

/// The epilogue and the stores.
void NCHWWindowKernel::finish(ArrayRef<LaneIndex> loopIndex, Value row,
                              Value column, int64_t rows,
                              ArrayRef<int64_t> shifts, ArrayRef<Value> lanes) {
  IndexMath &math = emitter.indices;
  const PlaneSide &x = geometry.x;
  if (x.results < width)
    emitter.active.mask = k.mask(k.index(x.results), unsigned(width));
  std::vector<SmallVector<LaneIndex>> indices;
  LaneIndex firstRow = math.scalar(row, geometry.y.results - (rows - 1));
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t shift : shifts) {
      SmallVector<LaneIndex> at(loopIndex);
      if (geometry.rowLoop)
        at[*geometry.rowLoop] = math.shift(firstRow, DimExpr(r));
      at[shape.column] =
          math.shift(math.lanes(column, x.results - shift), DimExpr(shift));
      indices.push_back(space.shapeIndex(math, at));
    }
  emitter.preset(shape.anchor->getResult(0), indices, lanes);
  for (ArrayRef<LaneIndex> index : indices)
    emitter.storeResults(index);
}

void NCHWWindowKernel::plane(SmallVector<LaneIndex> loopIndex) {
  SmallVector<LaneIndex> index = space.shapeIndex(emitter.indices, loopIndex);
  if (geometry.isTile) {
    tile = {partOf(geometry.y, tileRow), partOf(geometry.x, tileColumn)};
    if (geometry.readsInPlace())
      return reduceInPlace(*this, loopIndex, index);
    copyTile(copy, index);
  } else {
    copyPlane(copy, index);
  }
  PlaneView view{copy, geometry.rowStride(width), geometry.phaseStride(width),
                 geometry.y, geometry.x};
  if (reducedRows) {
    PlaneView rows = view;
    rows.y = {geometry.y.padded(), 1, 0, 1, 1, 1};
    int64_t stride = std::max(geometry.x.results, width);
    TileExtent extent = tile;
    if (extent.rows)
      extent.rows = rowsRead();
    reduce(rows, index, extent,
           [&](Value row, Value column, int64_t count, ArrayRef<int64_t> shifts,
               ArrayRef<Value> lanes) {
             Value to = k.add(k.mul(row, k.index(stride)), column);
             for (int64_t r = 0; r < count; ++r)
               for (auto [number, shift] : llvm::enumerate(shifts))
                 k.b.create<vector::StoreOp>(
                     k.loc, lanes[size_t(r) * shifts.size() + number],
                     reducedRows, k.add(to, k.index(r * stride + shift)));
           });
    view.memory = reducedRows;
    view.rowStride = stride;
    view.x.taps = view.x.stride = view.x.dilation = 1;
  }
  reduce(view, index, tile,
         [&](Value row, Value column, int64_t count, ArrayRef<int64_t> shifts,
             ArrayRef<Value> lanes) {
           if (geometry.isTile)
             finishTile(loopIndex, row, column, count, shifts, lanes);
           else
             finish(loopIndex, row, column, count, shifts, lanes);
         });
}

/// The plane of a tile, whose first result becomes known. A plane that is one
/// tile needs no division.
Value NCHWWindowKernel::firstOfTile(Value number) {
  if (!geometry.isTile)
    return number;
  const PlaneSide &x = geometry.x, &y = geometry.y;
  auto index = k.b.getIndexType();
  auto branch = k.b.create<scf::IfOp>(k.loc, TypeRange{index, index, index},
                                      isPart, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToEnd(branch.thenBlock());
  Value columns = k.size(DimExpr::ceilDiv(x.planeResults, x.results)),
        rows = k.size(DimExpr::ceilDiv(y.planeResults, y.results)),
        line = k.div(number, columns);
  k.b.create<scf::YieldOp>(
      k.loc, ValueRange{k.div(line, rows),
                        k.mul(k.rem(line, rows), k.index(y.results)),
                        k.mul(k.rem(number, columns), k.index(x.results))});
  k.b.setInsertionPointToEnd(branch.elseBlock());
  Value zero = k.index(0);
  k.b.create<scf::YieldOp>(k.loc, ValueRange{number, zero, zero});
  tileRow = branch.getResult(1);
  tileColumn = branch.getResult(2);
  return branch.getResult(0);
}

FailureOr<KernelPlan> NCHWWindowKernel::run() {
  if (!geometry.readsInPlace())
    copy = buffer(geometry.elements(width));
  if (reduced.reducesRows(geometry))
    reducedRows =
        buffer(geometry.y.padded() * std::max(geometry.x.results, width));
  SmallVector<unsigned> fixed{shape.column};
  if (geometry.rowLoop)
    fixed.push_back(*geometry.rowLoop);
  DimExpr planes = space.rows(fixed) * geometry.tiles();
  isPart = k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::ne,
                                     k.size(geometry.tiles()), k.index(1));
  double flops = flopsOfPlane(k.fusion, reduced, geometry);
  int64_t ofTask = keys.block.front();
  k.loop(k.begin(), k.end(), k.index(1), [&](Value task) {
    Value from = k.mul(task, k.index(ofTask));
    Value to = k.min(k.add(from, k.index(ofTask)), k.size(planes));
    k.loop(from, to, k.index(1), [&](Value number) {
      ElementEmitter::Scope scope(emitter);
      SmallVector<LaneIndex> loopIndex(space.rank(), LaneIndex(0));
      unflattenRow(emitter, space, outer, firstOfTile(number), loopIndex);
      plane(std::move(loopIndex));
    });
  });
  Launch launch =
      k.finish(DimExpr::ceilDiv(planes, ofTask), flops * double(ofTask));
  KernelPlan plan;
  if (!addLaunch(plan, unlessFailed(emitter, std::move(launch))))
    return failure();
  return plan;
}

FailureOr<KernelPlan> emitNCHWWindow(const EmissionContext &context,
                                     const WindowLoops &loops,
                                     const WindowKeys &keys) {
  PlaneGeometry geometry = *PlaneGeometry::of(loops);
  if (geometry.isTile)
    geometry.setTile(keys.block[1], keys.block[2], keys.lanes);
  return NCHWWindowKernel(context, loops, keys, geometry).run();
}

} // namespace zenith::kernels
