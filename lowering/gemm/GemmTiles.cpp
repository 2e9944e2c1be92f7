// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses of tiles, and the taps at which their rows do not read padding.

#include "lowering/gemm/GemmTiles.h"
#include "lowering/builder/SharedFunction.h"
#include "lowering/gemm/GemmPrefetch.h"
#include "lowering/schedule/gemm/TileHeights.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

const TapAxis *clippedK(const ContractionSpace &space) {
  return space.rowAxisIsOutermost && space.taps.back().clipped
             ? &space.taps.back()
             : nullptr;
}

GemmTiles::GemmTiles(GemmContext &gemm)
    : gemm(gemm), k(gemm.k), space(gemm.space) {
  bool balances = balancesTiles(space);
  DimExpr low =
      DimExpr::floorDiv(space.rowAxis.size, gemm.schedule.tilesPerRowAxis);
  lowHeight = balances ? k.size(low) : k.index(gemm.mr);
  higher =
      balances
          ? k.size(space.rowAxis.size - low * gemm.schedule.tilesPerRowAxis)
          : Value();
  if (clippedTap())
    prepareZeros();
}

const TapAxis *GemmTiles::clippedTap() const {
  return !space.taps.empty() && space.taps.back().clipped &&
                 space.taps.back().clip.outerRow < 0
             ? &space.taps.back()
             : nullptr;
}

void GemmTiles::prepareZeros() {
  Type element = memoryType(space.a.element);
  int64_t count = std::max<int64_t>(1, *space.kAxis.size.constant());
  Value row = gemm.allocate(count, element);
  Value zero = isa<FloatType>(element) ? k.constant(element, 0.0)
                                       : k.integer(element, 0);
  k.loop(k.index(0), k.index(count), k.index(1),
         [&](Value i) { k.b.create<memref::StoreOp>(k.loc, zero, row, i); });
  zeros = asMemory(k.b, k.loc, row);
}

void GemmTiles::beginTask(Value outerIteration) {
  Value flat = outerIteration;
  at.outer.assign(space.outer.size(), Value());
  gemm.aBase = k.size(space.a.offset);
  gemm.bBase = k.size(space.b.offset);
  for (unsigned i = space.outer.size(); i-- > 0;) {
    const Axis &axis = space.outer[i].axis;
    at.outer[i] = i ? k.rem(flat, k.size(axis.size)) : flat;
    flat = i ? k.div(flat, k.size(axis.size)) : flat;
    gemm.aBase = k.add(gemm.aBase, k.mul(at.outer[i], k.size(axis.strideA)));
    gemm.bBase = k.add(gemm.bBase, k.mul(at.outer[i], k.size(axis.strideB)));
  }
}

Value GemmTiles::tilesToDiagonal(Value lastPanel) {
  Value lastColumn = k.sub(k.mul(lastPanel, k.index(gemm.nr)), k.index(1));
  return k.add(k.div(lastColumn, lowHeight), k.index(1));
}

Value GemmTiles::panelBase() {
  if (copies)
    return copies->panelBase(at.column);
  if (space.form != ContractionSpace::Panels)
    return k.add(gemm.bBase, k.mul(at.column, k.size(space.columns.strideB)));
  Value wide = k.index(space.panel);
  Value base = k.mul(k.div(at.column, wide), k.size(space.panelElements()));
  if (space.panel > gemm.nr)
    base =
        k.add(base, k.mul(k.rem(at.column, wide), k.index(space.kInterleave)));
  return k.add(gemm.bBase, base);
}

/// Number of a tile in its row axis, and the outer row that it belongs to.
std::pair<Value, Value> GemmTiles::inRowAxis(Value number) {
  if (space.outerRows.empty())
    return {number, k.index(0)};
  Value count =
      k.size(space.rowAxisIsOutermost ? space.outerRowCount()
                                      : gemm.schedule.tilesPerRowAxis);
  Value inner = k.rem(number, count), outer = k.div(number, count);
  return space.rowAxisIsOutermost ? std::make_pair(outer, inner)
                                  : std::make_pair(inner, outer);
}

/// First row of tile `inAxis` of a row axis, or the end of the last one's.
Value GemmTiles::rowInAxis(Value inAxis) {
  Value row = k.mul(inAxis, lowHeight);
  return higher ? k.add(row, k.min(inAxis, higher))
                : k.min(row, k.size(space.rowAxis.size));
}

Value GemmTiles::firstRow(Value number) {
  auto [inAxis, outerRow] = inRowAxis(number);
  Value row = rowInAxis(inAxis);
  if (space.rowAxisIsOutermost)
    return k.add(k.mul(row, k.size(space.outerRowCount())), outerRow);
  return k.add(k.mul(outerRow, k.size(space.rowAxis.size)), row);
}

