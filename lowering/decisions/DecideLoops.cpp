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
#include "lowering/schedule/reductions/ReductionPasses.h"

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
  if (tile && form.piece % side)
    return refuse(fusion, TileSizes, "piece", Twine(form.piece),
                  "a multiple of " + Twine(side) + " columns");
  if (!tile && given && given.getPiece())
    return refuse(fusion, ModelLimits, "piece", Twine(given.getPiece()),
                  "none without a tile");
  if (failed(request.check(tasks, {})))
    return failure();
  // The squares are as wide as a vector.
  LaneKeys lanes(form.lanes, tile ? side : LaneKeys::most);
  return decisionOf(ElementsAttr::get(request.context(), graph::RunOn::Task, {},
                                      form.block, tile, tile ? form.piece : 0,
                                      lanes.item, lanes.lanes, request.tasks(),
                                      {}, request.shares, request.store()),
                    tasks);
}

static FailureOr<Decision> reduceDecision(const Request &request,
                                          const kernels::ReductionForm &form,
                                          int64_t slots,
                                          std::optional<DimExpr> tasks,
                                          ArrayRef<DimExpr> scratch) {
  auto given = request.givenAs<ReduceAttr>();
  if (given && failed(refuseKey(request.fusion, "keep", given.getKeep())))
    return failure();
  auto differs = [](int64_t wanted, int64_t own) {
    return wanted && wanted != own;
  };
  if (given && (differs(given.getRows(), form.rows) ||
                differs(given.getChunk(), form.chunk) ||
                differs(given.getSlots(), slots)))
    return refuse(
        request.fusion, ScratchBytes, "rows, slots, chunk",
        graph::listText({given.getRows(), given.getSlots(), given.getChunk()}),
        graph::listText({form.rows, slots, form.chunk}));
  if (failed(request.check(tasks, scratch)))
    return failure();
  LaneKeys lanes(form.lanes);
  auto integers = [&](ArrayRef<int64_t> values) {
    return values.empty() ? DenseI64ArrayAttr() : request.integers(values);
  };
  DenseI64ArrayAttr streams =
      form.streams ? request.integers(*form.streams) : DenseI64ArrayAttr();
  return decisionOf(
      ReduceAttr::get(
          request.context(), graph::RunOn::Task, {}, form.rows, 0, slots,
          form.chunk, integers(form.sums), form.together, form.prefetch,
          streams, form.ahead, lanes.item, lanes.lanes, request.tasks(),
          request.scratchAttr(scratch), request.shares, request.store()),
      tasks);
}

/// Regions that say how elements combine are computed lane by lane.
static FailureOr<Decision> decideRegionReduction(const Request &request) {
  kernels::ReductionForm form;
  form.lanes = kernels::givenLanes(
      request.fusion, kernels::valueWidth(request.fusion, request.target));
  if (auto given = request.givenAs<ReduceAttr>();
      given && (given.getSums() || given.getTogether() || given.getStreams() ||
                given.getAhead() || given.getPrefetch() != Prefetch()))
    return refuse(request.fusion, ModelLimits,
                  "sums, together, prefetch, streams, ahead", textOf(given),
                  "none for a region");
  return reduceDecision(request, form, 0, {}, {});
}

/// sched_c3, sched_c12: what is given for the passes is there.
static LogicalResult checkPasses(const Request &request,
                                 const kernels::ReductionForm &given,
                                 const kernels::ReductionSchedule &plan) {
  graph::FusionOp fusion = request.fusion;
  constexpr int64_t mostTogether = 16;
  if (!given.sums.empty() && given.sums.size() != plan.levels)
    return refuse(fusion, TileSizes, "sums", graph::listText(given.sums),
                  "one number for each of " + Twine(plan.levels) + " passes");
  if (given.together > mostTogether ||
      (given.together > 1 &&
       !kernels::mayReduceTogether(plan, given, request.dims)))
    return refuse(fusion, TileSizes, "together", Twine(given.together),
                  "1, or at most " + Twine(mostTogether) +
                      " for whole rows of which nothing is kept");
  bool isOpen = given.prefetch.kind == Prefetch::Open ||
                given.prefetch.kind == Prefetch::None;
  if (!isOpen && (given.prefetch.kind != Prefetch::Rows ||
                  !kernels::mayPrefetchRows(plan, request.target)))
    return refuse(fusion, ModelLimits, "prefetch", textOf(request.given),
                  "rows for a second pass over rows of known length, or none");
  for (int64_t number : given.streams.value_or(SmallVector<int64_t>()))
    if (!request.target.prefetches || !kernels::isInt8Operand(fusion, number))
      return refuse(fusion, ModelLimits, "streams", Twine(number),
                    "an operand of int8 elements, on a target that prefetches");
  return success();
}

FailureOr<Decision> decideReduction(const Request &request) {
  graph::FusionOp fusion = request.fusion;
  auto given = request.givenAs<ReduceAttr>();
  bool isRegion = llvm::any_of(fusion.getBody().front(), [](Operation &op) {
    return isa<graph::ReduceWithOp>(op);
  });
  if (isRegion)
    return decideRegionReduction(request);
  auto plan =
      kernels::ReductionSchedule::make(fusion, request.dims, request.target);
  // What has no rows or columns of its own is computed per element.
  if (!plan && !given)
    return decideElements(request);
  if (!plan)
    return refuse(fusion, KindFits, "kind", "reduce",
                  "elements: the reductions are over different elements");
  kernels::ReductionForm form = kernels::givenReductionForm(fusion, *plan);
  if (!form.lanes)
    form.lanes =
        kernels::lanesOfReduction(*plan, fusion, request.dims, request.target);
  if (given && failed(checkPasses(request, form, *plan)))
    return failure();
  plan->divide(form.chunk);
  kernels::choosePasses(form, fusion, *plan, request.dims, request.target);
  if (form.ahead && !form.hasStreams())
    return refuse(fusion, ModelLimits, "ahead", Twine(form.ahead),
                  "none without streams");
  std::optional<DimExpr> tasks;
  if (plan->chunk) {
    DimExpr kept = 1;
    for (unsigned loop : plan->keptLoops)
      kept = kept * plan->space->size(loop);
    tasks = plan->chunks * kept;
    form.rows = 0;
  } else if (plan->lanesReduced) {
    auto ofRows = kernels::rowTasksOf(*plan, form.lanes, form.rows);
    form.rows = ofRows.rowsPerTask;
    if (form.together > 1)
      ofRows.roundUpTo(unsigned(form.together));
    tasks = ofRows.tasks;
  } else {
    form.rows = 0;
  }
  return reduceDecision(request, form,
                        plan->chunk ? plan->chunks.constant().value_or(0) : 0,
                        tasks, plan->scratch());
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
