// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes a tile's results from the window itself where interpolated ones
// aren't finite: an infinity or a NaN among the pixels reaches all results of
// its tiles, and values at points overflow before sums of products do.

#include "lowering/kernels/MicroKernel.h"
#include "lowering/kernels/PackPanelKernel.h"
#include "lowering/kernels/TransformedWindow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

ExactTile::ExactTile(KernelBuilder &kernel, const TransformedConvolution &what,
                     Value panels, int64_t columns)
    : k(kernel), what(what), panels(panels), columns(columns),
      image(imageMemory(kernel, what)),
      type(VectorType::get({int64_t(sumLanes(what.space.sum, kernel.target))},
                           kernel.b.getF32Type())) {}

/// A pixel reaches at least one of the results at the corners, since only that
/// at infinity and that at zero of its values know the last and the first one.
Value ExactTile::isFinite(int64_t width, const SquarePlace &results) {
  int64_t last = what.transform.tile - 1, lanes = type.getNumElements();
  Value zeros = k.constant(type, 0.0);
  for (int64_t column = 0; column < width; column += lanes)
    for (int64_t i : {int64_t(0), last})
      for (int64_t j : {int64_t(0), last}) {
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

Value ExactTile::at(const SquarePlace &place, Value line, Value pixel) {
  return k.add(place.offset,
               k.add(k.mul(line, place.line), k.mul(pixel, place.pixel)));
}

void ExactTile::mend(Value tile, Value column, int64_t width,
                     const SquarePlace &results) {
  Value isWrong = k.b.create<arith::XOrIOp>(k.loc, isFinite(width, results),
                                            k.integer(k.b.getI1Type(), 1));
  k.ifThen(isWrong, [&] { compute(tile, column, width, results); });
}

void ExactTile::compute(Value tile, Value column, int64_t width,
                        const SquarePlace &results) {
  int64_t side = what.transform.tile, lanes = type.getNumElements();
  SmallVector<Value> digits =
      digitsOf(k, tile, {what.batch(), what.tileLines, what.tilesPerLine});
  SquarePlace pixels{image,
                     k.add(k.size(what.image.offset),
                           k.mul(digits[0], k.size(what.strides[0]))),
                     k.size(what.strides[1]), k.size(what.strides[2])};
  auto first = [&](unsigned dim) {
    return k.sub(k.mul(digits[1 + dim], k.index(side)), k.index(what.low[dim]));
  };
  Value y = first(0), x = first(1);
  DimExpr depths = what.features() * DimExpr(what.points() + 9);
  Value window =
      k.add(k.size(what.space.b.offset),
            k.add(k.mul(column, k.size(depths)),
                  k.size(what.features() * DimExpr(what.points() * columns))));
  k.loop(k.index(0), k.index(side), k.index(1), [&](Value i) {
    k.loop(k.index(0), k.index(side), k.index(1), [&](Value j) {
      k.loop(k.index(0), k.index(width), k.index(lanes), [&](Value own) {
        Value sum = sumOf(pixels, k.add(y, i), k.add(x, j), k.add(window, own));
        k.b.create<vector::StoreOp>(k.loc, sum, results.memory,
                                    k.add(at(results, i, j), own));
      });
    });
  });
}

/// Over the taps at line `y` and pixel `x` of the image and after them; what
/// lies outside is left out.
Value ExactTile::sumOf(const SquarePlace &pixels, Value y, Value x,
                       Value window) {
  constexpr int64_t taps = 3;
  // The lines and pixels of the window that are in the image.
  auto range = [&](Value from, const DimExpr &extent) {
    Value low =
        k.min(k.max(k.sub(k.index(0), from), k.index(0)), k.index(taps));
    Value high =
        k.min(k.max(k.sub(k.size(extent), from), k.index(0)), k.index(taps));
    return std::pair(low, high);
  };
  auto [top, bottom] = range(y, what.extents[0]);
  auto [left, right] = range(x, what.extents[1]);
  Value features = k.size(what.features()), one = k.index(1);
  auto overFeatures = [&](Value i, Value j, Value sum) {
    Value pixel = at(pixels, k.add(y, i), k.add(x, j));
    Value tap = k.mul(k.add(k.mul(i, k.index(taps)), j), features);
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
  return k.loop(
      top, bottom, one, k.constant(type, 0.0), [&](Value i, ValueRange outer) {
        return k.loop(left, right, one, outer, [&](Value j, ValueRange sums) {
          return overFeatures(i, j, sums[0]);
        });
      })[0];
}

} // namespace zenith::kernels
