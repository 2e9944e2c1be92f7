// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies a plane into a cached buffer with its padding, so that all positions
// are reduced by full vectors, several rows at a time. A plane of unknown size
// is cut into tiles of a known one. Tiles of which each element is read once,
// and those of volumes, are read where they lie.

#include "lowering/kernels/NCHWWindowKernel.h"
#include "lowering/builder/LaneShuffle.h"
#include "lowering/elements/LoopNests.h"
#include "lowering/elements/ReductionSteps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
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

/// Rows and columns of results that a tile has in its plane.
struct TileExtent {
  Value rows, columns;
};

/// Vectors of a row of the plane, side by side from column `first` on, and
/// their lanes that the plane has. They hold the elements that are `ahead`
/// results further on.
struct RowPart {
  int64_t ahead;
  SmallVector<Value> first, inside;
};

/// A tap along one of the dimensions beside rows, and the plane's line there.
struct LineTap {
  int64_t tap;
  Value line;
  DimExpr size; ///< of the dimension
};

class NCHWWindowKernel {
public:
  NCHWWindowKernel(const EmissionContext &context, const WindowLoops &shape,
                   const WindowKeys &keys, PlaneGeometry geometry)
      : k(context.fusion, context.dims, context.target, context.kernels,
          context.name),
        emitter(k), space(shape.space), shape(shape), keys(keys),
        geometry(geometry), conv(dyn_cast<graph::ConvolutionOp>(shape.anchor)),
        reduced(shape.anchor), element(reduced.element), width(keys.lanes) {
    emitter.indices.width = width;
    vector = VectorType::get({width}, registerType(element));
    for (unsigned loop = 0; loop < space.rank(); ++loop)
      if (loop != shape.column && loop != geometry.rowLoop)
        outer.push_back(loop);
    padsRows = mayReadPadding(shape.column);
    for (const auto &[loop, side] : geometry.others)
      downLoops.push_back(loop);
    if (geometry.rowLoop)
      downLoops.push_back(*geometry.rowLoop);
  }
  FailureOr<KernelPlan> run();

private:
  /// Stores `rows` rows by vectors of results, from a row and a column on.
  using Finish =
      llvm::function_ref<void(Value row, Value column, int64_t rows,
                              ArrayRef<int64_t> shifts, ArrayRef<Value> lanes)>;
  bool mayReadPadding(unsigned loop) const;
  Value buffer(int64_t elements);
  Value start();
  void copyPlane(Value memory, ArrayRef<LaneIndex> index);
  void copyRow(Value memory, SmallVector<LaneIndex> index, Value row,
               int64_t phase);
  Value firstOfTile(Value number);
  Value partOf(const PlaneSide &side, Value first);
  Value ofPhase(const PlaneSide &side, Value results);
  Value rowsRead();
  Value startOfPhase(Value row, int64_t phase);
  void padTileRows(Value memory, Value from, Value until, Value length);
  Value columnsInside(Value first);
  Value firstColumn(Value at, int64_t number);
  SmallVector<Value> vectorsOfRow(ArrayRef<LaneIndex> index,
                                  ArrayRef<LaneIndex> rows,
                                  const RowPart &part);
  void padBeside(ArrayRef<RowPart> parts, MutableArrayRef<Value> vectors);
  void copyPhases(Value memory, ArrayRef<LaneIndex> index, Value row, Value at,
                  const RowPart &part);
  RowPart partOfRow(Value at, int64_t ahead);
  /// Pooling of which each vector of a row is parted once for all lines.
  bool reducesRowsLast() const { return !conv && !inOrder(); }
  Value reduceAlong(ArrayRef<LaneIndex> index, ArrayRef<RowPart> parts,
                    ArrayRef<Value> vectors, ArrayRef<int64_t> down, Value sum);
  SmallVector<Value> addLine(ArrayRef<LaneIndex> index, ArrayRef<RowPart> parts,
                             ArrayRef<LineTap> lines, ArrayRef<Value> sums);
  SmallVector<Value>
  whereInside(const LineTap &line, ArrayRef<Value> sums,
              llvm::function_ref<SmallVector<Value>()> added);
  SmallVector<Value> addLines(ArrayRef<LaneIndex> index, Value row,
                              ArrayRef<RowPart> parts,
                              SmallVector<LineTap> &lines,
                              SmallVector<Value> sums);
  Value reduceLines(ArrayRef<LaneIndex> index, Value row,
                    ArrayRef<RowPart> parts);
  void reduceInPlace(ArrayRef<LaneIndex> loopIndex, ArrayRef<LaneIndex> index);
  void copyTile(Value memory, ArrayRef<LaneIndex> index);
  void storeLanes(Value memory, Value at, Value lanes);
  Value weight(ArrayRef<int64_t> down, const LaneIndex &x,
               ArrayRef<LaneIndex> index);
  bool inOrder() const { return reduced.inOrder(geometry); }
  void reduceColumns(const PlaneView &view, ArrayRef<LaneIndex> index,
                     ArrayRef<Value> at, ArrayRef<LaneIndex> taps,
                     ArrayRef<int64_t> shifts, MutableArrayRef<Value> sums);
  Value step(Value sum, Value lanes, Value weight);
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
  void finishTile(ArrayRef<LaneIndex> loopIndex, Value row, Value column,
                  int64_t rows, ArrayRef<int64_t> shifts,
                  ArrayRef<Value> lanes);
  SmallVector<LaneIndex> inputIndex(ArrayRef<LaneIndex> index,
                                    ArrayRef<LaneIndex> rows,
                                    const LaneIndex &column);

