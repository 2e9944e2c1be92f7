// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes a tile's results from the window itself where interpolated ones
// aren't finite: an infinity or a NaN among the pixels reaches all results of
// its tiles, and values at points overflow before sums of products do.

#include "lowering/kernels/PackPanels.h"
#include "lowering/microkernels/MicroKernel.h"
#include "lowering/schedule/WinogradSchedule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

NonFiniteTile::NonFiniteTile(KernelBuilder &kernel,
                             const WinogradConvolution &what, Value panels,
                             int64_t columns)
    : k(kernel), what(what), panels(panels), columns(columns),
      image(imageMemory(kernel, what)),
      type(VectorType::get({int64_t(sumLanes(what.space.sum, kernel.target))},
                           kernel.b.getF32Type())) {}

/// A pixel reaches at least one of the results at the corners, since only that
/// at infinity and that at zero of its values know the last and the first one.
Value NonFiniteTile::isFinite(int64_t width, const SquarePlace &results) {
  int64_t lanes = type.getNumElements();
  auto ends = [](const graph::WinogradTransform &along) {
    return along.tile == 1 ? SmallVector<int64_t>{0}
                           : SmallVector<int64_t>{0, along.tile - 1};
  };
  Value zeros = k.constant(type, 0.0);
  for (int64_t column = 0; column < width; column += lanes)
    for (int64_t i : ends(what.window.down))
      for (int64_t j : ends(what.window.across)) {
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

Value NonFiniteTile::at(const SquarePlace &place, Value line, Value pixel) {
  return k.add(place.offset,
               k.add(k.mul(line, place.line), k.mul(pixel, place.pixel)));
}

void NonFiniteTile::recomputeTile(Value tile, Value column, int64_t width,
                                  const SquarePlace &results) {
  Value isWrong = k.b.create<arith::XOrIOp>(k.loc, isFinite(width, results),
                                            k.integer(k.b.getI1Type(), 1));
  k.ifThen(isWrong, [&] { compute(tile, column, width, results); });
}

void NonFiniteTile::compute(Value tile, Value column, int64_t width,
                            const SquarePlace &results) {
  int64_t lanes = type.getNumElements();
  TilePixels first = pixelsOfTile(k, what, tile, what.planes);
  SquarePlace pixels{
      image, {}, k.size(what.strides[2]), k.size(what.strides[3])};
  pixels.offset = k.add(k.size(what.image.offset),
                        k.mul(first.volume, k.size(what.strides[0])));
  Value plane = k.sub(first.plane, k.index(what.low[0])),
        y = k.sub(first.line, k.index(what.low[1])),
        x = k.sub(first.pixel, k.index(what.low[2]));
  DimExpr values = what.depthOfPoint() * DimExpr(what.points() * columns);
  Value window =
      k.add(k.size(what.space.b.offset),
            k.add(k.mul(column, k.size(what.depthOfPanel())), k.size(values)));
  auto moved = [&](Value from, Value number, unsigned place) {
    return k.add(from, k.mul(number, k.index(what.dilation[place])));
  };
  Value one = k.index(1);
  k.loop(k.index(0), k.index(what.window.down.tile), one, [&](Value i) {
    k.loop(k.index(0), k.index(what.window.across.tile), one, [&](Value j) {
      k.loop(k.index(0), k.index(width), k.index(lanes), [&](Value own) {
        Value sum = sumOf(pixels, {{}, plane, moved(y, i, 1), moved(x, j, 2)},
                          k.add(window, own));
        k.b.create<vector::StoreOp>(k.loc, sum, results.memory,
                                    k.add(at(results, i, j), own));
      });
    });
  });
}

/// Of so many taps, those that meet the image from `first` on.
std::pair<Value, Value> NonFiniteTile::tapsInside(Value first, unsigned place,
                                                  int64_t taps) {
  auto tapsBefore = [&](Value pixels) {
    int64_t apart = what.dilation[place];
    Value some = k.max(pixels, k.index(0));
    return k.min(k.div(k.add(some, k.index(apart - 1)), k.index(apart)),
                 k.index(taps));
  };
  return {tapsBefore(k.sub(k.index(0), first)),
          tapsBefore(k.sub(k.size(what.extents[place]), first))};
}

/// Over the taps at a pixel and after it; what lies outside is left out.
Value NonFiniteTile::sumOf(const SquarePlace &pixels, const TilePixels &first,
                           Value window) {
  const graph::WinogradFilter &taps = what.window;
  std::pair<Value, Value> planes{k.index(0), k.index(1)};
  if (taps.planes > 1)
    planes = tapsInside(first.plane, 0, taps.planes);
  auto lines = tapsInside(first.line, 1, taps.down.taps),
       across = tapsInside(first.pixel, 2, taps.across.taps);
  Value features = k.size(what.features()), one = k.index(1);
  auto moved = [&](Value from, Value tap, unsigned place) {
    return k.add(from, k.mul(tap, k.index(what.dilation[place])));
  };
  auto overFeatures = [&](Value plane, Value i, Value j, Value sum) {
    Value pixel =
        k.add(at(pixels, moved(first.line, i, 1), moved(first.pixel, j, 2)),
              k.mul(moved(first.plane, plane, 0), k.size(what.strides[1])));
    Value line = k.add(k.mul(plane, k.index(taps.down.taps)), i);
    Value tap =
        k.mul(k.add(k.mul(line, k.index(taps.across.taps)), j), features);
    return k.loop(
        k.index(0), features, one, sum, [&](Value feature, ValueRange sums) {
          Value value = k.b.create<memref::LoadOp>(k.loc, pixels.memory,
                                                   k.add(pixel, feature));
          Value weights = k.b.create<vector::LoadOp>(
              k.loc, type, panels,
              k.add(window, k.mul(k.add(tap, feature), k.index(columns))));
          Value product = k.b.create<arith::MulFOp>(
              k.loc, k.broadcast(value, type.getNumElements()), weights);
          return SmallVector<Value>{
              k.b.create<arith::AddFOp>(k.loc, sums[0], product)};
        });
  };
  auto overPlane = [&](Value plane, ValueRange before) {
    return k.loop(lines.first, lines.second, one, before,
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
