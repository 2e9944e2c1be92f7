// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides what kernels of plain loops do: elements, reductions, scans,
// scatters; and what routines need.

#include "ir/SearchOps.h"
#include "ir/ShapeChecks.h"
#include "lowering/decisions/Decide.h"
#include "lowering/decisions/ScheduleChecks.h"
#include "lowering/decisions/ScheduleKeys.h"
#include "lowering/routines/RoutineKernels.h"
#include "lowering/schedule/ElementsSchedule.h"
#include "lowering/schedule/LaneChoice.h"
#include "lowering/schedule/ScanSchedule.h"
#include "lowering/schedule/ScatterSchedule.h"
#include "lowering/schedule/reductions/ReductionLanes.h"

using namespace mlir;
using namespace zenith::sched;
using zenith::graph::DimExpr;

namespace zenith::decisions {

// MLIR has one, too.
using sched::ElementsAttr;

namespace {
/// Lanes as keys say them: vectors of at most 64, several at a time.
struct LaneKeys {
  static constexpr int64_t most = 64;
  int64_t lanes, item;
  explicit LaneKeys(int64_t all, int64_t widest = most)
      : lanes(std::min(all, widest)), item(all / lanes) {}
};
} // namespace

static Decision decisionOf(Attribute schedule, std::optional<DimExpr> tasks) {
  return {cast<graph::Schedule>(schedule), std::move(tasks), {}};
}

/// A key that kernels of tasks have no use for.
static LogicalResult refuseKey(graph::FusionOp fusion, StringRef key,
                               int64_t value) {
  return value == 0 ? success()
                    : refuse(fusion, ModelLimits, key, Twine(value),
                             "none for a task");
}

/// The launches of a fusion whose schedule is of kind elements.
static SmallVector<kernels::WrittenValues> launchesOf(const Request &request) {
  graph::FusionOp fusion = request.fusion;
  Value last = fusion.getBody().front().getTerminator()->getOperand(0);
  auto update = last.getDefiningOp<graph::DynamicUpdateSliceOp>();
  if (fusion.getKind() != graph::FusionKind::scatter || !update)
    return kernels::writtenValues(fusion, request.dims);
  return {{{update.getOperand()}, {0}}, {{update.getUpdate()}, {0}, update}};
}

FailureOr<Decision> decideElements(const Request &request) {
  graph::FusionOp fusion = request.fusion;
  auto given = request.givenAs<ElementsAttr>();
  kernels::ElementsForm form = kernels::elementsForm(fusion, request.target);
  SmallVector<graph::SharedBytes> shared;
  for (Attribute pair :
       request.shares ? request.shares.getValue() : ArrayRef<Attribute>())
    shared.push_back(
        {unsigned(cast<IntegerAttr>(cast<ArrayAttr>(pair)[0]).getInt()),
         unsigned(cast<IntegerAttr>(cast<ArrayAttr>(pair)[1]).getInt())});
  std::optional<DimExpr> tasks;
  bool anySquare = false;
  for (kernels::WrittenValues &written : launchesOf(request)) {
    kernels::ElementsSchedule launch(fusion, request.dims, request.target,
                                     std::move(written), shared);
    auto square = launch.square();
    anySquare |= square.has_value();
    if (tasks)
      continue;
    if (square && form.squares) {
      auto squares = launch.squares(*square);
      tasks = squares.rows * squares.chunks * squares.parts;
    } else if (launch.loops().rank() > 0) {
      unsigned lane = launch.rowLane(),
               width = std::min(form.lanes, launch.lanesOfPieces(lane));
      tasks = launch.rows(lane, width, form.block).tasks.tasks;
    } else {
      tasks = 1;
    }
  }
  DenseI64ArrayAttr tile;
  int64_t side = request.target.lanes;
  if (anySquare)
    tile = request.integers({side, side});
  if (given && given.getTile() && given.getTile() != tile)
    return refuse(fusion, TileSizes, "tile",
                  graph::listText(given.getTile().asArrayRef()),
                  tile ? graph::listText(tile.asArrayRef())
                       : "none: nothing is read across");
  if (given)
    tile = given.getTile();
  if (failed(request.check(tasks, {})))
    return failure();
  // The squares are as wide as a vector.
  LaneKeys lanes(form.lanes, tile ? side : LaneKeys::most);
  return decisionOf(ElementsAttr::get(request.context(), graph::RunOn::Task, {},
                                      form.block, tile, lanes.item, lanes.lanes,
                                      request.tasks(), {}, request.shares,
                                      request.store()),
                    tasks);
}

static FailureOr<Decision> reduceDecision(const Request &request, int64_t rows,
                                          int64_t slots, int64_t chunk,
                                          int64_t allLanes,
                                          std::optional<DimExpr> tasks,
                                          ArrayRef<DimExpr> scratch) {
  auto given = request.givenAs<ReduceAttr>();
  if (given && failed(refuseKey(request.fusion, "keep", given.getKeep())))
    return failure();
  auto differs = [](int64_t wanted, int64_t own) {
    return wanted && wanted != own;
  };
  if (given &&
      (differs(given.getRows(), rows) || differs(given.getChunk(), chunk) ||
       differs(given.getSlots(), slots)))
    return refuse(
        request.fusion, ScratchBytes, "rows, slots, chunk",
        graph::listText({given.getRows(), given.getSlots(), given.getChunk()}),
        graph::listText({rows, slots, chunk}));
  if (failed(request.check(tasks, scratch)))
    return failure();
  LaneKeys lanes(allLanes);
  return decisionOf(ReduceAttr::get(request.context(), graph::RunOn::Task, {},
                                    rows, 0, slots, chunk, lanes.item,
                                    lanes.lanes, request.tasks(),
                                    request.scratchAttr(scratch),
                                    request.shares, request.store()),
                    tasks);
}

FailureOr<Decision> decideReduction(const Request &request) {
  graph::FusionOp fusion = request.fusion;
  auto given = request.givenAs<ReduceAttr>();
  bool isRegion = llvm::any_of(fusion.getBody().front(), [](Operation &op) {
    return isa<graph::ReduceWithOp>(op);
  });
  if (isRegion) {
    unsigned chosen = kernels::valueWidth(fusion, request.target);
    return reduceDecision(request, 0, 0, 0, kernels::givenLanes(fusion, chosen),
                          {}, {});
  }
  auto plan =
      kernels::ReductionSchedule::make(fusion, request.dims, request.target);
  // What has no rows or columns of its own is computed per element.
  if (!plan && !given)
    return decideElements(request);
  if (!plan)
    return refuse(fusion, KindFits, "kind", "reduce",
                  "elements: the reductions are over different elements");
  kernels::ReductionForm form =
      kernels::reductionForm(fusion, *plan, request.dims, request.target);
  plan->divide(form.chunk);
  int64_t rows = 0;
  std::optional<DimExpr> tasks;
  if (plan->chunk) {
    DimExpr kept = 1;
    for (unsigned loop : plan->keptLoops)
      kept = kept * plan->space->size(loop);
    tasks = plan->chunks * kept;
  } else if (plan->lanesReduced) {
    auto ofRows = kernels::rowTasksOf(*plan, form.lanes, form.rows);
    rows = ofRows.rowsPerTask;
    // With several passes, emission rounds up to the rows of a pass.
    if (plan->levels < 2)
      tasks = ofRows.tasks;
  }
  return reduceDecision(request, rows,
                        plan->chunk ? plan->chunks.constant().value_or(0) : 0,
                        plan->chunk, form.lanes, tasks, plan->scratch());
}

/// A given tile is all lanes of a row of a task, where the rows can be finished
/// one by one; it leaves no other block.
static LogicalResult checkScanTile(const Request &request, ScanAttr given,
                                   const kernels::ScanSchedule &scan) {
  DenseI64ArrayAttr tile = given ? given.getTile() : nullptr;
  if (!tile)
    return success();
  if (!scan.kept)
    return refuse(request.fusion, TileSizes, "tile",
                  graph::listText(tile.asArrayRef()),
                  "none: the state of the scan has no row of a result");
  if (tile[0] == 1 && (!given.getBlock() || given.getBlock() == tile[1]))
    return success();
  return refuse(request.fusion, TileSizes, "tile",
                graph::listText(tile.asArrayRef()),
                "a row, and the columns of a block");
}

FailureOr<Decision> decideScan(const Request &request) {
  auto given = request.givenAs<ScanAttr>();
  auto scan =
      kernels::scanSchedule(request.fusion, request.dims, request.target);
  if (failed(scan) || failed(checkScanTile(request, given, *scan)) ||
      failed(request.check(scan->tasks.tasks, {})))
    return failure();
  if (given && !scan->lane && given.getLanes() * given.getItem() > 1)
    return refuse(request.fusion, LaneCount, "lanes",
                  Twine(given.getLanes() * given.getItem()),
                  "1: results are not contiguous beside the scan");
  LaneKeys lanes(scan->width);
  DenseI64ArrayAttr tile =
      scan->kept ? request.integers({1, scan->block}) : nullptr;
  return decisionOf(ScanAttr::get(request.context(), graph::RunOn::Task, {},
                                  tile, scan->block, lanes.item, lanes.lanes,
                                  request.tasks(), {}, request.shares,
                                  Store::Plain),
                    scan->tasks.tasks);
}

/// sched_c3: what tasks divide is there.
static LogicalResult checkScatter(const Request &request, ScatterAttr given,
                                  const kernels::ScatterSchedule &scatter) {
  graph::FusionOp fusion = request.fusion;
  if (given.getBy() == ScatterBy::Sort)
    return refuse(fusion, ModelLimits, "by", "sort", "destination for a task");
  if (given.getTile())
    return refuse(fusion, ModelLimits, "tile",
                  graph::listText(given.getTile().asArrayRef()),
                  "none for a task");
  if (given.getBlock() && given.getParts())
    return refuse(fusion, TileSizes, "block, parts",
                  graph::listText({given.getBlock(), given.getParts()}),
                  "one of them");
  if (given.getBlock() && !scatter.lane)
    return refuse(fusion, TileSizes, "block", Twine(given.getBlock()),
                  "none: windows have no columns");
  if (given.getParts() && !scatter.hasParts())
    return refuse(fusion, TileSizes, "parts", Twine(given.getParts()),
                  "none: tasks have no dimension to divide");
  return success();
}

FailureOr<Decision> decideScatter(const Request &request) {
  auto given = request.givenAs<ScatterAttr>();
  auto scatter = kernels::ScatterSchedule::make(request.fusion, request.dims);
  if (failed(scatter) ||
      (given && failed(checkScatter(request, given, *scatter))) ||
      failed(request.check({}, {})))
    return failure();
  if (given && (given.getBlock() || given.getParts()))
    scatter->setTasks(given.getBlock(), given.getParts());
  else
    scatter->chooseTasks();
  LaneKeys lanes(kernels::givenLanes(
      request.fusion, kernels::valueWidth(request.fusion, request.target)));
  return decisionOf(ScatterAttr::get(request.context(), graph::RunOn::Task, {},
                                     ScatterBy::Destination, scatter->parts, {},
                                     scatter->block, lanes.item, lanes.lanes,
                                     request.tasks(), {}, request.shares,
                                     Store::Plain),
                    {});
}

template <typename Kind>
static FailureOr<graph::Schedule> ordering(const Request &request,
                                           ArrayAttr scratch) {
  auto given = request.givenAs<Kind>();
  if (given &&
      (failed(refuseKey(request.fusion, "digits", given.getDigits())) ||
       failed(refuseKey(request.fusion, "block", given.getBlock())) ||
       failed(refuseKey(request.fusion, "keep", given.getKeep()))))
    return failure();
  return graph::Schedule(Kind::get(request.context(), graph::RunOn::Host, {}, 0,
                                   0, 0, request.tasks(), scratch,
                                   request.shares, Store::Plain));
}

/// The op that a routine computes, for its name.
static StringRef nameOfRoutine(graph::FusionOp fusion) {
  for (Operation &op : fusion.getBody().front().without_terminator()) {
    auto family = graph::familyOf(&op);
    if (family != graph::Family::Elementwise &&
        family != graph::Family::Movement)
      return op.getName().stripDialect();
  }
  return "none";
}

FailureOr<Decision> decideRoutine(const Request &request) {
  graph::FusionOp fusion = request.fusion;
  if (request.given && request.given.runsOn() != graph::RunOn::Host)
    return refuse(fusion, HostRoutines, "on", "task",
                  "host: a routine computes it");
  SmallVector<DimExpr> bytes = kernels::routineScratch(fusion, request.dims);
  if (failed(request.check({}, bytes)))
    return failure();
  ArrayAttr scratch = request.scratchAttr(bytes);
  StringRef kind = kindsOf(fusion).front();
  FailureOr<graph::Schedule> schedule = failure();
  if (kind == SortAttr::getMnemonic())
    schedule = ordering<SortAttr>(request, scratch);
  else if (kind == TopKAttr::getMnemonic())
    schedule = ordering<TopKAttr>(request, scratch);
  else if (kind == SetAttr::getMnemonic())
    schedule = ordering<SetAttr>(request, scratch);
  else
    schedule = graph::Schedule(RoutineAttr::get(
        request.context(), nameOfRoutine(fusion), graph::RunOn::Host,
        request.tasks(), scratch, request.shares));
  if (failed(schedule))
    return failure();
  return Decision{*schedule, {}, {}};
}

} // namespace zenith::decisions