  KernelBuilder k;
  ElementEmitter emitter;
  const IterationSpace &space;
  const WindowLoops &shape;
  const WindowKeys &keys;
  PlaneGeometry geometry;
  graph::ConvolutionOp conv;
  WindowSums reduced;
  Type element;
  int64_t width;
  VectorType vector;
  SmallVector<unsigned> outer;
  /// Loops that the filter moves along, but for that of columns.
  SmallVector<unsigned> downLoops;
  Value copy,
      reducedRows; ///< the copy of the input, and its reduction along the rows
  Value tileRow, tileColumn; ///< the first result of a tile
  TileExtent tile;
  bool padsRows; ///< results of the plane may read beside its rows
  Value isPart;  ///< planes have several tiles
};

} // namespace

/// Whether a result of a plane may have taps beside it along this loop.
bool NCHWWindowKernel::mayReadPadding(unsigned loop) const {
  const WindowDim &span = *shape.spanOf(loop);
  DimExpr behind = span.behind(space.size(loop) - 1);
  return span.low > 0 ||
         !DimExpr(0).provablyAtMost(behind, /*atLeastOne=*/true);
}

/// A buffer filled with the padding value, which only copies of rows overwrite.
Value NCHWWindowKernel::buffer(int64_t elements) {
  elements = int64_t(llvm::alignTo(uint64_t(elements), uint64_t(width)));
  Value memory =
      k.b.create<memref::AllocaOp>(k.loc, MemRefType::get({elements}, element),
                                   k.b.getI64IntegerAttr(k.target.lineBytes));
  Value padding = start();
  k.loop(k.index(0), k.index(elements), k.index(width), [&](Value at) {
    k.b.create<vector::StoreOp>(k.loc, padding, memory, at);
  });
  return memory;
}

Value NCHWWindowKernel::start() {
  Value scalar =
      conv ? k.constant(registerType(element), 0.0)
           : neutralElement(emitter.kernel,
                            cast<graph::ReduceWindowOp>(shape.anchor).getKind(),
                            element, k.b.getIndexType());
  return k.broadcast(scalar, width);
}

/// Index of the anchor's input for the result at `index`, with this column, and
/// these rows along the other loops that the filter moves along.
SmallVector<LaneIndex> NCHWWindowKernel::inputIndex(ArrayRef<LaneIndex> index,
                                                    ArrayRef<LaneIndex> rows,
                                                    const LaneIndex &column) {
  SmallVector<LaneIndex> at(index);
  auto place = [&](unsigned resultDim, unsigned inputDim) {
    at[inputDim] =
        resultDim == space.dimOf(shape.column) ? column : index[resultDim];
    for (auto [loop, row] : llvm::zip(downLoops, rows))
      if (resultDim == space.dimOf(loop))
        at[inputDim] = row;
  };
  if (!conv) {
    for (unsigned dim = 0; dim < index.size(); ++dim)
      place(dim, dim);
    return at;
  }
  auto numbers = conv.getDims();
  auto type = cast<RankedTensorType>(conv.getKernel().getType());
  int64_t outputs =
      type.getDimSize(numbers.getKernelOutput()) / int64_t(conv.getGroups());
  at[numbers.getInputBatch()] = index[numbers.getOutputBatch()];
  at[numbers.getInputFeature()] =
      emitter.indices.divide(index[numbers.getOutputFeature()], outputs).first;
  for (auto [s, d] : llvm::enumerate(numbers.getInputSpatial()))
    place(unsigned(numbers.getOutputSpatial()[s]), unsigned(d));
  return at;
}

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

