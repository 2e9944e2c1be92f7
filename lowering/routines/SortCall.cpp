// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sort, sort_with and top_k: rows divided among slots, each with scratch for
// one row.

#include "lowering/builder/RowTasks.h"
#include "lowering/elements/ElementConversions.h"
#include "lowering/elements/ElementEmitter.h"
#include "lowering/elements/RegionElements.h"
#include "lowering/routines/RoutineCall.h"
#include "lowering/routines/RoutineKernels.h"
#include "lowering/schedule/LaneChoice.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

static RowLayout layoutOf(Operation *op, graph::DimAnalysis &dims) {
  auto dim = op->getAttrOfType<IntegerAttr>("dim").getInt();
  return RowLayout(dims, op->getOperand(0), dim);
}

/// Slots for counting the keys of one long row; none where it has several rows,
/// keys of too many bits, or only few of its elements are wanted: a limit
/// finds these.
static std::optional<DimExpr> countingSlots(graph::TopKOp op,
                                            graph::DimAnalysis &dims,
                                            const RowLayout &layout) {
  constexpr int64_t elementsPerSlot = 1 << 15, fewOfRow = 16;
  unsigned bits = elementBytesOf(op.getOperand()) * 8;
  auto rows = layout.rows.constant(), length = layout.length.constant(),
       k = dims.dimOf(op.getValues(), op.getDim()).constant();
  if (rows != 1 || bits > 16 || (length && *length < 2 * elementsPerSlot) ||
      (bits == 16 && length && k && *k * fewOfRow <= *length))
    return std::nullopt;
  // Each has a table of all keys.
  int64_t most = bits <= 8 ? 16 : 4;
  return DimExpr::min(most, DimExpr::floorDiv(layout.length, elementsPerSlot) +
                                DimExpr(1));
}

namespace {
/// Scratch of a slot of top_k.
struct TopKScratch {
  TopKScratch(graph::TopKOp op, graph::DimAnalysis &dims,
              const RowLayout &layout)
      : k(dims.dimOf(op.getValues(), op.getDim())) {
    // Neighbouring rows are compared in lanes, while their scratch is small.
    constexpr int64_t lanes = 16, mostTaken = 128, few = 16;
    auto known = k.constant();
    if (known && *known <= mostTaken)
      rowsAtOnce =
          DimExpr::min(layout.distance, *known <= few ? 4 * lanes : lanes);
    // Small against a row, so that the last of the first k is known early.
    candidates = DimExpr::min(layout.length, k * 4 + 32);
    int64_t bytes = elementBytesOf(op.getOperand());
    auto length = layout.length.constant();
    // Keys and positions share a word where they can; the best of groups of
    // elements; counts of keys.
    int64_t entry =
        bytes <= 4 && length && *length <= int64_t(UINT32_MAX) ? 8 : 16;
    slotBytes = rowsAtOnce * candidates * (2 * entry + 8);
    if (bytes <= 2)
      slotBytes = DimExpr::max(slotBytes, int64_t(8) << 8 * bytes);
  }
  DimExpr k, rowsAtOnce = 1, candidates, slotBytes;
};
} // namespace

SmallVector<DimExpr> sortScratch(Operation *op, graph::DimAnalysis &dims) {
  RowLayout layout = layoutOf(op, dims);
  if (auto top = dyn_cast<graph::TopKOp>(op)) {
    if (auto slots = countingSlots(top, dims, layout))
      return {runtime::countedTopKScratch(
                  *slots, int64_t(1) << elementBytesOf(top.getOperand()) * 8)
                  .total()};
    return {layout.slots * TopKScratch(top, dims, layout).slotBytes};
  }
  int64_t perElement = isa<graph::SortOp>(op)
                           ? runtime::sortBytesPerElement
                           : runtime::sortWithBytesPerElement;
  return {layout.slots * layout.length * perElement};
}

template <typename Arguments>
static void setLayout(RoutineCall<Arguments> &call, const RowLayout &layout) {
  call.set(&Arguments::rows, layout.rows);
  call.set(&Arguments::length, layout.length);
  call.set(&Arguments::distance, layout.distance);
  call.set(&Arguments::slots, layout.slots);
}

/// Inputs and results of sort and sort_with.
template <typename Op>
static void setRows(RoutineCall<zenith_sort_arguments> &call, Op op,
                    const RowLayout &layout) {
  using Arguments = zenith_sort_arguments;
  setLayout(call, layout);
  SmallVector<Value> dtypes, inputs, results;
  for (auto [input, result] : llvm::zip(op.getInputs(), op.getResults())) {
    dtypes.push_back(call.dtype(input));
    inputs.push_back(call.operand(input));
    results.push_back(call.result(result));
  }
  call.set(&Arguments::ninputs, int64_t(inputs.size()));
  call.set(&Arguments::dtypes, dtypes);
  call.set(&Arguments::inputs, inputs);
  call.set(&Arguments::results, results);
  call.set(&Arguments::scratch, call.scratch(0));
}

// Of one slot: comparisons and moves of its rows.
static double slotCost(const RowLayout &layout, double perElement) {
  double length = double(layout.length.constant().value_or(1024)),
         rows = double(layout.rows.constant().value_or(64)),
         slots = double(layout.slots.constant().value_or(8));
  return rows * length * perElement / std::max(1.0, slots);
}

static FailureOr<KernelPlan> singleLaunch(FailureOr<Launch> launch) {
  KernelPlan plan;
  if (!addLaunch(plan, std::move(launch)))
    return failure();
  return plan;
}

