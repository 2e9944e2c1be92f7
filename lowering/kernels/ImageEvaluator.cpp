// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates tiles of an image at the points of a transform; those that reach
// beyond it are copied first, with zeros around.

#include "lowering/kernels/MicroKernel.h"
#include "lowering/kernels/PackPanelKernel.h"
#include "lowering/kernels/PointTransform.h"
#include "lowering/kernels/TransformedWindow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

Value imageMemory(KernelBuilder &k, const TransformedConvolution &what) {
  return what.image.scratch
             ? k.scratch(what.image.index, memoryType(what.image.element))
             : k.operand(what.image.index);
}

ImageEvaluator::ImageEvaluator(KernelBuilder &kernel,
                               const TransformedConvolution &what)
    : k(kernel), what(what), lanes(kernel.target.lanes) {
  int64_t features = *what.features().constant();
  while (features % lanes)
    lanes /= 2;
  image = imageMemory(k, what);
  int64_t pixels = what.transform.size * what.transform.size;
  square = asMemory(k.b, k.loc,
                    k.b.create<memref::AllocaOp>(
                        k.loc,
                        MemRefType::get({pixels * features}, k.b.getF32Type()),
                        k.b.getI64IntegerAttr(64)));
}

void ImageEvaluator::evaluate(Value first, Value last, Value to, Value offset,
                              Value planeStride) {
  k.loop(first, last, k.index(1), [&](Value number) {
    Value before = k.mul(k.sub(number, first), k.size(what.features()));
    tile(number, to, k.add(offset, before), planeStride);
  });
}

/// All pixels from line `y` and pixel `x` on are in the image.
Value ImageEvaluator::isInside(Value y, Value x) {
  Value all, size = k.index(what.transform.size);
  auto require = [&](arith::CmpIPredicate predicate, Value x, Value y) {
    Value holds = k.b.create<arith::CmpIOp>(k.loc, predicate, x, y);
    all =
        all ? k.b.create<arith::AndIOp>(k.loc, all, holds).getResult() : holds;
  };
  require(arith::CmpIPredicate::sge, y, k.index(0));
  require(arith::CmpIPredicate::sge, x, k.index(0));
  require(arith::CmpIPredicate::sle, k.add(y, size), k.size(what.extents[0]));
  require(arith::CmpIPredicate::sle, k.add(x, size), k.size(what.extents[1]));
  return all;
}

/// Pixels from line `y` and pixel `x` on, of which the first is, or would be,
/// at `base`.
void ImageEvaluator::copySquare(Value base, Value y, Value x) {
  int64_t size = what.transform.size;
  auto type = VectorType::get({int64_t(lanes)}, k.b.getF32Type());
  Value features = k.size(what.features()), step = k.index(lanes);
  auto within = [&](Value at, const DimExpr &extent) -> Value {
    return k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::ult, at,
                                     k.size(extent));
  };
  k.loop(k.index(0), k.index(size), k.index(1), [&](Value i) {
    Value isLine = within(k.add(y, i), what.extents[0]);
    Value line = k.add(base, k.mul(i, k.size(what.strides[1])));
    k.loop(k.index(0), k.index(size), k.index(1), [&](Value j) {
      Value isPixel = k.b.create<arith::AndIOp>(
          k.loc, isLine, within(k.add(x, j), what.extents[1]));
      Value to = k.mul(k.add(k.mul(i, k.index(size)), j), features);
      auto branch =
          k.b.create<scf::IfOp>(k.loc, isPixel, /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(k.b);
      auto store = [&](Value pixel, Value channel) {
        k.b.create<vector::StoreOp>(k.loc, pixel, square, k.add(to, channel));
      };
      k.b.setInsertionPoint(branch.thenBlock()->getTerminator());
      Value from = k.add(line, k.mul(j, k.size(what.strides[2])));
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

void ImageEvaluator::tile(Value number, Value to, Value at, Value planeStride) {
  Value size = k.index(what.transform.size), features = k.size(what.features());
  SmallVector<Value> digits =
      digitsOf(k, number, {what.batch(), what.tileLines, what.tilesPerLine});
  Value y = k.sub(k.mul(digits[1], k.index(what.transform.tile)),
                  k.index(what.low[0])),
        x = k.sub(k.mul(digits[2], k.index(what.transform.tile)),
                  k.index(what.low[1]));
  Value line = k.size(what.strides[1]), pixel = k.size(what.strides[2]);
  Value base = k.add(k.add(k.size(what.image.offset),
                           k.mul(digits[0], k.size(what.strides[0]))),
                     k.add(k.mul(y, line), k.mul(x, pixel)));
  SquarePlace values{to, at, k.mul(size, planeStride), planeStride};
  auto branch =
      k.b.create<scf::IfOp>(k.loc, isInside(y, x), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPoint(branch.thenBlock()->getTerminator());
  callEvaluate(k, what.transform, lanes, {image, base, line, pixel}, values,
               features);
  k.b.setInsertionPoint(branch.elseBlock()->getTerminator());
  copySquare(base, y, x);
  callEvaluate(k, what.transform, lanes,
               {square, k.index(0), k.mul(size, features), features}, values,
               features);
}

Launch emitImageValues(KernelBuilder &k, const TransformedConvolution &what) {
  constexpr int64_t numbersOfTask = 16384;
  int64_t ofTile = what.points() * *what.features().constant(),
          perTask = std::max<int64_t>(1, numbersOfTask / ofTile);
  Value to = k.scratch(what.values, k.b.getF32Type());
  ImageEvaluator evaluator(k, what);
  k.loop(k.begin(), k.end(), k.index(1), [&](Value task) {
    Value first = k.mul(task, k.index(perTask));
    Value last = k.min(k.add(first, k.index(perTask)), k.size(what.tiles()));
    evaluator.evaluate(first, last, to, k.mul(first, k.size(what.features())),
                       k.size(what.planeStride(what.tiles())));
  });
  return k.finish(DimExpr::ceilDiv(what.tiles(), DimExpr(perTask)),
                  double(8 * ofTile * perTask));
}

} // namespace zenith::kernels
