// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transforms input tiles where they lie; tiles that reach into the padding are
// copied first, with zeros for the padding.

#include "lowering/gemm/WinogradInput.h"
#include "lowering/builder/RowTasks.h"
#include "lowering/builder/SharedFunction.h"
#include "lowering/microkernels/MicroKernel.h"
#include "lowering/microkernels/WinogradTransforms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

WinogradInput::WinogradInput(KernelBuilder &kernel,
                             const WinogradSchedule &schedule)
    : k(kernel), schedule(schedule), lanes(kernel.target.lanes) {
  int64_t features = *schedule.features().constant();
  while (features % lanes)
    lanes /= 2;
  input = inputMemory(k, schedule);
  tileCopy = asMemory(
      k.b, k.loc,
      k.b.create<memref::AllocaOp>(
          k.loc,
          MemRefType::get({schedule.points() * features}, k.b.getF32Type()),
          k.b.getI64IntegerAttr(k.target.lineBytes)));
}

void WinogradInput::transform(Value first, Value last, Value to, Value offset,
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

/// Whether all positions of the tile that begins at `first` are in the input.
Value WinogradInput::isInside(const SpatialPosition &first) {
  Value all;
  auto require = [&](Value holds) {
    all =
        all ? k.b.create<arith::AndIOp>(k.loc, all, holds).getResult() : holds;
  };
  auto requireRange = [&](Value first, unsigned axis, int64_t size) {
    Value span = k.index((size - 1) * schedule.dilation[axis] + 1);
    require(k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::sge, first,
                                      k.index(0)));
    require(k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::sle,
                                      k.add(first, span),
                                      k.size(schedule.extents[axis])));
  };
  requireRange(first.y, 1, schedule.filter.down.size);
  requireRange(first.x, 2, schedule.filter.across.size);
  if (schedule.filter.planes > 1)
    require(isWithin(k, first.plane, schedule.extents[0]));
  return all;
}

/// Copies the positions of a tile, of which the first is, or would be, at
/// `base`.
void WinogradInput::copyTile(Value base, const SpatialPosition &first) {
  int64_t down = schedule.filter.down.size,
          across = schedule.filter.across.size;
  auto type = VectorType::get({int64_t(lanes)}, k.b.getF32Type());
  Value features = k.size(schedule.features()), step = k.index(lanes);
  auto both = [&](Value x, Value y) -> Value {
    return k.b.create<arith::AndIOp>(k.loc, x, y);
  };
  k.loop(k.index(0), k.index(down), k.index(1), [&](Value i) {
    Value y = k.mul(i, k.index(schedule.dilation[1]));
    Value rowIsInside = isWithin(k, k.add(first.y, y), schedule.extents[1]);
    if (schedule.filter.planes > 1)
      rowIsInside =
          both(rowIsInside, isWithin(k, first.plane, schedule.extents[0]));
    Value row = k.add(base, k.mul(y, k.size(schedule.strides[2])));
    k.loop(k.index(0), k.index(across), k.index(1), [&](Value j) {
      Value x = k.mul(j, k.index(schedule.dilation[2]));
      Value isInside = both(
          rowIsInside, isWithin(k, k.add(first.x, x), schedule.extents[2]));
      Value to = k.mul(k.add(k.mul(i, k.index(across)), j), features);
      auto branch =
          k.b.create<scf::IfOp>(k.loc, isInside, /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(k.b);
      auto store = [&](Value vector, Value channel) {
        k.b.create<vector::StoreOp>(k.loc, vector, tileCopy,
                                    k.add(to, channel));
      };
      k.b.setInsertionPoint(branch.thenBlock()->getTerminator());
      Value from = k.add(row, k.mul(x, k.size(schedule.strides[3])));
      k.loop(k.index(0), features, step, [&](Value channel) {
        store(k.b.create<vector::LoadOp>(k.loc, type, input,
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
  Value across = k.index(schedule.filter.across.size),
        features = k.size(schedule.features());
  SpatialPosition first =
      positionOfTile(k, schedule, number, schedule.inputPlanes());
  first.plane = k.sub(first.plane, k.index(schedule.low[0]));
  first.y = k.sub(first.y, k.index(schedule.low[1]));
  first.x = k.sub(first.x, k.index(schedule.low[2]));
  Value base = k.size(schedule.input.offset);
  Value coordinates[] = {first.volume, first.plane, first.y, first.x};
  for (auto [own, stride] : llvm::zip_equal(coordinates, schedule.strides))
    base = k.add(base, k.mul(own, k.size(stride)));
  auto apart = [&](unsigned axis) {
    return k.size(schedule.strides[1 + axis] *
                  DimExpr(schedule.dilation[axis]));
  };
  TileView transformed{to, at, k.mul(across, pointStride), pointStride};
  auto branch =
      k.b.create<scf::IfOp>(k.loc, isInside(first), /*withElseRegion=*/true);
  Value strideY = apart(1), strideX = apart(2);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPoint(branch.thenBlock()->getTerminator());
  callInputTransform(k, schedule.filter, lanes, {input, base, strideY, strideX},
                     transformed, features);
  k.b.setInsertionPoint(branch.elseBlock()->getTerminator());
  copyTile(base, first);
  callInputTransform(k, schedule.filter, lanes,
                     {tileCopy, k.index(0), k.mul(across, features), features},
                     transformed, features);
}

Launch emitInputTransform(KernelBuilder &k, const WinogradSchedule &schedule) {
  int64_t ofTile = schedule.points() * *schedule.features().constant(),
          perTask = schedule.tilesPerTransform;
  Value to = k.scratch(schedule.transformed, k.b.getF32Type());
  WinogradInput input(k, schedule);
  k.loop(k.begin(), k.end(), k.index(1), [&](Value task) {
    Value first = k.mul(task, k.index(perTask));
    Value last =
        k.min(k.add(first, k.index(perTask)), k.size(schedule.tiles()));
    Value features = k.size(schedule.features());
    input.transform(first, last, to, k.mul(first, features), features,
                    k.size(schedule.pointStride(schedule.tiles())));
  });
  return k.finish(DimExpr::ceilDiv(schedule.tiles(), DimExpr(perTask)),
                  double(8 * ofTile * perTask));
}

} // namespace zenith::kernels