FailureOr<KernelPlan> emitSort(const EmissionContext &context,
                               graph::SortOp op) {
  RowLayout layout = layoutOf(op, context.dims);
  using Arguments = zenith_sort_arguments;
  RoutineCall<Arguments> call(context, "sort");
  setRows(call, op, layout);
  call.set(&Arguments::nkeys, int64_t(op.getNumKeys()));
  call.set(&Arguments::descending, int64_t(op.getDescending()));
  return singleLaunch(call.finish(layout.slots, slotCost(layout, 20)));
}

// The comparator as a kernel whose begin and end are the positions of left and
// right, and whose answer is the byte of a scratch buffer that no plan has.
static constexpr unsigned answerBuffer = 1;

static FailureOr<Launch> emitComparator(const EmissionContext &context,
                                        graph::SortWithOp op) {
  KernelBuilder kernel(context.fusion, context.dims, context.target,
                       context.kernels, (context.name + "_less").str());
  ElementEmitter emitter(kernel);
  DimExpr count = context.dims.elementCount(op.getInputs().front());
  SmallVector<Value> arguments;
  for (Value input : op.getInputs()) {
    auto argument = dyn_cast<BlockArgument>(input);
    if (!argument) {
      emitter.unsupported(op, "on a value computed on the way");
      break;
    }
    for (Value position : {kernel.begin(), kernel.end()})
      arguments.push_back(emitter.memory.load(
          kernel.memoryOf(argument), getElementTypeOrSelf(input.getType()),
          emitter.indices.scalar(position, count)));
  }
  SmallVector<Value> answer;
  if (!emitter.failed())
    answer = emitRegion(emitter, op.getComparator(), arguments);
  if (answer.empty()) {
    kernel.function().erase();
    return failure();
  }
  Type byte = kernel.b.getI8Type();
  kernel.b.create<memref::StoreOp>(
      kernel.loc, toMemory(emitter.kernel, kernel.b.getI1Type(), answer[0]),
      kernel.scratch(answerBuffer, byte), kernel.index(0));
  return kernel.finish(1, costPerElement(context.fusion));
}

FailureOr<KernelPlan> emitSortWith(const EmissionContext &context,
                                   graph::SortWithOp op) {
  FailureOr<Launch> comparator = emitComparator(context, op);
  if (failed(comparator))
    return failure();
  RowLayout layout = layoutOf(op, context.dims);
  using Arguments = zenith_sort_arguments;
  RoutineCall<Arguments> call(context, "sort_with");
  setRows(call, op, layout);
  constexpr unsigned noBuffer = ~0u;
  Value inner = innerKernel(call, *comparator, answerBuffer, noBuffer);
  if (!inner)
    return failure();
  call.set(&Arguments::comparator, inner);
  return singleLaunch(call.finish(
      layout.slots, slotCost(layout, 60 + costPerElement(context.fusion))));
}

static FailureOr<KernelPlan> emitCountedTopK(const EmissionContext &context,
                                             graph::TopKOp op,
                                             const RowLayout &layout,
                                             const DimExpr &slots) {
  using Arguments = zenith_counted_top_k_arguments;
  KernelPlan plan;
  double each = double(layout.length.constant().value_or(1 << 20)) /
                double(slots.constant().value_or(16));
  auto begin = [&](StringRef step) {
    RoutineCall call = stepCall<Arguments>(context, "top_k", step);
    call.set(&Arguments::length, layout.length);
    call.set(&Arguments::k, context.dims.dimOf(op.getValues(), op.getDim()));
    call.set(&Arguments::smallest, int64_t(op.getSmallest()));
    call.set(&Arguments::dtype, call.dtype(op.getOperand()));
    call.set(&Arguments::slots, slots);
    call.set(&Arguments::scratch, call.scratch(0));
    call.set(&Arguments::operand, call.operand(op.getOperand()));
    return call;
  };
  RoutineCall count = begin("count");
  if (!addLaunch(plan, count.finish(slots, each)))
    return failure();
  RoutineCall take = begin("take");
  take.set(&Arguments::values, take.result(op.getValues()));
  take.set(&Arguments::indices, take.result(op.getIndices()));
  if (!addLaunch(plan, take.finish(slots, 2 * each)))
    return failure();
  return plan;
}

FailureOr<KernelPlan> emitTopK(const EmissionContext &context,
                               graph::TopKOp op) {
  RowLayout layout = layoutOf(op, context.dims);
  if (auto slots = countingSlots(op, context.dims, layout))
    return emitCountedTopK(context, op, layout, *slots);
  using Arguments = zenith_top_k_arguments;
  RoutineCall<Arguments> call(context, "top_k");
  setLayout(call, layout);
  TopKScratch scratch(op, context.dims, layout);
  call.set(&Arguments::k, scratch.k);
  call.set(&Arguments::smallest, int64_t(op.getSmallest()));
  call.set(&Arguments::dtype, call.dtype(op.getOperand()));
  call.set(&Arguments::rows_at_once, scratch.rowsAtOnce);
  call.set(&Arguments::candidates, scratch.candidates);
  call.set(&Arguments::slot_bytes, scratch.slotBytes);
  call.set(&Arguments::scratch, call.scratch(0));
  call.set(&Arguments::operand, call.operand(op.getOperand()));
  call.set(&Arguments::values, call.result(op.getValues()));
  call.set(&Arguments::indices, call.result(op.getIndices()));
  return singleLaunch(call.finish(layout.slots, slotCost(layout, 6)));
}

} // namespace zenith::kernels