GemmTile GemmTiles::locate(Value number, Value panelBase) {
  auto [inAxis, outerRow] = inRowAxis(number);
  GemmTile tile;
  MicroKernelArgs &args = tile.args;
  args.a = gemm.a, args.b = copies ? copies->memory() : gemm.b;
  args.aOffset = gemm.aBase, args.bOffset = panelBase;
  at.outerRows.assign(space.outerRows.size(), Value());
  for (unsigned i = space.outerRows.size(); i-- > 0;) {
    Value size = k.size(space.outerRows[i].size);
    at.outerRows[i] = i ? k.rem(outerRow, size) : outerRow;
    outerRow = i ? k.div(outerRow, size) : outerRow;
    args.aOffset =
        k.add(args.aOffset,
              k.mul(at.outerRows[i], k.size(space.outerRows[i].strideA)));
  }
  at.row = rowInAxis(inAxis);
  tile.rows = lowHeight;
  if (!higher) {
    tile.rows = k.min(lowHeight, k.sub(k.size(space.rowAxis.size), at.row));
  } else if (k.constantOf(higher) != 0) {
    Value isHigher = k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::slt,
                                               inAxis, higher);
    tile.rows = k.add(tile.rows, k.b.create<arith::SelectOp>(
                                     k.loc, isHigher, k.index(1), k.index(0)));
  }
  args.rowStride = k.size(space.rowAxis.strideA);
  args.aOffset = k.add(args.aOffset, k.mul(at.row, args.rowStride));
  args.kSize = k.size(space.kAxis.size);
  args.kStrideA = k.size(space.kAxis.strideA);
  args.kStrideB = copies ? k.index(gemm.nr) : k.size(space.kAxis.strideB);
  tile.columns = k.sub(k.size(space.columns.size), at.column);
  if (panelsOfTile(gemm) > 1)
    args.panelStride = k.size(space.panelElements());
  args.ahead = prefetchDistance(gemm, number);
  return tile;
}

/// The first of `count` taps that an outer row reads inside of the input, and
/// the one after the last.
std::pair<Value, Value> GemmTiles::insideTaps(const Clip &clip, Value count) {
  Value position =
      k.sub(k.mul(at.outerRows[clip.outerRow], k.index(clip.stride)),
            k.index(clip.low));
  Value first = ceilDiv(k.max(k.sub(k.index(0), position), k.index(0)),
                        clip.dilation),
        last = ceilDiv(k.max(k.sub(k.size(clip.extent), position), k.index(0)),
                       clip.dilation);
  return {first, k.min(count, last)};
}

/// Sets the taps of the tile, without those at which the rows of all tiles of
/// the outer row read padding.
void GemmTiles::clipTaps(MicroKernelArgs &args, Value kBlock) {
  unsigned slot = 3 - space.taps.size();
  for (const TapAxis &tap : space.taps) {
    MicroKernelArgs::Tap &to = args.taps[slot++];
    to = {k.size(tap.axis.size), k.size(tap.axis.strideA),
          k.size(tap.axis.strideB)};
    Value first = k.index(0), last = to.count;
    if (tap.clipped && tap.clip.outerRow >= 0 && &tap != clippedK(space))
      std::tie(first, last) = insideTaps(tap.clip, to.count);
    if (kBlock && &tap == &space.taps.front()) {
      first = k.max(first, kBlock);
      last = k.min(last, k.add(kBlock, k.index(1)));
    }
    to.count = k.max(k.sub(last, first), k.index(0));
    args.aOffset = k.add(args.aOffset, k.mul(first, to.strideA));
    args.bOffset = k.add(args.bOffset, k.mul(first, to.strideB));
  }
}

/// No row of the tile reads padding at any tap.
Value GemmTiles::isInside(Value rows, const MicroKernelArgs &args) {
  Value lastRow = k.mul(k.sub(rows, k.index(1)), args.rowStep);
  Value lastTap = k.mul(k.sub(args.taps[2].count, k.index(1)), args.tapStep);
  Value last = k.add(args.position, k.add(lastRow, lastTap));
  Value low = k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::sge,
                                        args.position, k.index(0));
  Value high = k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::slt, last,
                                         args.extent);
  return k.b.create<arith::AndIOp>(k.loc, low, high);
}

void GemmTiles::setTaps(GemmTile &tile, Value kBlock) {
  MicroKernelArgs &args = tile.args;
  for (MicroKernelArgs::Tap &tap : args.taps)
    tap = {k.index(1), k.index(0), k.index(0)};
  clipTaps(args, kBlock);
  if (const TapAxis *ofK = clippedK(space)) {
    auto [first, last] = insideTaps(ofK->clip, args.kSize);
    args.kSize = k.sub(last, first);
    args.aOffset = k.add(args.aOffset, k.mul(first, args.kStrideA));
    args.bOffset = k.add(args.bOffset, k.mul(first, args.kStrideB));
  }
  const TapAxis *clipped = clippedTap();
  if (!clipped)
    return;
  const Clip &clip = clipped->clip;
  args.zeros = zeros;
  args.position = k.sub(k.mul(at.row, k.index(clip.stride)), k.index(clip.low));
  args.rowStep = k.index(clip.stride);
  args.tapStep = k.index(clip.dilation);
  args.extent = k.size(clip.extent);
  tile.inside = isInside(tile.rows, args);
}

void GemmTiles::takeKBlock(GemmTile &tile, Value kBlock) {
  MicroKernelArgs &args = tile.args;
  const GemmSchedule &schedule = gemm.schedule;
  if (!space.taps.empty()) {
    setTaps(tile, kBlock);
    if (schedule.widens())
      args.bOffset = k.sub(
          args.bOffset, k.mul(kBlock, k.index(schedule.taskPanels->elements)));
    return;
  }
  Value first = k.mul(kBlock, k.index(schedule.kc()));
  args.kSize = k.min(k.sub(args.kSize, first), k.index(schedule.kc()));
  args.aOffset = k.add(args.aOffset, k.mul(first, args.kStrideA));
  // Copies hold the block alone.
  if (!copies)
    args.bOffset = k.add(args.bOffset, k.mul(first, args.kStrideB));
}

} // namespace zenith::kernels
