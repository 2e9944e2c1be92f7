// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One vector of results at a time takes the lines of its windows from the
// plane, under masks that all rows of a tile share, and skips those in the
// padding.

#include "lowering/kernels/InPlaceWindow.h"
#include "lowering/builder/LaneShuffle.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {

/// A tap along one of the dimensions beside rows, and the plane's line there.
struct LineTap {
  int64_t tap;
  Value line;
  DimExpr size; ///< of the dimension
};

class InPlaceWindow {
public:
  explicit InPlaceWindow(PlaneWindow &window)
      : window(window), k(window.k), emitter(window.emitter),
        space(window.space), geometry(window.geometry), width(window.width) {}
  void reduceInPlace(ArrayRef<LaneIndex> loopIndex, ArrayRef<LaneIndex> index);

private:
  /// Pooling of which each vector of a row is parted once for all lines.
  bool reducesRowsLast() const { return !window.conv && !window.inOrder(); }
  Value reduceAlong(ArrayRef<LaneIndex> index, ArrayRef<RowPart> parts,
                    ArrayRef<Value> vectors, ArrayRef<LaneIndex> down,
                    Value sum);
  SmallVector<Value> addLine(ArrayRef<LaneIndex> index, ArrayRef<RowPart> parts,
                             ArrayRef<LineTap> lines, ArrayRef<Value> sums);
  SmallVector<Value> whereInside(const LineTap &line, ArrayRef<Value> sums,
                                 function_ref<SmallVector<Value>()> added);
  SmallVector<Value> addLines(ArrayRef<LaneIndex> index, Value row,
                              ArrayRef<RowPart> parts,
                              SmallVector<LineTap> &lines,
                              SmallVector<Value> sums);
  Value reduceLines(ArrayRef<LaneIndex> index, Value row,
                    ArrayRef<RowPart> parts);

  PlaneWindow &window;
  KernelBuilder &k;
  ElementEmitter &emitter;
  const IterationSpace &space;
  const PlaneGeometry &geometry;
  int64_t width;
};

} // namespace

/// Reduces the taps along a row into vectors of results; `vectors` are those of
/// all parts of the row, and `down` the tap along other dimensions.
Value InPlaceWindow::reduceAlong(ArrayRef<LaneIndex> index,
                                 ArrayRef<RowPart> parts,
                                 ArrayRef<Value> vectors,
                                 ArrayRef<LaneIndex> down, Value sum) {
  const PlaneSide &x = geometry.x;
  for (int64_t tap = 0; tap < x.taps; ++tap) {
    int64_t distance = tap * x.dilation;
    const auto *part = llvm::find_if(parts, [&](const RowPart &other) {
      return other.ahead == distance / x.stride;
    });
    auto ofPart = vectors.slice(size_t((part - parts.begin()) * x.stride),
                                size_t(x.stride));
    sum = window.step(sum, everyNth(k, ofPart, distance % x.stride),
                      window.weight(down, LaneIndex(DimExpr(tap)), index));
  }
  return sum;
}

/// Adds one line of the input: to the vectors of its parts, where rows are
/// reduced last, else to the results.
SmallVector<Value> InPlaceWindow::addLine(ArrayRef<LaneIndex> index,
                                          ArrayRef<RowPart> parts,
                                          ArrayRef<LineTap> lines,
                                          ArrayRef<Value> sums) {
  SmallVector<LaneIndex> rows, down;
  for (auto [tap, line, size] : lines) {
    rows.push_back(emitter.indices.scalar(line, size));
    down.push_back(LaneIndex(DimExpr(tap)));
  }
  SmallVector<Value> vectors;
  for (const RowPart &part : parts) {
    SmallVector<Value> some = window.vectorsOfRow(index, rows, part);
    if (some.empty())
      return SmallVector<Value>(sums);
    vectors.append(some);
  }
  if (!reducesRowsLast()) {
    window.padBeside(parts, vectors);
    return {reduceAlong(index, parts, vectors, down, sums.front())};
  }
  for (auto [sum, lanes] : llvm::zip_equal(sums, vectors))
    lanes = window.step(sum, lanes, {});
  return vectors;
}

/// `added` where the plane has the line, else the sums.
SmallVector<Value>
InPlaceWindow::whereInside(const LineTap &line, ArrayRef<Value> sums,
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
SmallVector<Value> InPlaceWindow::addLines(ArrayRef<LaneIndex> index, Value row,
                                           ArrayRef<RowPart> parts,
                                           SmallVector<LineTap> &lines,
                                           SmallVector<Value> sums) {
  if (lines.size() == window.downLoops.size())
    return addLine(index, parts, lines, sums);
  bool isRow = lines.size() == geometry.others.size();
  const PlaneSide &side =
      isRow ? geometry.y : geometry.others[lines.size()].second;
  Value result = isRow
                     ? k.add(window.tileRow, row)
                     : emitter.indices.value(
                           index[space.dimOf(window.downLoops[lines.size()])]);
  Value first = k.sub(k.mul(result, k.index(side.stride)), k.index(side.low));
  bool isInside = !window.mayReadPadding(window.downLoops[lines.size()]);
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
Value InPlaceWindow::reduceLines(ArrayRef<LaneIndex> index, Value row,
                                 ArrayRef<RowPart> parts) {
  SmallVector<LineTap> lines;
  if (!reducesRowsLast())
    return addLines(index, row, parts, lines, {window.start()}).front();
  size_t count = parts.size() * size_t(geometry.x.stride);
  SmallVector<Value> vectors = addLines(
      index, row, parts, lines, SmallVector<Value>(count, window.start()));
  window.padBeside(parts, vectors);
  return reduceAlong(index, parts, vectors, {}, window.start());
}

void InPlaceWindow::reduceInPlace(ArrayRef<LaneIndex> loopIndex,
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
        parts.push_back(window.partOfRow(at, ahead));
    Value end = k.min(k.add(firstRow, k.index(rowsOfBlock)), window.tile.rows);
    k.loop(firstRow, end, k.index(1), [&](Value row) {
      ElementEmitter::Scope scope(emitter);
      window.finishTile(loopIndex, row, at, 1, {0},
                        {reduceLines(index, row, parts)});
    });
  };
  k.loop(k.index(0), window.tile.rows, k.index(rowsOfBlock),
         [&](Value firstRow) {
           k.loop(k.index(0), window.tile.columns, k.index(width),
                  [&](Value at) { column(firstRow, at); });
         });
}

void reduceInPlace(PlaneWindow &window, ArrayRef<LaneIndex> loopIndex,
                   ArrayRef<LaneIndex> index) {
  InPlaceWindow(window).reduceInPlace(loopIndex, index);
}

} // namespace zenith::kernels
