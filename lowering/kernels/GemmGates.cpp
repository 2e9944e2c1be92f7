// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products whose columns are gates, as in recurrent networks: a task sums the
// same columns of all gates, then computes what their elements give together.

#include "ir/matchers/ColumnSlices.h"
#include "lowering/kernels/GemmNest.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

void findParts(ContractionSpace &space) {
  auto fusion = space.op->getParentOfType<graph::FusionOp>();
  auto dependent = dependents(fusion, space.op);
  for (auto slice : fusion.getBody().front().getOps<graph::SliceOp>())
    if (dependent.contains(slice.getOperand()))
      space.parts.push_back(slice);
}

LogicalResult findGates(ContractionSpace &space, graph::DimAnalysis &dims,
                        const TargetModel &target) {
  if (space.parts.empty())
    return success();
  int64_t width = tileColumns(space.sum, target),
          columns = cast<RankedTensorType>(space.parts[0].getType())
                        .getShape()
                        .back();
  auto all = space.columns.size.constant();
  auto isGate = [&](graph::SliceOp slice) {
    return slice.getType().getShape().back() == columns &&
           graph::isColumnSlice(slice, dims);
  };
  bool fits = space.form != ContractionSpace::Copied && !space.tiledDots &&
              space.outer.empty() && all && columns > 0 &&
              *all % columns == 0 && columns % width == 0 &&
              llvm::all_of(space.parts, isGate);
  if (!fits)
    return space.op->emitError(
        "unsupported: a part of a product in the same kernel");
  space.gateColumns = columns;
  space.gates = unsigned(*all / columns);
  return success();
}

/// All tiles meet a gate's panel while it is in cache.
void GemmNest::panelOfGates(Value panelNumber, Value firstTile,
                            Value lastTile) {
  Value first = k.mul(panelNumber, k.index(columns)), one = k.index(1);
  auto slot = [&](Value number) {
    return k.mul(k.sub(number, firstTile), k.index(tileSize()));
  };
  for (unsigned gate = 0; gate < space.gates; ++gate) {
    place.column = k.add(first, k.index(gate * space.gateColumns));
    Value base = panelBase();
    k.loop(firstTile, lastTile, one, [&](Value number) {
      Tile tile = locate(number, base);
      placeFilter(tile, {});
      tile.args.c = tileMemory;
      tile.args.cOffset =
          k.add(slot(number), k.index(int64_t(gate) * sumsOfGate()));
      tile.args.rowStrideC = k.index(columns);
      sumTile(tile);
    });
  }
  place.column = first;
  k.loop(firstTile, lastTile, one, [&](Value number) {
    Tile tile = locate(number, bBase);
    epilogue.finishGates(tileMemory, slot(number), sumsOfGate(), place,
                         tile.height);
  });
}

void GemmEpilogue::finishGates(Value tiles, Value tileOffset,
                               int64_t gateStride, const TilePlace &place,
                               Value rows) {
  IndexMath &math = emitter.indices;
  unsigned columnDim = space.columnDims.back();
  auto type = VectorType::get({int64_t(width)}, space.sum);
  k.loop(k.index(0), rows, k.index(1), [&](Value r) {
    ElementEmitter::Scope scope(emitter);
    Value at = k.add(tileOffset, k.mul(r, k.index(width)));
    FlatIndex flat =
        flatIndex(place, flatRow(place, k.add(place.row, r)),
                  math.lanes(place.column, space.gateColumns, width));
    for (graph::SliceOp part : space.parts) {
      int64_t first = part.getStaticStarts().back();
      Value x;
      {
        ElementEmitter::Scope ofGate(emitter);
        Value from = k.add(at, k.index(first / space.gateColumns * gateStride));
        emitter.bind(product,
                     emitter.roundTo(element, k.b.create<vector::LoadOp>(
                                                  k.loc, type, tiles, from)));
        SmallVector<LaneIndex> index = productIndex(flat);
        index[columnDim] =
            math.add(index[columnDim], LaneIndex(DimExpr(first)));
        x = emitter.emit(part.getOperand(), index);
      }
      if (!x)
        return;
      emitter.bind(part.getResult(), x);
    }
    storeResults(flat);
  });
}

} // namespace zenith::kernels