/// Lanes of columns from `first` on that the plane has.
Value NCHWWindowKernel::columnsInside(Value first) {
  Value none = k.index(0);
  Value inside =
      k.mask(k.max(k.sub(k.size(geometry.x.planeInputs), first), none),
             unsigned(width));
  if (geometry.x.low == 0)
    return inside;
  Value before = k.mask(k.max(k.sub(none, first), none), unsigned(width));
  Value all = k.integer(before.getType(), 1);
  return k.b.create<arith::AndIOp>(
      k.loc, inside, k.b.create<arith::XOrIOp>(k.loc, before, all));
}

/// Elements `first`, first + n, first + 2n and so on of n vectors.
static Value everyNth(KernelBuilder &k, ArrayRef<Value> vectors,
                      int64_t first) {
  int64_t n = vectors.size(),
          width = cast<VectorType>(vectors[0].getType()).getNumElements();
  return shuffled(k, vectors, [&](int64_t lane) {
    int64_t element = lane * n + first;
    return VectorLane{element / width, element % width};
  });
}

/// Vectors of the input side by side, with what they lack undefined. None where
/// one cannot be emitted.
SmallVector<Value> NCHWWindowKernel::vectorsOfRow(ArrayRef<LaneIndex> index,
                                                  ArrayRef<LaneIndex> rows,
                                                  const RowPart &part) {
  SmallVector<Value> vectors;
  for (auto [first, mask] : llvm::zip_equal(part.first, part.inside)) {
    ElementEmitter::Scope scope(emitter);
    emitter.active.mask = mask;
    LaneIndex column = emitter.indices.lanes(first, geometry.x.planeInputs);
    Value lanes = emitter.emit(shape.anchor->getOperand(0),
                               inputIndex(index, rows, column));
    if (!lanes)
      return {};
    lanes = k.broadcast(lanes, unsigned(width));
    vectors.push_back(lanes);
  }
  return vectors;
}

