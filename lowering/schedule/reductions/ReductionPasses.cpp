// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses what passes over rows do by registers, latency and caches.

#include "lowering/schedule/reductions/ReductionPasses.h"
#include "lowering/elements/ElementConversions.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;

namespace zenith::kernels {

/// Values worth keeping, below `value` and above `stops`.
static void collectCostly(Value value, const DenseSet<Value> &stops,
                          llvm::SetVector<Value> &found,
                          DenseSet<Value> &seen) {
  Operation *op = value.getDefiningOp();
  if (!op || stops.contains(value) || !seen.insert(value).second)
    return;
  if (isa<graph::ExpOp, graph::TanhOp, graph::ErfOp, graph::LogOp,
          graph::LogisticOp, graph::PowOp>(op))
    found.insert(value);
  for (Value operand : op->getOperands())
    collectCostly(operand, stops, found, seen);
}

static DenseSet<Value> reductionResults(const ReductionSchedule &plan) {
  DenseSet<Value> results;
  for (const Reduction &reduction : plan.reductions)
    results.insert(reduction.op->getResult(0));
  return results;
}

std::optional<Stash> stashOf(const ReductionSchedule &plan,
                             graph::DimAnalysis &dims) {
  if (!plan.lanesReduced)
    return std::nullopt;
  DenseSet<Value> stops = reductionResults(plan);
  llvm::SetVector<Value> last;
  for (const ReducedResult &result : plan.results)
    if (DenseSet<Value> seen; result.full)
      collectCostly(result.value, stops, last, seen);
  for (const Reduction &reduction : plan.reductions) {
    llvm::SetVector<Value> here;
    DenseSet<Value> seen;
    collectCostly(reduction.operand, stops, here, seen);
    for (Value value : here) {
      if (!last.contains(value) || dims.dimsOf(value) != plan.shape)
        continue;
      for (auto [number, result] : llvm::enumerate(plan.results))
        if (result.full && result.value != value &&
            getElementTypeOrSelf(result.value.getType()) ==
                getElementTypeOrSelf(value.getType()))
          return Stash{value, reduction.level, unsigned(number)};
    }
  }
  return std::nullopt;
}

/// Native vectors that one accumulator takes.
static unsigned vectorsOfValue(graph::FusionOp fusion, unsigned lanes,
                               const TargetModel &target) {
  return std::max(1u, lanes * widestBytes(fusion) / (4 * target.lanes));
}

/// How many sums run side by side in the pass of a level. The vectors of one
/// long dependence chain suffice to keep execution units busy, and fill the
/// registers. Accumulators take half of the registers at most.
static int64_t sumsOfPass(graph::FusionOp fusion, const ReductionSchedule &plan,
                          unsigned level, unsigned lanes,
                          const TargetModel &target) {
  // Enough independent chains to hide the latency of additions.
  constexpr unsigned elementsInFlight = 64;
  llvm::SetVector<Value> costly;
  DenseSet<Value> seen, stops = reductionResults(plan);
  unsigned count = 0;
  for (const Reduction &reduction : plan.reductions)
    if (reduction.level == level) {
      collectCostly(reduction.operand, stops, costly, seen);
      ++count;
    }
  unsigned sums = costly.empty() || target.lanes >= 16
                      ? std::max(1u, std::min(8u, elementsInFlight / lanes))
                      : 1;
  unsigned vectors =
      vectorsOfValue(fusion, lanes, target) * std::max(1u, count);
  sums = std::clamp(
      unsigned(llvm::bit_floor(std::max(1u, target.registers / 2 / vectors))),
      1u, sums);
  // A short row has no elements for more of them.
  auto length = plan.space->size(plan.lane).constant();
  if (plan.lanesReduced && length && target.lanes >= 16)
    sums = std::min(sums, unsigned(llvm::bit_floor(std::max<uint64_t>(
                              1, uint64_t(*length) / lanes))));
  return sums;
}

bool mayReduceTogether(const ReductionSchedule &plan, const ReductionForm &form,
                       graph::DimAnalysis &dims) {
  return plan.lanesReduced && !plan.chunk && plan.reducedLoops.empty() &&
         plan.space->edges(plan.lane).empty() &&
         !innerRowsOf(plan, form.lanes) && !stashOf(plan, dims);
}

/// How many short rows are reduced at once. After each pass over a row its
/// lanes are reduced, and the scalar goes through long-latency operations (the
/// square root and the division of a norm). The reorder buffer fills with
/// instructions that wait for them, unless other rows provide independent work.
/// Their accumulators stay in registers.
static int64_t rowsTogether(graph::FusionOp fusion,
                            const ReductionSchedule &plan,
                            const ReductionForm &form, graph::DimAnalysis &dims,
                            const TargetModel &target) {
  constexpr int64_t longRow = 1024, accumulators = 16, mostRows = 4;
  auto length = plan.space->size(plan.lane).constant();
  if (target.lanes < 16 || !target.outOfOrder || plan.levels < 2 || !length ||
      *length > longRow || !mayReduceTogether(plan, form, dims))
    return 1;
  llvm::SetVector<Value> costly;
  DenseSet<Value> seen;
  for (const ReducedResult &result : plan.results)
    collectCostly(result.value, {}, costly, seen);
  // A row with long dependence chains keeps execution units busy by itself.
  if (!costly.empty())
    return 1;
  int64_t vectors = 1;
  for (unsigned level = 1; level <= plan.levels; ++level) {
    int64_t count =
        llvm::count_if(plan.reductions, [&](const Reduction &reduction) {
          return reduction.level == level;
        });
    vectors = std::max(vectors, count * form.sums[level - 1] *
                                    vectorsOfValue(fusion, form.lanes, target));
  }
  return std::clamp<int64_t>(
      int64_t(llvm::bit_floor(uint64_t(accumulators / vectors))), 1, mostRows);
}

bool mayPrefetchRows(const ReductionSchedule &plan, const TargetModel &target) {
  return target.prefetches && plan.lanesReduced && !plan.chunk &&
         plan.levels >= 2 && plan.reducedLoops.empty() &&
         plan.space->size(plan.lane).constant();
}

/// The second pass over a row finds it in cache, and hardware prefetchers have
/// nothing to follow: meanwhile, the next one is prefetched.
static bool leavesMemoryIdle(graph::FusionOp fusion,
                             const ReductionSchedule &plan,
                             graph::DimAnalysis &dims,
                             const TargetModel &target) {
  constexpr int64_t shortRow = 64, longRow = 1 << 14;
  if (!mayPrefetchRows(plan, target))
    return false;
  int64_t length = *plan.space->size(plan.lane).constant();
  if (length < shortRow || length > longRow)
    return false;
  auto count = plan.keptCount().constant();
  if (count && double(*count * length * 4) < target.l2Share(2))
    return false;
  return llvm::any_of(fusion.getBody().getArguments(), [&](Value argument) {
    return isa<RankedTensorType>(argument.getType()) &&
           dims.dimsOf(argument) == plan.shape;
  });
}

bool isInt8Operand(graph::FusionOp fusion, int64_t number) {
  if (number < 0 || number >= int64_t(fusion.getInputs().size()))
    return false;
  return getElementTypeOrSelf(fusion.getInputs()[number].getType())
      .isInteger(8);
}

/// Operands that are larger than what the second-level cache keeps until the
/// next run: widening fills the reorder buffer before enough loads are in
/// flight.
static SmallVector<int64_t> streamsOf(graph::FusionOp fusion,
                                      graph::DimAnalysis &dims,
                                      const TargetModel &target) {
  SmallVector<int64_t> streams;
  for (auto [number, value] : llvm::enumerate(fusion.getInputs()))
    if (target.prefetches && isInt8Operand(fusion, int64_t(number)))
      if (auto bytes = dims.elementCount(value).constant();
          bytes && *bytes >= target.l2Bytes)
        streams.push_back(int64_t(number));
  return streams;
}

void choosePasses(ReductionForm &form, graph::FusionOp fusion,
                  const ReductionSchedule &plan, graph::DimAnalysis &dims,
                  const TargetModel &target) {
  using sched::Prefetch;
  if (form.sums.empty())
    for (unsigned level = 1; level <= plan.levels; ++level)
      form.sums.push_back(sumsOfPass(fusion, plan, level, form.lanes, target));
  if (!form.together)
    if (int64_t rows = rowsTogether(fusion, plan, form, dims, target); rows > 1)
      form.together = rows;
  if (form.prefetch.kind == Prefetch::Open &&
      leavesMemoryIdle(fusion, plan, dims, target))
    form.prefetch = {Prefetch::Rows, 1};
  if (!form.streams)
    if (auto streams = streamsOf(fusion, dims, target); !streams.empty())
      form.streams = std::move(streams);
  if (form.hasStreams() && !form.ahead)
    form.ahead = target.prefetchBytes;
}

} // namespace zenith::kernels
