// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gate by gate, then the epilogue of all gates.

#include "lowering/gemm/GemmGates.h"

using namespace mlir;

namespace zenith::kernels {

int64_t sumsPerGate(const GemmContext &gemm) {
  return gemm.schedule.tilesPerTask * gemm.tileSize();
}

/// All tiles meet a gate's panel while it is in cache.
void GemmGates::panel(Value number, Value firstTile, Value lastTile) {
  Value first = k.mul(number, k.index(gemm.nr)), one = k.index(1);
  auto sumsOf = [&](Value tile) {
    return k.mul(k.sub(tile, firstTile), k.index(gemm.tileSize()));
  };
  for (unsigned gate = 0; gate < gemm.space.gates; ++gate) {
    tiles.setColumn(k.add(first, k.index(gate * gemm.space.gateColumns)));
    Value base = tiles.panelBase();
    k.loop(firstTile, lastTile, one, [&](Value which) {
      GemmTile tile = tiles.locate(which, base);
      tiles.setTaps(tile, {});
      tile.args.c = gemm.accumulators;
      tile.args.cOffset =
          k.add(sumsOf(which), k.index(int64_t(gate) * sumsPerGate(gemm)));
      tile.args.rowStrideC = k.index(gemm.nr);
      kernel.sum(tile);
    });
  }
  tiles.setColumn(first);
  k.loop(firstTile, lastTile, one, [&](Value which) {
    GemmTile tile = tiles.locate(which, gemm.bBase);
    gemm.epilogue.finishGates(gemm.accumulators, sumsOf(which),
                              sumsPerGate(gemm), tiles.coordinates(),
                              tile.rows);
  });
}

} // namespace zenith::kernels
