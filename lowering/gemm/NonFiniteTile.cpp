// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recomputes an output tile from the filter itself where the output transform
// is not finite: an infinity or a NaN in the input reaches all results of its
// tiles, and transformed values overflow before direct sums do.

#include "lowering/gemm/NonFiniteTile.h"
#include "lowering/microkernels/MicroKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

NonFiniteTile::NonFiniteTile(KernelBuilder &kernel,
                             const WinogradSchedule &schedule, Value panels,
                             int64_t columns)
    : k(kernel), schedule(schedule), panels(panels), columns(columns),
      input(inputMemory(kernel, schedule)),
      type(VectorType::get(
          {int64_t(sumLanes(schedule.space.sum, kernel.target))},
          kernel.b.getF32Type())) {}

/// Checks the corners of the tile only. Each input position reaches at least
/// one of them: the point at zero contributes to the first result alone, and
/// the point at infinity to the last one alone.
Value NonFiniteTile::isFinite(int64_t width, const TileView &results) {
  int64_t lanes = type.getNumElements();
  auto ends = [](const graph::WinogradTransform &along) {
    return along.tile == 1 ? SmallVector<int64_t>{0}
                           : SmallVector<int64_t>{0, along.tile - 1};
  };
  Value zeros = k.constant(type, 0.0);
  for (int64_t column = 0; column < width; column += lanes)
    for (int64_t i : ends(schedule.filter.down))
      for (int64_t j : ends(schedule.filter.across)) {
        Value x = k.b.create<vector::LoadOp>(
            k.loc, type, results.memory,
            k.add(at(results, k.index(i), k.index(j)), k.index(column)));
        // Zero, or NaN.
        Value zero = k.b.create<arith::SubFOp>(k.loc, x, x);
        zeros = k.b.create<arith::AddFOp>(k.loc, zeros, zero);
      }
  Value sum =
      k.b.create<vector::ReductionOp>(k.loc, vector::CombiningKind::ADD, zeros);
  return k.b.create<arith::CmpFOp>(k.loc, arith::CmpFPredicate::ORD, sum, sum);
}

Value NonFiniteTile::at(const TileView &view, Value y, Value x) {
  return k.add(view.offset,
               k.add(k.mul(y, view.strideY), k.mul(x, view.strideX)));
}

void NonFiniteTile::recomputeTile(Value tile, Value column, int64_t width,
                                  const TileView &results) {
  Value isWrong = k.b.create<arith::XOrIOp>(k.loc, isFinite(width, results),
                                            k.integer(k.b.getI1Type(), 1));
  k.ifThen(isWrong, [&] { compute(tile, column, width, results); });
}

void NonFiniteTile::compute(Value tile, Value column, int64_t width,
                            const TileView &results) {
  int64_t lanes = type.getNumElements();
  SpatialPosition first = positionOfTile(k, schedule, tile, schedule.planes);
  TileView positions{
      input, {}, k.size(schedule.strides[2]), k.size(schedule.strides[3])};
  positions.offset = k.add(k.size(schedule.input.offset),
                           k.mul(first.volume, k.size(schedule.strides[0])));
  Value plane = k.sub(first.plane, k.index(schedule.low[0])),
        y = k.sub(first.y, k.index(schedule.low[1])),
        x = k.sub(first.x, k.index(schedule.low[2]));
  DimExpr points =
      schedule.kOfPoint() * DimExpr(schedule.filter.storedPoints() * columns);
  Value filter =
      k.add(k.size(schedule.space.b.offset),
            k.add(k.mul(column, k.size(schedule.kOfPanel())), k.size(points)));
  auto moved = [&](Value from, Value number, unsigned axis) {
    return k.add(from, k.mul(number, k.index(schedule.dilation[axis])));
  };
  Value one = k.index(1);
  k.loop(k.index(0), k.index(schedule.filter.down.tile), one, [&](Value i) {
    k.loop(k.index(0), k.index(schedule.filter.across.tile), one, [&](Value j) {
      k.loop(k.index(0), k.index(width), k.index(lanes), [&](Value own) {
        Value sum =
            sumOf(positions, {{}, plane, moved(y, i, 1), moved(x, j, 2)},
                  k.add(filter, own));
        k.b.create<vector::StoreOp>(k.loc, sum, results.memory,
                                    k.add(at(results, i, j), own));
      });
    });
  });
}

/// The taps, of `taps` taps from input position `first` on, that are not in the
/// padding: first and end.
std::pair<Value, Value> NonFiniteTile::tapsInside(Value first, unsigned axis,
                                                  int64_t taps) {
  auto tapsBefore = [&](Value positions) {
    int64_t apart = schedule.dilation[axis];
    Value some = k.max(positions, k.index(0));
    return k.min(k.div(k.add(some, k.index(apart - 1)), k.index(apart)),
                 k.index(taps));
  };
  return {tapsBefore(k.sub(k.index(0), first)),
          tapsBefore(k.sub(k.size(schedule.extents[axis]), first))};
}

/// Sum over the taps from input position `first` on; taps in the padding are
/// left out.
Value NonFiniteTile::sumOf(const TileView &positions,
                           const SpatialPosition &first, Value filter) {
  const graph::WinogradFilter &taps = schedule.filter;
  std::pair<Value, Value> planes{k.index(0), k.index(1)};
  if (taps.planes > 1)
    planes = tapsInside(first.plane, 0, taps.planes);
  auto rows = tapsInside(first.y, 1, taps.down.taps),
       across = tapsInside(first.x, 2, taps.across.taps);
  Value features = k.size(schedule.features()), one = k.index(1);
  auto moved = [&](Value from, Value tap, unsigned axis) {
    return k.add(from, k.mul(tap, k.index(schedule.dilation[axis])));
  };
  auto overFeatures = [&](Value plane, Value i, Value j, Value sum) {
    Value position =
        k.add(at(positions, moved(first.y, i, 1), moved(first.x, j, 2)),
              k.mul(moved(first.plane, plane, 0), k.size(schedule.strides[1])));
    Value row = k.add(k.mul(plane, k.index(taps.down.taps)), i);
    Value tap =
        k.mul(k.add(k.mul(row, k.index(taps.across.taps)), j), features);
    return k.loop(
        k.index(0), features, one, sum, [&](Value feature, ValueRange sums) {
          Value value = k.b.create<memref::LoadOp>(k.loc, positions.memory,
                                                   k.add(position, feature));
          Value weights = k.b.create<vector::LoadOp>(
              k.loc, type, panels,
              k.add(filter, k.mul(k.add(tap, feature), k.index(columns))));
          Value product = k.b.create<arith::MulFOp>(
              k.loc, k.broadcast(value, type.getNumElements()), weights);
          return SmallVector<Value>{
              k.b.create<arith::AddFOp>(k.loc, sums[0], product)};
        });
  };
  auto overPlane = [&](Value plane, ValueRange before) {
    return k.loop(rows.first, rows.second, one, before,
                  [&](Value i, ValueRange outer) {
                    return k.loop(across.first, across.second, one, outer,
                                  [&](Value j, ValueRange sums) {
                                    return overFeatures(plane, i, j, sums[0]);
                                  });
                  });
  };
  return k.loop(planes.first, planes.second, one, k.constant(type, 0.0),
                overPlane)[0];
}

} // namespace zenith::kernels
