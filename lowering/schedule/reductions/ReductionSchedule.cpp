// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides how the reductions of a fusion are computed, from shapes and target
// alone.

#include "lowering/schedule/reductions/ReductionSchedule.h"
#include "ir/ops/CompositeFormulas.h"
#include "lowering/builder/SoftmaxMatch.h"
#include "lowering/elements/ElementConversions.h"
#include "lowering/schedule/LaneChoice.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

graph::ReduceKind Reduction::kind() const {
  if (auto reduce = dyn_cast<graph::ReduceOp>(op))
    return reduce.getKind();
  return cast<graph::ArgReduceOp>(op).getKind();
}

static SmallVector<int64_t> reducedDims(Operation *op) {
  if (auto reduce = dyn_cast<graph::ReduceOp>(op))
    return SmallVector<int64_t>(reduce.getDims());
  return {int64_t(cast<graph::ArgReduceOp>(op).getDim())};
}

static bool dependsOn(Value value, Operation *op, llvm::DenseSet<Value> &seen) {
  Operation *definition = value.getDefiningOp();
  if (!definition || !seen.insert(value).second)
    return false;
  return definition == op ||
         llvm::any_of(definition->getOperands(), [&](Value operand) {
           return dependsOn(operand, op, seen);
         });
}

static bool everyResultDependsOn(graph::FusionOp fusion, Operation *op) {
  return llvm::all_of(fusion.getBody().front().getTerminator()->getOperands(),
                      [&](Value result) {
                        llvm::DenseSet<Value> seen;
                        return dependsOn(result, op, seen);
                      });
}

static bool isPlainMax(graph::FusionOp fusion, Reduction &reduction) {
  if (reduction.arg() || reduction.kind() != graph::ReduceKind::max)
    return false;
  SmallVector<Value> values = {reduction.op->getResult(0)};
  bool summed = false;
  while (!values.empty()) {
    for (Operation *user : values.pop_back_val().getUsers()) {
      if (isa<graph::BroadcastOp, graph::ReshapeOp>(user)) {
        values.push_back(user->getResult(0));
        continue;
      }
      if (!isa<graph::SubOp>(user))
        return false;
      for (Operation *exp : user->getUsers())
        if (isShiftedExp(exp))
          for (Operation *sum : exp->getUsers())
            if (auto reduce = dyn_cast<graph::ReduceOp>(sum);
                reduce && reduce.getKind() == graph::ReduceKind::sum &&
                everyResultDependsOn(fusion, sum))
              summed = true;
    }
  }
  return summed;
}

static Value throughReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<graph::ReshapeOp>())
    value = reshape.getOperand();
  return value;
}

// Reductions in program order, with levels.
static void collectReduces(graph::FusionOp fusion, ReductionSchedule &plan) {
  DenseMap<Value, unsigned> levelOf;
  for (Operation &op : fusion.getBody().front()) {
    unsigned level = 0;
    for (Value operand : op.getOperands())
      level = std::max(level, levelOf.lookup(operand));
    bool reductions = isa<graph::ReduceOp, graph::ArgReduceOp>(op);
    if (reductions) {
      Value operand = op.getOperand(0);
      plan.reductions.push_back(
          {&op, operand, getElementTypeOrSelf(operand.getType()), ++level});
      plan.levels = std::max(plan.levels, level);
    }
    for (Value result : op.getResults())
      levelOf[result] = level;
  }
  for (Reduction &reduction : plan.reductions)
    reduction.plainMax = isPlainMax(fusion, reduction);
}

DimExpr ReductionSchedule::keptCount() const {
  DimExpr count = 1;
  for (auto [d, size] : llvm::enumerate(shape))
    if (!llvm::is_contained(reduced, int64_t(d)))
      count = count * size;
  return count;
}

DimExpr ReductionSchedule::reducedRows() const {
  DimExpr count = 1;
  for (unsigned loop : reducedLoops)
    count = count * space->size(loop);
  return count;
}

// The i1 value that an integer sum counts. Without mask registers, extracting
// the bits of wide lanes takes more instructions than their sum.
static Value countedBy(const Reduction &reduction, graph::FusionOp fusion,
                       const TargetModel &target) {
  constexpr unsigned wide = 4;
  auto convert = reduction.operand.getDefiningOp<graph::ConvertOp>();
  if (!target.maskBits || reduction.arg() ||
      reduction.kind() != graph::ReduceKind::sum || !convert ||
      !isa<IntegerType>(reduction.element) ||
      reduction.element.getIntOrFloatBitWidth() < 8 ||
      !getElementTypeOrSelf(convert.getOperand().getType()).isInteger(1) ||
      (!target.avx512 && widestBytes(fusion) >= wide))
    return Value();
  return convert.getOperand();
}

