// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs rows of A in the order in which they lie in memory.

#include "lowering/gemm/GemmRowPacking.h"
#include "lowering/builder/SharedFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/bit.h"

using namespace mlir;

namespace zenith::kernels {

/// An odd number of cache lines, so that tiles are spread over the cache's
/// sets.
int64_t GemmRowPacking::tileElements() const {
  int64_t lines = (gemm.mr * gemm.schedule.kc() + 15) / 16;
  return 16 * (lines | 1);
}

GemmRowPacking::GemmRowPacking(const GemmContext &gemm)
    : gemm(gemm), k(gemm.k), space(gemm.space),
      packed(asMemory(k.b, k.loc,
                      gemm.allocate(gemm.schedule.tilesPerTask * tileElements(),
                                    memoryType(gemm.space.a.element)))) {}

/// Copies one k of a tile's rows, which are contiguous in the copy.
void GemmRowPacking::packK(Value from, Value to, const GemmTile &tile,
                           Value firstRow) {
  auto byElement = [&] {
    k.loop(k.index(0), tile.rows, k.index(1), [&](Value row) {
      Value x = k.b.create<memref::LoadOp>(
          k.loc, gemm.a, k.add(from, k.mul(row, tile.args.rowStride)));
      k.b.create<memref::StoreOp>(k.loc, x, packed, k.add(to, row));
    });
  };
  if (!space.rowAxis.strideA.isConstant(1)) {
    byElement();
    return;
  }
  // Copies MR rows, where so many follow in memory.
  Value fits = k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::sle,
                                         k.add(firstRow, k.index(gemm.mr)),
                                         k.size(space.rowAxis.size));
  auto branch = k.b.create<scf::IfOp>(k.loc, fits, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPoint(branch.thenBlock()->getTerminator());
  for (int64_t row = 0, size; row < gemm.mr; row += size) {
    size = int64_t(llvm::bit_floor(uint64_t(gemm.mr - row)));
    auto type = VectorType::get({size}, memoryType(space.a.element));
    Value x = k.b.create<vector::LoadOp>(k.loc, type, gemm.a,
                                         k.add(from, k.index(row)));
    k.b.create<vector::StoreOp>(k.loc, x, packed, k.add(to, k.index(row)));
  }
  k.b.setInsertionPoint(branch.elseBlock()->getTerminator());
  byElement();
}

void GemmRowPacking::pack(GemmTiles &tiles, Value kBlock, Value firstTile,
                          Value lastTile) {
  tiles.setColumn(k.index(0));
  Value one = k.index(1);
  auto tileAt = [&](Value number) {
    GemmTile tile = tiles.locate(number, gemm.bBase);
    tiles.takeKBlock(tile, kBlock);
    return tile;
  };
  k.loop(k.index(0), tileAt(firstTile).args.kSize, one, [&](Value at) {
    k.loop(firstTile, lastTile, one, [&](Value number) {
      GemmTile tile = tileAt(number);
      Value from = k.add(tile.args.aOffset, k.mul(at, tile.args.kStrideA));
      // The next k are on other pages, which hardware prefetchers do not enter.
      Value ahead =
          k.mul(k.index(gemm.schedule.blockedK()->kAhead), tile.args.kStrideA);
      k.b.create<memref::PrefetchOp>(k.loc, gemm.a, k.add(from, ahead),
                                     /*isWrite=*/false, /*localityHint=*/3,
                                     /*isDataCache=*/true);
      Value to = k.mul(k.sub(number, firstTile), k.index(tileElements()));
      packK(from, k.add(to, k.mul(at, k.index(gemm.mr))), tile,
            tiles.coordinates().row);
    });
  });
}

void GemmRowPacking::redirect(GemmTile &tile, Value number, Value firstTile) {
  tile.args.a = packed;
  tile.args.aOffset = k.mul(k.sub(number, firstTile), k.index(tileElements()));
  tile.args.rowStride = k.index(1);
  tile.args.kStrideA = k.index(gemm.mr);
}

} // namespace zenith::kernels
