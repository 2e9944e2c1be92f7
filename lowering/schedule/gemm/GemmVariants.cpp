// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the variants of a GEMM for the tile that the fusion's schedule
// gives.

#include "lowering/schedule/gemm/GemmVariants.h"
#include "lowering/microkernels/MicroKernel.h"
#include "lowering/schedule/GemmSchedule.h"
#include "lowering/schedule/Schedule.h"
#include "lowering/schedule/gemm/ColumnStores.h"
#include "lowering/schedule/gemm/PrefetchChoice.h"
#include "lowering/schedule/gemm/TileHeights.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

template <typename Product>
static GivenTile tileOf(Product product, bool isChoice) {
  GivenTile given;
  if (DenseI64ArrayAttr tile = product.getTile()) {
    given.rows = tile[0];
    given.columns = tile[1];
    given.kc = tile.size() > 2 ? tile[2] : 0;
  }
  given.lanes = product.getLanes();
  if (DenseI64ArrayAttr block = product.getBlock()) {
    given.tilesPerTask = block[0];
    given.panelsPerTask = block[1];
  }
  given.loop = product.getKLoop();
  given.joined = product.getJoined();
  given.operands = product.getOperands();
  given.prefetch = product.getPrefetch();
  if (DenseI64ArrayAttr heights = product.getHeights())
    given.heights.assign(heights.asArrayRef().begin(),
                         heights.asArrayRef().end());
  if (DenseI64ArrayAttr finish = product.getFinish())
    given.columnStores = {finish[0], finish[1]};
  given.sums = product.getSums();
  given.noSmallM = !isChoice;
  return given;
}

GivenTile givenTileOfFewRows(graph::FusionOp fusion) {
  auto choice =
      dyn_cast_or_null<sched::ChoiceAttr>(Attribute(fusion.getScheduleAttr()));
  if (!choice || choice.getVariants().size() < 2)
    return {};
  auto gemm =
      dyn_cast<sched::GemmAttr>(*std::prev(choice.getVariants().end(), 2));
  return gemm ? tileOf(gemm, true) : GivenTile();
}

GivenTile givenTile(graph::FusionOp fusion) {
  Attribute schedule = fusion.getScheduleAttr();
  auto choice = dyn_cast_or_null<sched::ChoiceAttr>(schedule);
  if (choice)
    schedule = choice.getVariants().getValue().back();
  if (auto gemm = dyn_cast_or_null<sched::GemmAttr>(schedule)) {
    GivenTile given = tileOf(gemm, bool(choice));
    given.mirrorRows = gemm.getMirror();
    return given;
  }
  auto conv = dyn_cast_or_null<sched::ConvAttr>(schedule);
  if (!conv)
    return {};
  bool isWinograd = conv.getForm().kind == sched::ConvForm::Winograd;
  GivenTile given = isWinograd ? GivenTile() : tileOf(conv, bool(choice));
  given.noWinograd = !isWinograd && !choice;
  return given;
}

/// The target with another register tile for sums of type `sum`.
static TargetModel withTile(TargetModel target, Type sum,
                            const GivenTile &given) {
  unsigned ofSum = sumLanes(sum, target), scale = target.lanes / ofSum;
  unsigned lanes = given.lanes ? unsigned(given.lanes) : ofSum;
  int64_t columns = given.columns ? given.columns : nrOf(sum, target);
  target.lanes = lanes * std::max(1u, scale);
  // Along K, columns are no lanes.
  target.nr = std::max(1u, unsigned(columns / lanes)) * target.lanes;
  if (given.rows)
    target.mr = unsigned(given.rows);
  return target;
}

static bool agrees(const ContractionSpace &space, const TargetModel &target,
                   const GivenTile &given) {
  auto same = [](int64_t wanted, unsigned own) {
    return wanted == 0 || wanted == int64_t(own);
  };
  bool tiled = space.form == ContractionSpace::TiledDots;
  return same(given.rows, mrOf(space, target)) &&
         (tiled || same(given.columns, nrOf(space.sum, target))) &&
         same(given.lanes, sumLanes(space.sum, target));
}