// Chooses partial results where there would be too few tasks. Chunks depend on
// the shape alone.
static void planChunks(ReductionSchedule &plan) {
  // Sums of columns take slots as long as a row: few of them, so that they cost
  // little beside the rows.
  constexpr int64_t chunkElements = 1 << 14, chunksOfColumns = 32;
  bool simple = plan.levels == 1 &&
                llvm::none_of(plan.reductions,
                              [](const Reduction &reduction) {
                                return reduction.arg();
                              }) &&
                llvm::none_of(plan.results, [](const ReducedResult &result) {
                  return result.full;
                });
  auto kept = plan.keptCount().constant();
  if (!simple || !kept || *kept == 0)
    return;
  DimExpr steps = plan.reducedRows();
  int64_t perStep;
  if (plan.lanesReduced && plan.reducedLoops.empty()) {
    steps = plan.space->size(plan.lane);
    perStep = 1;
  } else {
    auto length = plan.space->size(plan.lane).constant();
    if (!length)
      return;
    perStep = *length;
  }
  // Without lanes along the reduced loop, the kept elements are the lanes.
  bool few = plan.lanesReduced ? *kept <= 4 : *kept <= 1 << 16;
  if (!few)
    return;
  int64_t chunk =
      std::max<int64_t>(1, chunkElements / std::max<int64_t>(1, perStep));
  auto count = steps.constant();
  if (!plan.lanesReduced) {
    chunk = std::max<int64_t>(chunk, 32);
    if (count)
      chunk = std::max(chunk, (*count + chunksOfColumns - 1) / chunksOfColumns);
  }
  if (!plan.lanesReduced && !plan.keptLoops.empty()) {
    // Many matrices are tasks enough: rows are divided only where walking them
    // a few columns at a time would miss the caches.
    constexpr int64_t longRow = 512, largeElements = 1 << 21, chunksOfEach = 4;
    if (!count || perStep < longRow || *kept * *count < largeElements)
      return;
    chunk = std::max(chunk, *count / chunksOfEach);
  }
  if (count && *count < 4 * chunk)
    return;
  plan.chunk = chunk;
  plan.chunks = DimExpr::ceilDiv(steps, chunk);
}

// Matches `sizes` with the kept dimensions of the shape. Dimensions of size 1
// may be added or dropped: a batch norm keeps them in its sums.
static std::optional<SmallVector<unsigned>>
matchKept(const ReductionSchedule &plan, const graph::DimVector &sizes) {
  SmallVector<unsigned> dims;
  unsigned next = 0, rank = plan.shape.size();
  auto skip = [&] {
    while (next < rank && (plan.shape[next].isConstant(1) ||
                           llvm::is_contained(plan.reduced, int64_t(next))))
      ++next;
  };
  for (const DimExpr &size : sizes) {
    if (size.isConstant(1)) {
      dims.push_back(SpaceRoot::single);
      continue;
    }
    skip();
    if (next == rank || plan.shape[next] != size)
      return std::nullopt;
    dims.push_back(next++);
  }
  skip();
  return next == rank ? std::optional(dims) : std::nullopt;
}

std::optional<ReductionSchedule>
ReductionSchedule::make(graph::FusionOp fusion, graph::DimAnalysis &dims,
                        const TargetModel &target) {
  ReductionSchedule plan;
  collectReduces(fusion, plan);
  Operation *first = plan.reductions.front().op;
  plan.shape = dims.dimsOf(first->getOperand(0));
  plan.reduced = reducedDims(first);
  SmallVector<unsigned> all, groups;
  for (unsigned d = 0; d < plan.shape.size(); ++d) {
    groups.push_back(llvm::is_contained(plan.reduced, int64_t(d)));
    all.push_back(d);
  }
  bool keepsNone = llvm::all_of(groups, [](unsigned group) { return group; });
  SmallVector<SpaceRoot> roots;
  SmallVector<Value> stops;
  for (const Reduction &reduction : plan.reductions) {
    if (dims.dimsOf(reduction.operand) != plan.shape ||
        reducedDims(reduction.op) != plan.reduced)
      return std::nullopt;
    roots.push_back({reduction.operand, all});
    stops.push_back(reduction.op->getResult(0));
  }
  for (Value result : fusion.getBody().front().getTerminator()->getOperands()) {
    Value value = result;
    // A reshape of all elements in order is free; try with and without.
    if (dims.dimsOf(value) != plan.shape &&
        !matchKept(plan, dims.dimsOf(value)))
      value = throughReshapes(value);
    bool full = dims.dimsOf(value) == plan.shape && !plan.reduced.empty();
    std::optional own = full ? all : matchKept(plan, dims.dimsOf(value));
    if (!own)
      return std::nullopt;
    plan.results.push_back({value, full, *own});
    if (full || !keepsNone)
      roots.push_back({value, *own, true});
  }
  plan.space =
      std::make_unique<IterationSpace>(dims, plan.shape, roots, groups, stops);
  SmallVector<unsigned> candidates;
  for (unsigned loop = 0; loop < plan.space->rank(); ++loop)
    candidates.push_back(loop);
  auto lane = chooseLaneLoop(*plan.space, candidates);
  if (!lane)
    return std::nullopt;
  plan.lane = *lane;
  plan.lanesReduced = plan.space->group(*lane) == 1;
  for (unsigned loop : candidates)
    if (loop != *lane)
      (plan.space->group(loop) ? plan.reducedLoops : plan.keptLoops)
          .push_back(loop);
  if (plan.lanesReduced)
    for (Reduction &reduction : plan.reductions)
      reduction.counted = countedBy(reduction, fusion, target);
  planChunks(plan);
  return plan;
}

DimExpr ReductionSchedule::steps() const {
  return lanesReduced && reducedLoops.empty() ? space->size(lane)
                                              : reducedRows();
}

void ReductionSchedule::divide(int64_t stepsOfChunk) {
  if (!chunk || chunk == stepsOfChunk)
    return;
  chunk = stepsOfChunk;
  chunks = DimExpr::ceilDiv(steps(), chunk);
}

SmallVector<DimExpr> ReductionSchedule::scratch() const {
  SmallVector<DimExpr> bytes;
  if (chunk)
    for (const Reduction &reduction : reductions) {
      unsigned width =
          std::max(8u, registerType(reduction.element).getIntOrFloatBitWidth());
      bytes.push_back(chunks * keptCount() * DimExpr(int64_t(width / 8)));
    }
  return bytes;
}

} // namespace zenith::kernels
