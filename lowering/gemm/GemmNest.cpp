// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops around the micro-kernel: tasks, panels, tiles of balanced height, then
// the epilogue.

#include "lowering/gemm/GemmNest.h"
#include "lowering/gemm/GemmCodedRows.h"
#include "lowering/gemm/GemmGates.h"
#include "lowering/gemm/GemmKBlocks.h"
#include "lowering/gemm/GemmSweep.h"
#include "lowering/schedule/KBlocking.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {

class GemmNest {
public:
  GemmNest(KernelBuilder &kernel, const ContractionSpace &space,
           const EpilogueForm &form, GemmSchedule chosen)
      : k(kernel), space(space), epilogue(kernel, space, form),
        gemm{kernel,
             space,
             std::move(chosen),
             epilogue,
             mrOf(space, kernel.target),
             nrOf(space.sum, kernel.target),
             {},
             {},
             {},
             {},
             {}},
        schedule(gemm.schedule), kernel(gemm) {}
  FailureOr<Launch> emit();

private:
  void prepareMemory();
  int64_t accumulatorCount() const;
  void task(Value number);
  TaskRange rangeOf(Value number, Value group, Value block);
  void panels(Value group, const TaskRange &range);
  void panel(Value number, Value firstTile, Value lastTile);
  void tile(Value number, Value panelBase);

  KernelBuilder &k;
  const ContractionSpace &space;
  GemmEpilogue epilogue;
  GemmContext gemm;
  const GemmSchedule &schedule;
  GemmTileKernel kernel;
  std::optional<GemmTiles> tiles;
  std::optional<GemmRowPacking> packing;
  std::optional<GemmPanelCopies> copies;
};

} // namespace

int64_t GemmNest::accumulatorCount() const {
  if (schedule.sweptK())
    return *mostRows(space) * sweptColumns(gemm);
  if (space.gates > 1)
    return int64_t(space.gates) * sumsPerGate(gemm);
  const auto &columns = schedule.columnStores;
  int64_t tiles = schedule.storesAccumulators()
                      ? schedule.tilesPerTask * panelsPerKBlock(gemm) *
                            schedule.joined.count
                  : columns ? columns->tiles
                            : 1;
  // The rows that are finished last may reach beyond them.
  int64_t beyond = columns ? columns->rows * gemm.nr : 0;
  return gemm.tileSize() * tiles + beyond;
}

void GemmNest::prepareMemory() {
  gemm.a = memoryOf(k, space.a);
  gemm.b = memoryOf(k, space.b);
  gemm.accumulators = gemm.allocate(accumulatorCount(), space.sum);
  if (schedule.columnStores)
    epilogue.prepare(schedule.columnStores->rows);
  tiles.emplace(gemm);
  if (schedule.packsA())
    packing.emplace(gemm);
  if (schedule.taskPanels) {
    copies.emplace(gemm);
    tiles->readCopies(*copies);
  }
}

FailureOr<Launch> GemmNest::emit() {
  prepareMemory();
  k.loop(k.begin(), k.end(), k.index(schedule.joined.count),
         [&](Value number) { task(number); });
  if (epilogue.failed())
    return failure();
  return k.finish(space.outerCount() * schedule.rowBlocks *
                      schedule.panelGroups,
                  schedule.costPerTask);
}

void GemmNest::task(Value number) {
  Value groups = k.size(schedule.panelGroups),
        blocks = k.size(schedule.rowBlocks);
  Value group = k.rem(number, groups);
  Value rest = k.div(number, groups);
  Value block = k.rem(rest, blocks);
  Value outer = k.div(rest, blocks);
  if (schedule.order == GemmSchedule::OuterAxesFirst) {
    Value count = k.size(space.outerCount());
    block = k.div(rest, count);
    outer = k.rem(rest, count);
  }
  tiles->beginTask(outer);
  TaskRange range = rangeOf(number, group, block);
  if (schedule.sweptK())
    GemmSweep(gemm, *tiles, kernel).task(range.firstPanel, range.lastPanel);
  else if (schedule.blockedK())
    GemmKBlocks(gemm, *tiles, kernel, copies ? &*copies : nullptr,
                packing ? &*packing : nullptr)
        .task(range);
  else
    panels(group, range);
}