GemmVariants::GemmVariants(graph::FusionOp fusion, graph::DimAnalysis &dims,
                           const TargetModel &machine, const GivenTile &given,
                           Attribute schedule)
    : target(tileTarget(fusion, machine)) {
  if (!given.noWinograd)
    winograd = winogradSchedules(fusion, dims, machine, schedule);
  for (const WinogradSchedule &variant : winograd) {
    shareScratch(winogradScratchBytes(variant));
    plainGuard = plainGuard - variant.guard;
  }
  if (!hasPlain() ||
      failed(space = contractionSpace(fusion, dims, target, given.operands)))
    return;
  TargetModel other = withTile(target, space->sum, given);
  bool dividesGates =
      space->gates == 1 || space->gateColumns % nrOf(space->sum, other) == 0;
  if (!agrees(*space, target, given) && dividesGates) {
    target = other;
    if (failed(space = contractionSpace(fusion, dims, target, given.operands)))
      return;
    // The rows of a tile are the given ones, even where few columns leave
    // registers for more.
    target.tileVariants = false;
  }
  SmallVector<DimExpr> ofPreparations;
  for (const Preparation &preparation : space->preparations)
    ofPreparations.push_back(preparation.bytes);
  shareScratch(ofPreparations);
  space->isSeldom = !winograd.empty();
  if (!given.noSmallM)
    small = smallMVariant(fusion, dims, *space, target, given.operands.a);
  if (small)
    space->fewestRows = small->mostRows + 1;
}

void GemmVariants::shareScratch(ArrayRef<DimExpr> bytes) {
  for (auto [number, own] : llvm::enumerate(bytes))
    if (number < scratchBytes.size())
      scratchBytes[number] = DimExpr::max(scratchBytes[number], own);
    else
      scratchBytes.push_back(own);
}

bool hasFreeBlocks(const ContractionSpace &space,
                   const GemmSchedule &schedule) {
  return std::holds_alternative<WholeK>(schedule.k) && !schedule.taskPanels &&
         schedule.joined.count == 1 && space.gates == 1 && !space.symmetric &&
         !space.rowAxisIsOutermost && !space.isAlongK();
}

/// Whether blocks of K may have any size: no array is as large as one of them
/// but on the way into registers.
static bool hasFreeK(const ContractionSpace &space,
                     const GemmSchedule &schedule) {
  return schedule.blockedK() && schedule.kc() && !schedule.taskPanels &&
         space.taps.empty() &&
         (schedule.reuses(BlockedK::Panel) || schedule.reuses(BlockedK::Tile));
}

/// Square blocks whose cache lines stay in half of the first-level cache until
/// all of their elements are read: the largest power of two.
static int64_t chooseMirrorRows(const TargetModel &target) {
  int64_t rows = target.lanes;
  while (4 * double(4 * rows * rows) <= target.l1Share(0.5))
    rows *= 2;
  return rows;
}

static void decidePrefetches(GemmSchedule &schedule,
                             const ContractionSpace &space,
                             const TargetModel &target,
                             const sched::Prefetches &given) {
  schedule.prefetch = choosePrefetches(space, schedule, target);
  auto take = [&](const sched::Prefetch &wanted, sched::Prefetch &own) {
    if (wanted.kind == sched::Prefetch::Open ||
        !mayPrefetch(wanted, space, schedule, target))
      return;
    own = wanted;
    if (own.kind == sched::Prefetch::Lines && !own.ahead)
      own.ahead = target.prefetchBytes;
  };
  take(given.tiles, schedule.prefetch.tiles);
  if (endsInHalfPanels(space, schedule, target))
    take(given.rest, schedule.prefetch.rest);
}

namespace {
/// Accumulators of the smallest and the largest tile.
struct TileRange {
  int64_t fewest, most;
};
} // namespace

/// Rows of balanced tiles, or of those that have code where only a run knows
/// how many rows there are.
static TileRange rowsOfTiles(const ContractionSpace &space,
                             const TargetModel &target) {
  int64_t mr = mrOf(space, target);
  auto rows = space.rowAxis.size.constant();
  if (!rows)
    return {std::min<int64_t>(mr, 2), mr};
  int64_t tiles = std::max<int64_t>(1, (*rows + mr - 1) / mr);
  return {std::max<int64_t>(1, *rows / tiles), (*rows + tiles - 1) / tiles};
}

