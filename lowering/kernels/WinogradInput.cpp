// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates tiles of an image at the points of a transform; those that reach
// beyond it are copied first, with zeros around.

#include "lowering/kernels/PackPanels.h"
#include "lowering/microkernels/MicroKernel.h"
#include "lowering/microkernels/WinogradTransforms.h"
#include "lowering/schedule/WinogradSchedule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

Value imageMemory(KernelBuilder &k, const WinogradConvolution &what) {
  return what.image.scratch
             ? k.scratch(what.image.index, memoryType(what.image.element))
             : k.operand(what.image.index);
}

WinogradInput::WinogradInput(KernelBuilder &kernel,
                             const WinogradConvolution &what)
    : k(kernel), what(what), lanes(kernel.target.lanes) {
  int64_t features = *what.features().constant();
  while (features % lanes)
    lanes /= 2;
  image = imageMemory(k, what);
  square = asMemory(
      k.b, k.loc,
      k.b.create<memref::AllocaOp>(
          k.loc, MemRefType::get({what.points() * features}, k.b.getF32Type()),
          k.b.getI64IntegerAttr(k.target.lineBytes)));
}

void WinogradInput::evaluate(Value first, Value last, Value to, Value offset,
                             Value tileStride, Value pointStride) {
  k.loop(first, last, k.index(1), [&](Value number) {
    Value before = k.mul(k.sub(number, first), tileStride);
    tile(number, to, k.add(offset, before), pointStride);
  });
}

static Value isWithin(KernelBuilder &k, Value at, const DimExpr &extent) {
  return k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::ult, at,
                                   k.size(extent));
}

/// All pixels of a tile, given the first one, are in the image.
Value WinogradInput::isInside(const TilePixels &pixels) {
  Value all;
  auto require = [&](Value holds) {
    all =
        all ? k.b.create<arith::AndIOp>(k.loc, all, holds).getResult() : holds;
  };
  auto requireRange = [&](Value first, unsigned place, int64_t size) {
    Value span = k.index((size - 1) * what.dilation[place] + 1);
    require(k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::sge, first,
                                      k.index(0)));
    require(k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::sle,
                                      k.add(first, span),
                                      k.size(what.extents[place])));
  };
  requireRange(pixels.line, 1, what.window.down.size);
  requireRange(pixels.pixel, 2, what.window.across.size);
  if (what.window.planes > 1)
    require(isWithin(k, pixels.plane, what.extents[0]));
  return all;
}

/// Pixels of a tile, of which the first is, or would be, at `base`.
void WinogradInput::copySquare(Value base, const TilePixels &pixels) {
  int64_t down = what.window.down.size, across = what.window.across.size;
  auto type = VectorType::get({int64_t(lanes)}, k.b.getF32Type());
  Value features = k.size(what.features()), step = k.index(lanes);
  auto both = [&](Value x, Value y) -> Value {
    return k.b.create<arith::AndIOp>(k.loc, x, y);
  };
  k.loop(k.index(0), k.index(down), k.index(1), [&](Value i) {
    Value y = k.mul(i, k.index(what.dilation[1]));
    Value isLine = isWithin(k, k.add(pixels.line, y), what.extents[1]);
    if (what.window.planes > 1)
      isLine = both(isLine, isWithin(k, pixels.plane, what.extents[0]));
    Value line = k.add(base, k.mul(y, k.size(what.strides[2])));
    k.loop(k.index(0), k.index(across), k.index(1), [&](Value j) {
      Value x = k.mul(j, k.index(what.dilation[2]));
      Value isPixel =
          both(isLine, isWithin(k, k.add(pixels.pixel, x), what.extents[2]));
      Value to = k.mul(k.add(k.mul(i, k.index(across)), j), features);
      auto branch =
          k.b.create<scf::IfOp>(k.loc, isPixel, /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(k.b);
      auto store = [&](Value pixel, Value channel) {
        k.b.create<vector::StoreOp>(k.loc, pixel, square, k.add(to, channel));
      };
      k.b.setInsertionPoint(branch.thenBlock()->getTerminator());
      Value from = k.add(line, k.mul(x, k.size(what.strides[3])));
      k.loop(k.index(0), features, step, [&](Value channel) {
        store(k.b.create<vector::LoadOp>(k.loc, type, image,
                                         k.add(from, channel)),
              channel);
      });
      k.b.setInsertionPoint(branch.elseBlock()->getTerminator());
      k.loop(k.index(0), features, step,
             [&](Value channel) { store(k.constant(type, 0.0), channel); });
    });
  });
}

void WinogradInput::tile(Value number, Value to, Value at, Value pointStride) {
  Value across = k.index(what.window.across.size),
        features = k.size(what.features());
  TilePixels first = pixelsOfTile(k, what, number, what.valuePlanes());
  first.plane = k.sub(first.plane, k.index(what.low[0]));
  first.line = k.sub(first.line, k.index(what.low[1]));
  first.pixel = k.sub(first.pixel, k.index(what.low[2]));
  Value base = k.size(what.image.offset);
  Value place[] = {first.volume, first.plane, first.line, first.pixel};
  for (auto [own, stride] : llvm::zip_equal(place, what.strides))
    base = k.add(base, k.mul(own, k.size(stride)));
  auto apart = [&](unsigned place) {
    return k.size(what.strides[1 + place] * DimExpr(what.dilation[place]));
  };
  SquarePlace values{to, at, k.mul(across, pointStride), pointStride};
  auto branch =
      k.b.create<scf::IfOp>(k.loc, isInside(first), /*withElseRegion=*/true);
  Value line = apart(1), pixel = apart(2);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPoint(branch.thenBlock()->getTerminator());
  callEvaluate(k, what.window, lanes, {image, base, line, pixel}, values,
               features);
  k.b.setInsertionPoint(branch.elseBlock()->getTerminator());
  copySquare(base, first);
  callEvaluate(k, what.window, lanes,
               {square, k.index(0), k.mul(across, features), features}, values,
               features);
}

Launch emitInputTransform(KernelBuilder &k, const WinogradConvolution &what) {
  constexpr int64_t numbersOfTask = 16384;
  int64_t ofTile = what.points() * *what.features().constant(),
          perTask = std::max<int64_t>(1, numbersOfTask / ofTile);
  Value to = k.scratch(what.values, k.b.getF32Type());
  WinogradInput evaluator(k, what);
  k.loop(k.begin(), k.end(), k.index(1), [&](Value task) {
    Value first = k.mul(task, k.index(perTask));
    Value last = k.min(k.add(first, k.index(perTask)), k.size(what.tiles()));
    Value features = k.size(what.features());
    evaluator.evaluate(first, last, to, k.mul(first, features), features,
                       k.size(what.pointStride(what.tiles())));
  });
  return k.finish(DimExpr::ceilDiv(what.tiles(), DimExpr(perTask)),
                  double(8 * ofTile * perTask));
}

} // namespace zenith::kernels