/// Padding in lanes of such vectors that the plane does not have, where results
/// may read it.
void NCHWWindowKernel::padBeside(ArrayRef<RowPart> parts,
                                 MutableArrayRef<Value> vectors) {
  if (!padsRows)
    return;
  Value padding = start(), *next = vectors.begin();
  for (const RowPart &part : parts)
    for (Value mask : part.inside) {
      *next = k.b.create<arith::SelectOp>(k.loc, mask, *next, padding);
      ++next;
    }
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

/// What lies `ahead` of the results from `at` on.
RowPart NCHWWindowKernel::partOfRow(Value at, int64_t ahead) {
  RowPart part{ahead, {}, {}};
  at = k.add(at, k.index(ahead));
  for (int64_t number = 0; number < geometry.x.stride; ++number) {
    part.first.push_back(firstColumn(at, number));
    part.inside.push_back(columnsInside(part.first.back()));
  }
  return part;
}

/// The plane's column that lane 0 of vector `number` has, of those with element
/// `at` of the phases and the next ones.
Value NCHWWindowKernel::firstColumn(Value at, int64_t number) {
  const PlaneSide &x = geometry.x;
  return k.add(k.mul(k.add(tileColumn, at), k.index(x.stride)),
               k.index(number * width - x.low));
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

/// Weight of tap `x` along the row and `down` along the other dimensions; null
/// for pooling.
Value NCHWWindowKernel::weight(ArrayRef<int64_t> down, const LaneIndex &x,
                               ArrayRef<LaneIndex> index) {
  if (!conv)
    return {};
  auto numbers = conv.getDims();
  SmallVector<LaneIndex> at(index.size(), LaneIndex(0));
  at[numbers.getKernelOutput()] = index[numbers.getOutputFeature()];
  for (auto [s, d] : llvm::enumerate(numbers.getKernelSpatial())) {
    unsigned dim = unsigned(numbers.getOutputSpatial()[s]);
    if (dim == space.dimOf(shape.column))
      at[d] = x;
    for (auto [loop, tap] : llvm::zip(downLoops, down))
      if (dim == space.dimOf(loop))
        at[d] = LaneIndex(DimExpr(tap));
  }
  Value weight = emitter.emit(conv.getKernel(), at);
  return weight ? k.broadcast(weight, unsigned(width)) : start();
}

Value NCHWWindowKernel::step(Value sum, Value lanes, Value weight) {
  if (!conv)
    return reduceStep(emitter,
                      cast<graph::ReduceWindowOp>(shape.anchor).getKind(),
                      element, sum, lanes);
  if (k.target.fma && !inOrder())
    return k.b.create<math::FmaOp>(k.loc, lanes, weight, sum);
  return k.b.create<arith::AddFOp>(
      k.loc, sum, k.b.create<arith::MulFOp>(k.loc, lanes, weight));
}

/// Reduces the taps along a row into vectors of results; `vectors` are those of
/// all parts of the row, and `down` the tap along other dimensions.
Value NCHWWindowKernel::reduceAlong(ArrayRef<LaneIndex> index,
                                    ArrayRef<RowPart> parts,
                                    ArrayRef<Value> vectors,
                                    ArrayRef<int64_t> down, Value sum) {
  const PlaneSide &x = geometry.x;
  for (int64_t tap = 0; tap < x.taps; ++tap) {
    int64_t distance = tap * x.dilation;
    const auto *part = llvm::find_if(parts, [&](const RowPart &other) {
      return other.ahead == distance / x.stride;
    });
    auto ofPart = vectors.slice(size_t((part - parts.begin()) * x.stride),
                                size_t(x.stride));
    sum = step(sum, everyNth(k, ofPart, distance % x.stride),
               weight(down, LaneIndex(DimExpr(tap)), index));
  }
  return sum;
}

/// Adds one line of the input: to the vectors of its parts, where rows are
/// reduced last, else to the results.
SmallVector<Value> NCHWWindowKernel::addLine(ArrayRef<LaneIndex> index,
                                             ArrayRef<RowPart> parts,
                                             ArrayRef<LineTap> lines,
                                             ArrayRef<Value> sums) {
  SmallVector<LaneIndex> rows;
  SmallVector<int64_t> down;
  for (auto [tap, line, size] : lines) {
    rows.push_back(emitter.indices.scalar(line, size));
    down.push_back(tap);
  }
  SmallVector<Value> vectors;
  for (const RowPart &part : parts) {
    SmallVector<Value> some = vectorsOfRow(index, rows, part);
    if (some.empty())
      return SmallVector<Value>(sums);
    vectors.append(some);
  }
  if (!reducesRowsLast()) {
    padBeside(parts, vectors);
    return {reduceAlong(index, parts, vectors, down, sums.front())};
  }
  for (auto [sum, lanes] : llvm::zip_equal(sums, vectors))
    lanes = step(sum, lanes, {});
  return vectors;
}

/// `added` where the plane has the line, else the sums.
SmallVector<Value>
NCHWWindowKernel::whereInside(const LineTap &line, ArrayRef<Value> sums,
                              function_ref<SmallVector<Value>()> added) {
  Value inside = k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::ult,
                                           line.line, k.size(line.size));
  auto branch = k.b.create<scf::IfOp>(k.loc, ValueRange(sums).getTypes(),
                                      inside, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToEnd(branch.elseBlock());
  k.b.create<scf::YieldOp>(k.loc, sums);
  k.b.setInsertionPointToEnd(branch.thenBlock());
  ElementEmitter::Scope scope(emitter);
  k.b.create<scf::YieldOp>(k.loc, added());
  return branch.getResults();
}

/// The same for the lines of a window, but those in the padding; `lines` are
/// those of the outer dimensions.
SmallVector<Value> NCHWWindowKernel::addLines(ArrayRef<LaneIndex> index,
                                              Value row,
                                              ArrayRef<RowPart> parts,
                                              SmallVector<LineTap> &lines,
                                              SmallVector<Value> sums) {
  if (lines.size() == downLoops.size())
    return addLine(index, parts, lines, sums);
  bool isRow = lines.size() == geometry.others.size();
  const PlaneSide &side =
      isRow ? geometry.y : geometry.others[lines.size()].second;
  Value result =
      isRow
          ? k.add(tileRow, row)
          : emitter.indices.value(index[space.dimOf(downLoops[lines.size()])]);
  Value first = k.sub(k.mul(result, k.index(side.stride)), k.index(side.low));
  bool isInside = !mayReadPadding(downLoops[lines.size()]);
  for (int64_t tap = 0; tap < side.taps; ++tap) {
    Value line = k.add(first, k.index(tap * side.dilation));
    lines.push_back({tap, line, side.planeInputs});
    auto added = [&] { return addLines(index, row, parts, lines, sums); };
    sums = isInside ? added() : whereInside(lines.back(), sums, added);
    lines.pop_back();
  }
  return sums;
}

/// One vector of results of a row, from the plane itself.
Value NCHWWindowKernel::reduceLines(ArrayRef<LaneIndex> index, Value row,
                                    ArrayRef<RowPart> parts) {
  SmallVector<LineTap> lines;
  if (!reducesRowsLast())
    return addLines(index, row, parts, lines, {start()}).front();
  size_t count = parts.size() * size_t(geometry.x.stride);
  SmallVector<Value> vectors =
      addLines(index, row, parts, lines, SmallVector<Value>(count, start()));
  padBeside(parts, vectors);
  return reduceAlong(index, parts, vectors, {}, start());
}

/// Results of a tile from the plane itself: by vectors of a column, of which
/// all rows have the same padding.
void NCHWWindowKernel::reduceInPlace(ArrayRef<LaneIndex> loopIndex,
                                     ArrayRef<LaneIndex> index) {
  // Of fewer rows, the masks would be computed too often; of more, lines that
  // follow each other in memory would be read too far apart.
  constexpr int64_t rowsOfBlock = 16;
  const PlaneSide &x = geometry.x;
  auto column = [&](Value firstRow, Value at) {
    ElementEmitter::Scope scope(emitter);
    std::vector<RowPart> parts;
    for (int64_t tap = 0; tap < x.taps; ++tap)
      if (int64_t ahead = tap * x.dilation / x.stride;
          parts.empty() || parts.back().ahead != ahead)
        parts.push_back(partOfRow(at, ahead));
    Value end = k.min(k.add(firstRow, k.index(rowsOfBlock)), tile.rows);
    k.loop(firstRow, end, k.index(1), [&](Value row) {
      ElementEmitter::Scope scope(emitter);
      finishTile(loopIndex, row, at, 1, {0}, {reduceLines(index, row, parts)});
    });
  };
  k.loop(k.index(0), tile.rows, k.index(rowsOfBlock), [&](Value firstRow) {
    k.loop(k.index(0), tile.columns, k.index(width),
           [&](Value at) { column(firstRow, at); });
  });
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
      weights[column].push_back(weight(down, tap, index));
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

/// The same for results of a tile that the plane has.
void NCHWWindowKernel::finishTile(ArrayRef<LaneIndex> loopIndex, Value row,
                                  Value column, int64_t rows,
                                  ArrayRef<int64_t> shifts,
                                  ArrayRef<Value> lanes) {
  IndexMath &math = emitter.indices;
  const DimExpr &height = geometry.y.planeResults,
                &length = geometry.x.planeResults;
  // Rows share the columns of each vector, and what is masked of them.
  SmallVector<std::pair<Value, Value>> vectors;
  for (int64_t shift : shifts) {
    Value from = k.add(k.add(tileColumn, column), k.index(shift));
    vectors.push_back(
        {from, k.mask(k.max(k.sub(k.size(length), from), k.index(0)),
                      unsigned(width))});
  }
  for (int64_t r = 0; r < rows; ++r) {
    Value line = k.add(k.add(tileRow, row), k.index(r));
    for (auto [number, part] : llvm::enumerate(vectors)) {
      ElementEmitter::Scope scope(emitter);
      auto [from, mask] = part;
      emitter.active.mask = mask;
      SmallVector<LaneIndex> at(loopIndex);
      if (geometry.rowLoop)
        at[*geometry.rowLoop] = math.scalar(line, height);
      at[shape.column] = math.lanes(from, length);
      SmallVector<LaneIndex> index = space.shapeIndex(math, at);
      emitter.preset(shape.anchor->getResult(0), {index},
                     lanes[size_t(r) * vectors.size() + number]);
      emitter.storeResults(index);
    }
  }
}

void NCHWWindowKernel::plane(SmallVector<LaneIndex> loopIndex) {
  SmallVector<LaneIndex> index = space.shapeIndex(emitter.indices, loopIndex);
  if (geometry.isTile) {
    tile = {partOf(geometry.y, tileRow), partOf(geometry.x, tileColumn)};
    if (geometry.readsInPlace())
      return reduceInPlace(loopIndex, index);
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