static TileRange tileRange(const ContractionSpace &space,
                           const GemmSchedule &schedule,
                           const TargetModel &target) {
  TileRange rows = rowsOfTiles(space, target);
  int64_t nr = nrOf(space.sum, target), lanes = sumLanes(space.sum, target),
          fewest = nr / lanes, most = fewest;
  if (auto known = space.columns.size.constant(); known && *known % nr) {
    fewest = std::max<int64_t>(1, (*known % nr + lanes - 1) / lanes);
    most = *known < nr ? fewest : most;
  }
  // But for the last one, steps of a sweep read several panels.
  if (const SweptK *swept = schedule.sweptK()) {
    fewest *= swept->panelsPerStep;
    most *= swept->panelsPerStep;
  }
  TileRange tiles{rows.fewest * fewest, rows.most * most};
  if (endsInHalfPanels(space, schedule, target)) {
    int64_t ofHalf = std::max<int64_t>(1, most / 2);
    tiles.fewest = std::min(tiles.fewest, rows.fewest * ofHalf);
    tiles.most = std::max(tiles.most, int64_t(halved(target).mr) * ofHalf);
  }
  return tiles;
}

/// Whether K is divided among sets of accumulators: blocks of codes have sums
/// of their own.
static bool hasSets(const ContractionSpace &space) {
  return space.form != ContractionSpace::TiledDots &&
         !decodesInRegisters(space);
}

/// Sets of accumulators of all tiles: as many as the smallest one gains from,
/// as far as the largest one leaves registers to operands. Equal rows are then
/// rounded alike in tiles of any height, and equal columns in any panel.
static int64_t chooseSums(const ContractionSpace &space,
                          const GemmSchedule &schedule,
                          const TargetModel &target) {
  // Short sums gain nothing, and are rounded as a plain loop does.
  constexpr int64_t shortSum = 32;
  if (!hasSets(space))
    return 0;
  if (space.form == ContractionSpace::Dots)
    return dotSets(space.columns.size.constant());
  auto kSize = space.totalK().constant();
  if (kSize && *kSize <= shortSum)
    return 0;
  TileRange tiles = tileRange(space, schedule, target);
  int64_t registers = int64_t(target.registers) * 3 / 4;
  unsigned sets = accumulatorSets(tiles.fewest);
  while (sets > 1 && tiles.most * sets > registers)
    sets /= 2;
  return sets > 1 ? sets : 0;
}

/// Tasks with a given number of tiles keep it.
static void decideColumnStores(GemmSchedule &schedule,
                               const ContractionSpace &space,
                               const TargetModel &target,
                               const std::optional<ColumnStores> &given,
                               bool aligns) {
  if (!finishesColumns(space, schedule))
    return;
  schedule.columnStores = chooseColumnStores(space, schedule, target);
  if (given && mayFinish(*given, space, schedule, target))
    schedule.columnStores = given;
  if (aligns)
    alignTasksTo(*schedule.columnStores, schedule);
}

GemmSchedule chooseGemm(const ContractionSpace &space,
                        const TargetModel &target, const GivenTile &given,
                        bool storesColumns) {
  GemmSchedule schedule = chooseGemmSchedule(space, target);
  int64_t kSize = space.totalK().constant().value_or(0);
  if (given.kc > 0 && given.kc <= kSize &&
      given.kc % int64_t(space.kInterleave) == 0 && hasFreeK(space, schedule)) {
    auto &blocked = std::get<BlockedK>(schedule.k);
    blocked.kc = given.kc;
    blocked.blocks = (kSize + given.kc - 1) / given.kc;
  }
  if (schedule.packsA() && given.loop.kind == sched::KLoop::Packed &&
      given.loop.step)
    std::get<BlockedK>(schedule.k).kAhead = given.loop.step;
  bool takesBlock = given.tilesPerTask && hasFreeBlocks(space, schedule);
  if (takesBlock) {
    schedule.tilesPerTask = given.tilesPerTask;
    schedule.panelsPerTask = given.panelsPerTask;
    schedule.rowBlocks =
        DimExpr::ceilDiv(schedule.tileCount, DimExpr(given.tilesPerTask));
  }
  decidePrefetches(schedule, space, target, given.prefetch);
  if (mayHaveHeights(given.heights, space, schedule, target))
    schedule.heights = given.heights;
  else if (hasFreeHeights(space))
    schedule.heights = chooseHeights(space, schedule, target);
  if (storesColumns)
    decideColumnStores(schedule, space, target, given.columnStores,
                       /*aligns=*/!takesBlock);
  schedule.sums = given.sums && hasSets(space)
                      ? given.sums
                      : chooseSums(space, schedule, target);
  if (space.symmetric)
    schedule.mirrorRows =
        given.mirrorRows && given.mirrorRows % int64_t(target.lanes) == 0
            ? given.mirrorRows
            : chooseMirrorRows(target);
  finishTasks(schedule, space, target);
  return schedule;
}

} // namespace zenith::kernels
