// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes of a scan run along a loop that is contiguous in what is written; the
// state of few lanes is kept in registers, that of many in the result.

#include "lowering/schedule/ScanSchedule.h"
#include "lowering/schedule/LaneChoice.h"
#include "lowering/schedule/Schedule.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {
/// Vectors of a row that are scanned at a time: several cache lines.
constexpr unsigned vectorsOfRow = 4;
/// Elements of a row of a task, where rows are finished one by one.
constexpr int64_t columnsOfRows = 1024;
/// So few lanes are faster one by one than under a mask.
constexpr int64_t fewLanes = 4;
/// Vectors of a row that a task scans.
constexpr int64_t vectorsOfTask = 8;
} // namespace

DimExpr ScanSchedule::length() const {
  DimExpr length = 1;
  for (unsigned loop : along)
    length = length * space.size(loop);
  return length;
}

/// The scans of the fusion agree in what they run along, and their results are
/// stored where they are computed.
static LogicalResult checkScans(graph::FusionOp fusion,
                                graph::DimAnalysis &dims,
                                ArrayRef<graph::CumulativeOp> reductions) {
  graph::CumulativeOp first = reductions.front();
  const graph::DimVector shape = dims.dimsOf(first.getResult());
  for (graph::CumulativeOp op : reductions)
    if (op.getDim() != first.getDim() ||
        op.getReverse() != first.getReverse() ||
        dims.dimsOf(op.getResult()) != shape)
      return op.emitError() << "no kernel for scans along different "
                               "dimensions in one fusion";
  // The epilogue of a scan must use it at the same index.
  for (graph::CumulativeOp op : reductions)
    for (Operation *user : op.getResult().getUsers())
      for (Operation *next = user; next && !isa<graph::YieldOp>(next);
           next = next->hasOneUse() ? *next->user_begin() : nullptr)
        if (graph::familyOf(next) != graph::Family::Elementwise &&
            !isa<graph::CumulativeOp>(next))
          return next->emitError()
                 << "no kernel that moves the result of a running reduction";
  for (Value result : fusion.getBody().front().getTerminator()->getOperands())
    if (dims.dimsOf(result).size() != shape.size())
      return fusion.emitError()
             << "no kernel that moves the result of a running reduction";
  return success();
}

static IterationSpace spaceOf(graph::FusionOp fusion, graph::DimAnalysis &dims,
                              graph::CumulativeOp first) {
  SmallVector<SpaceRoot> roots;
  size_t rank = dims.dimsOf(first.getResult()).size();
  for (Value result : fusion.getBody().front().getTerminator()->getOperands()) {
    SpaceRoot root{result, {}, true};
    for (unsigned d = 0; d < rank; ++d)
      root.dims.push_back(d);
    roots.push_back(std::move(root));
  }
  SmallVector<unsigned> groups(rank, 0);
  groups[first.getDim()] = 1;
  return IterationSpace(dims, dims.dimsOf(roots[0].value), roots, groups);
}

/// A step in a narrow float type waits for the widening, the addition and the
/// rounding of the step before. Neighbouring rows fill that latency, although
/// their elements are not contiguous.
static bool roundsEachStep(ArrayRef<graph::CumulativeOp> reductions) {
  return llvm::all_of(reductions, [](graph::CumulativeOp op) {
    Type element = getElementTypeOrSelf(op.getOperand().getType());
    return isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
  });
}

/// The result that can keep the state of the only scan.
static std::optional<unsigned> resultOfScan(graph::FusionOp fusion,
                                            const ScanSchedule &scan) {
  if (!scan.lane || scan.reductions.size() != 1)
    return std::nullopt;
  auto results = fusion.getBody().front().getTerminator()->getOperands();
  auto found = llvm::find_if(results, [&](Value result) {
    return result.getDefiningOp() == scan.reductions.front();
  });
  if (found == results.end())
    return std::nullopt;
  return unsigned(found - results.begin());
}

/// Whether lanes run along a loop that is not contiguous in what is written.
static bool chooseLane(ScanSchedule &scan) {
  const IterationSpace &space = scan.space;
  std::optional<unsigned> lane = chooseLaneLoop(space, scan.others);
  if (lane && llvm::none_of(space.accesses(),
                            [&](const IterationSpace::Access &access) {
                              return access.written &&
                                     access.factors[*lane].isConstant(1);
                            }))
    lane.reset();
  bool apart = !lane && !scan.others.empty() && roundsEachStep(scan.reductions);
  if (apart)
    lane = scan.others.back();
  if (lane && space.size(*lane).provablyAtMost(DimExpr(fewLanes)))
    lane.reset();
  scan.lane = lane;
  if (lane)
    llvm::erase(scan.others, *lane);
  return lane && apart;
}

/// What shapes and target choose.
static void chooseForm(ScanSchedule &scan, graph::FusionOp fusion, bool apart,
                       const TargetModel &target) {
  scan.block = elementsPerTask;
  if (!scan.lane)
    return;
  const DimExpr &size = scan.space.size(*scan.lane);
  unsigned narrow = valueWidth(fusion, target), wide = vectorsOfRow * narrow;
  if (!apart && !size.provablyAtMost(DimExpr(wide)))
    scan.kept = resultOfScan(fusion, scan);
  scan.block = scan.kept ? columnsOfRows : vectorsOfTask * int64_t(narrow);
  scan.width =
      scan.reductions.size() == 1 && !scan.kept && !apart ? wide : narrow;
  if (auto known = size.constant(); known && *known > 0)
    scan.width = std::min<unsigned>(
        scan.width, unsigned(llvm::PowerOf2Ceil(uint64_t(*known))));
}

/// What the schedule says.
static void readForm(ScanSchedule &scan, graph::FusionOp fusion) {
  graph::Schedule schedule = fusion.getScheduleAttr();
  auto given = schedule
                   ? dyn_cast<sched::ScanAttr>(sched::lastVariant(schedule))
                   : nullptr;
  if (!given)
    return;
  if (given.getLanes() && scan.lane)
    scan.width = unsigned(given.getLanes() * given.getItem());
  scan.kept = given.getTile() ? resultOfScan(fusion, scan) : std::nullopt;
  if (given.getTile())
    scan.block = given.getTile()[1];
  else if (given.getBlock())
    scan.block = given.getBlock();
}

FailureOr<ScanSchedule> scanSchedule(graph::FusionOp fusion,
                                     graph::DimAnalysis &dims,
                                     const TargetModel &target) {
  Block &body = fusion.getBody().front();
  SmallVector<graph::CumulativeOp> reductions(
      body.getOps<graph::CumulativeOp>());
  if (failed(checkScans(fusion, dims, reductions)))
    return failure();
  ScanSchedule scan(reductions, spaceOf(fusion, dims, reductions.front()));
  for (unsigned loop = 0; loop < scan.space.rank(); ++loop)
    (scan.space.group(loop) ? scan.along : scan.others).push_back(loop);
  bool apart = chooseLane(scan);
  chooseForm(scan, fusion, apart, target);
  readForm(scan, fusion);
  DimExpr rows = 1;
  for (unsigned loop : scan.others)
    rows = rows * scan.space.size(loop);
  scan.tasks =
      scan.lane ? RowTasks::plan(rows, scan.space.size(*scan.lane), scan.block)
                : RowTasks::plan(rows, scan.length(), scan.block,
                                 /*cutRows=*/false);
  return scan;
}

} // namespace zenith::kernels
