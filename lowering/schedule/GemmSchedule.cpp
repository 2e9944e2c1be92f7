// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a schedule of a GEMM says beside the choices of its chooser, and the
// schedule that the keys of an attribute say.

#include "lowering/schedule/GemmSchedule.h"
#include "ir/encodings/FewRows.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using zenith::graph::DimAtom;
using zenith::graph::DimExpr;

namespace zenith::kernels {

int64_t GemmSchedule::kBlocks() const {
  if (const SweptK *swept = sweptK())
    return swept->blocks;
  return blockedK() ? blockedK()->blocks : 1;
}

int64_t GemmSchedule::kc() const {
  if (const SweptK *swept = sweptK())
    return swept->kc;
  return blockedK() ? blockedK()->kc : 0;
}

double columnsOfPanel(const ContractionSpace &space,
                      const TargetModel &target) {
  return space.form == ContractionSpace::TiledDots
             ? estimate(space.columns.size)
             : nrOf(space.sum, target);
}

void countTiles(GemmSchedule &schedule, const ContractionSpace &space,
                const TargetModel &target) {
  int64_t mr = mrOf(space, target), nr = nrOf(space.sum, target);
  schedule.tilesPerRowAxis = DimExpr::ceilDiv(space.rowAxis.size, DimExpr(mr));
  schedule.tileCount = space.outerRowCount() * schedule.tilesPerRowAxis;
  bool ofGates = space.gates > 1 && space.form != ContractionSpace::Copied;
  schedule.panelCount = ofGates
                            ? DimExpr(space.gateColumns / nr)
                            : DimExpr::ceilDiv(space.columns.size, DimExpr(nr));
}

void finishTasks(GemmSchedule &schedule, const ContractionSpace &space,
                 const TargetModel &target) {
  schedule.panelGroups =
      DimExpr::ceilDiv(schedule.panelCount, DimExpr(schedule.panelsPerTask));
  double kSize = std::max(1.0, estimate(space.totalK()));
  double tiles = std::min(std::max(1.0, estimate(schedule.tileCount)),
                          double(schedule.tilesPerTask));
  schedule.costPerTask = kSize * columnsOfPanel(space, target) *
                         double(schedule.panelsPerTask) * space.gates *
                         (2 * mrOf(space, target) * tiles + 4);
}

BlockedK evenBlocks(int64_t kSize, int64_t largest, int64_t multiple) {
  BlockedK k;
  k.blocks = (kSize + largest - 1) / largest;
  k.kc = int64_t(llvm::alignTo(uint64_t(kSize + k.blocks - 1) / k.blocks,
                               uint64_t(multiple)));
  k.blocks = (kSize + k.kc - 1) / k.kc;
  return k;
}

int64_t multipleOfCopiedK(int64_t kSize) { return std::min<int64_t>(kSize, 8); }

bool hasGroupsFirst(const ContractionSpace &space) {
  bool movesA = false;
  for (const OuterAxis &outer : space.outer) {
    if (outer.resultDim >= 0)
      return false;
    movesA |= !outer.axis.strideA.isConstant(0);
  }
  return movesA && !space.outerRows.empty() && space.gates == 1 &&
         space.form != ContractionSpace::Copied;
}

std::optional<int64_t> mostRows(const ContractionSpace &space) {
  const DimExpr &size = space.rowAxis.size;
  auto rows = size.constant();
  if (const DimAtom *atom = size.asAtom();
      atom && atom->kind == DimAtom::Kind::Min)
    for (const auto &side : {atom->lhs, atom->rhs})
      rows = rows ? rows : side->constant();
  return rows;
}

bool decodesInRegisters(const ContractionSpace &space) {
  auto rows = mostRows(space);
  bool isOne = rows == 1 || space.rowAxis.size.constant();
  // Bytes of two codes have both in one block.
  return space.codes && isOne && *rows > 0 && *rows <= graph::mostRowsOfCodes &&
         space.gates == 1 && space.taps.empty() && space.outerRows.empty() &&
         space.outer.empty() && space.columns.size.constant() &&
         space.kAxis.size.isConstant(space.codes->k) &&
         mlir::isa<mlir::FloatType>(space.a.element) &&
         (!space.codes->isHalved || space.codes->block % 2 == 0);
}

/// Blocks of K as the keys say: of `kc`, or an iteration of the outermost tap.
static int64_t blocksOf(const ContractionSpace &space, int64_t kc) {
  if (!kc)
    return space.taps.empty()
               ? 1
               : space.taps.front().axis.size.constant().value_or(1);
  return (space.totalK().constant().value_or(kc) + kc - 1) / kc;
}

/// K of a block of a panel that a task widens.
static int64_t widenedK(const ContractionSpace &space,
                        const GemmSchedule &schedule) {
  int64_t kSize = space.totalK().constant().value_or(0);
  return schedule.kc() ? schedule.kc() : kSize / schedule.kBlocks();
}

GemmSchedule gemmScheduleOf(const ContractionSpace &space,
                            const TargetModel &target, const GivenTile &given) {
  using sched::KLoop;
  GemmSchedule schedule;
  countTiles(schedule, space, target);
  schedule.tilesPerTask = given.tilesPerTask;
  schedule.panelsPerTask = given.panelsPerTask;
  schedule.rowBlocks =
      DimExpr::ceilDiv(schedule.tileCount, DimExpr(given.tilesPerTask));
  int64_t blocks = blocksOf(space, given.kc);
  auto blocked = [&](BlockedK::Reuse reuse) {
    schedule.k = BlockedK{blocks, given.kc, reuse, given.loop.step};
  };
  switch (given.loop.kind) {
  case KLoop::Open:
  case KLoop::Whole:
    break;
  case KLoop::Panels:
    blocked(BlockedK::Panel);
    break;
  case KLoop::Tiles:
    blocked(BlockedK::Tile);
    break;
  case KLoop::Packed:
    blocked(BlockedK::PackedA);
    break;
  case KLoop::Short:
    blocked(BlockedK::ShortBlocks);
    break;
  case KLoop::Sweep:
    schedule.k = SweptK{blocks, given.kc, given.loop.step};
    break;
  }
  int64_t nr = nrOf(space.sum, target);
  if (space.form == ContractionSpace::Copied) {
    int64_t kSize = space.kAxis.size.constant().value_or(0),
            kc =
                schedule.kc()
                    ? schedule.kc()
                    : int64_t(llvm::alignTo(
                          uint64_t(kSize), uint64_t(multipleOfCopiedK(kSize))));
    schedule.taskPanels = {TaskPanels::Packed, kc * nr};
  } else if (given.operands.b.form == sched::Operand::Widened ||
             (space.codes && !decodesInRegisters(space))) {
    schedule.taskPanels = {TaskPanels::Widened, widenedK(space, schedule) * nr};
  }
  if (given.joined.count)
    schedule.joined = {given.joined.along == sched::Joined::Rows
                           ? JoinedTasks::RowBlocks
                           : JoinedTasks::PanelGroups,
                       given.joined.count};
  schedule.prefetch = given.prefetch;
  schedule.heights = given.heights;
  schedule.columnStores = given.columnStores;
  schedule.sums = given.sums;
  schedule.mirrorRows = given.mirrorRows;
  if (hasGroupsFirst(space) && !schedule.sweptK())
    schedule.order = GemmSchedule::OuterAxesFirst;
  finishTasks(schedule, space, target);
  return schedule;
}

sched::KLoop loopOf(const GemmSchedule &schedule) {
  using sched::KLoop;
  if (const SweptK *swept = schedule.sweptK())
    return {KLoop::Sweep, swept->panelsPerStep};
  const BlockedK *blocked = schedule.blockedK();
  if (!blocked)
    return {KLoop::Whole, 0};
  switch (blocked->reuse) {
  case BlockedK::Panel:
    return {KLoop::Panels, 0};
  case BlockedK::Tile:
    return {KLoop::Tiles, 0};
  case BlockedK::PackedA:
    return {KLoop::Packed, blocked->kAhead};
  case BlockedK::ShortBlocks:
    return {KLoop::Short, 0};
  }
  return {KLoop::Whole, 0};
}

sched::Joined joinedOf(const GemmSchedule &schedule) {
  if (schedule.joined.count < 2)
    return {};
  return {schedule.joined.along == JoinedTasks::RowBlocks
              ? sched::Joined::Rows
              : sched::Joined::Panels,
          schedule.joined.count};
}

} // namespace zenith::kernels
