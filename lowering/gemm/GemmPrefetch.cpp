// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tiles of a GEMM prefetch, and how far ahead it lies.

#include "lowering/gemm/GemmPrefetch.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

int64_t panelsOfTile(const GemmContext &gemm) {
  const ContractionSpace &space = gemm.space;
  return space.form == ContractionSpace::Panels && space.panel < gemm.nr
             ? gemm.nr / space.panel
             : 1;
}

decltype(MicroKernel::prefetch) policyOf(const sched::Prefetch &prefetch) {
  switch (prefetch.kind) {
  case sched::Prefetch::Lines:
    return PrefetchB{unsigned(prefetch.number), unsigned(prefetch.ahead)};
  case sched::Prefetch::Panel:
    return PrefetchNextPanel();
  case sched::Prefetch::Rows:
    return PrefetchNextRows();
  case sched::Prefetch::Open:
  case sched::Prefetch::None:
    break;
  }
  return NoPrefetch();
}

/// Tile number `tile` prefetches its share of the lines of the next panel.
static Value nextPanel(const GemmContext &gemm, Value tile) {
  int64_t lineBytes = gemm.k.target.lineBytes;
  KernelBuilder &k = gemm.k;
  const ContractionSpace &space = gemm.space;
  MicroKernel kernel;
  kernel.mr = gemm.mr;
  kernel.vectors = gemm.nr / sumLanes(space.sum, k.target);
  int64_t elementBytes =
      std::max(1u, space.b.element.getIntOrFloatBitWidth() / 8);
  int64_t lines = std::max<int64_t>(1, kUnroll(kernel) * gemm.nr *
                                           elementBytes / lineBytes);
  bool byTaps = gemm.schedule.kBlocks() > 1 && !space.taps.empty();
  int64_t panels = panelsOfTile(gemm);
  DimExpr next = byTaps ? space.taps.front().axis.strideB
                 : gemm.schedule.reuses(BlockedK::Tile)
                     ? DimExpr(0)
                     : space.panelElements() * DimExpr(panels);
  Value line = k.rem(tile, k.index(lines)), from = k.size(next);
  if (panels > 1) {
    Value ofPanel = k.index(lines / panels);
    from =
        k.add(from, k.mul(k.div(line, ofPanel), k.size(space.panelElements())));
    line = k.rem(line, ofPanel);
  }
  return k.add(from, k.mul(line, k.index(lineBytes / elementBytes)));
}

Value prefetchDistance(const GemmContext &gemm, Value tile) {
  const sched::Prefetch &prefetch = gemm.schedule.prefetch.tiles;
  if (prefetch.kind == sched::Prefetch::Panel)
    return nextPanel(gemm, tile);
  if (prefetch.kind != sched::Prefetch::Rows)
    return {};
  return gemm.k.mul(gemm.k.index(prefetch.number),
                    gemm.k.size(gemm.space.rowAxis.strideA));
}

} // namespace zenith::kernels