/// Panels and tiles of task `number`, and of those that are joined with it.
TaskRange GemmNest::rangeOf(Value number, Value group, Value block) {
  Value one = k.index(1);
  Value next = k.min(k.add(number, k.index(schedule.joined.count)), k.end());
  // With a dynamic number of tiles, blocks of rows are balanced at run time.
  bool evens = !schedule.tileCount.constant() && !space.rowAxisIsOutermost &&
               !epilogue.storesColumns();
  Value tilesOfBlock =
      k.size(evens ? DimExpr::ceilDiv(schedule.tileCount, schedule.rowBlocks)
                   : DimExpr(schedule.tilesPerTask));
  bool joinsRows = schedule.joins(JoinedTasks::RowBlocks);
  TaskRange range;
  range.firstTile = k.mul(block, tilesOfBlock);
  range.lastTile =
      k.min(k.mul(joinsRows ? next : k.add(block, one), tilesOfBlock),
            k.size(schedule.tileCount));
  range.firstPanel = k.mul(group, k.index(schedule.panelsPerTask));
  range.lastPanel = k.add(range.firstPanel, k.index(schedule.panelsPerTask));
  if (schedule.joins(JoinedTasks::PanelGroups))
    range.lastPanel = k.mul(next, k.index(schedule.panelsPerTask));
  if (schedule.panelsPerTask > 1)
    range.lastPanel = k.min(range.lastPanel, k.size(schedule.panelCount));
  if (space.symmetric)
    range.lastTile =
        k.max(range.firstTile,
              k.min(range.lastTile, tiles->tilesToDiagonal(range.lastPanel)));
  return range;
}

/// Panels of a task that sums over all of K at once.
void GemmNest::panels(Value group, const TaskRange &range) {
  if (copies && !schedule.widens())
    copies->copy(k.index(0), range.firstPanel, range.lastPanel);
  if (schedule.panelsPerTask == 1) {
    panel(group, range.firstTile, range.lastTile);
    return;
  }
  k.loop(range.firstPanel, range.lastPanel, k.index(1),
         [&](Value number) { panel(number, range.firstTile, range.lastTile); });
}

void GemmNest::panel(Value number, Value firstTile, Value lastTile) {
  if (space.gates > 1) {
    GemmGates(gemm, *tiles, kernel).panel(number, firstTile, lastTile);
    return;
  }
  tiles->setColumn(k.mul(number, k.index(gemm.nr)));
  if (schedule.widens())
    copies->copy(k.index(0), number, k.add(number, k.index(1)));
  Value base = tiles->panelBase();
  if (epilogue.storesColumns()) {
    GemmColumnStores(gemm, *tiles, kernel).panel(base, firstTile, lastTile);
    return;
  }
  k.loop(firstTile, lastTile, k.index(1),
         [&](Value which) { tile(which, base); });
}

/// Sums a tile over all of K, into the result where the epilogue allows that.
void GemmNest::tile(Value number, Value panelBase) {
  GemmTile tile = tiles->locate(number, panelBase);
  tiles->setTaps(tile, {});
  const TileCoordinates &at = tiles->coordinates();
  auto known = space.columns.size.constant();
  gemm.byFullness(tile.columns, [&](bool full) {
    tile.args.c = gemm.accumulators;
    tile.args.cOffset = k.index(0);
    tile.args.rowStrideC = k.index(gemm.nr);
    // Where whole vectors are all columns, the last one ends where the row
    // does.
    bool whole = known && *known <= gemm.nr &&
                 *known % int64_t(sumLanes(space.sum, k.target)) == 0;
    auto store = full || whole ? epilogue.directStore(at) : std::nullopt;
    if (store) {
      tile.args.c = store->memory;
      tile.args.cOffset = store->offset;
      tile.args.rowStrideC = store->rowStride;
    }
    if (space.codes && !schedule.widens())
      GemmCodedRows(gemm).sum(tile, k.div(at.column, k.index(gemm.nr)), full);
    else
      kernel.sum(tile, full);
    if (!store)
      epilogue.finish(gemm.accumulators, k.index(0), k.index(gemm.nr), at,
                      tile.rows, full ? Value() : tile.columns);
  });
}

FailureOr<Launch> emitGemm(KernelBuilder &kernel, const ContractionSpace &space,
                           const EpilogueForm &form, GemmSchedule schedule) {
  return GemmNest(kernel, space, form, std::move(schedule)).emit();
}

} // namespace zenith::kernels
