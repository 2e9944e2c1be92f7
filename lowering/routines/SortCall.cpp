// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sort, sort_with and top_k: rows dealt to slots, each with scratch for one
// row.

#include "lowering/builder/RowTasks.h"
#include "lowering/elements/ElementEmitter.h"
#include "lowering/elements/RegionElements.h"
#include "lowering/routines/RoutineKernels.h"
#include "lowering/routines/RoutineCall.h"
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
/// Scratch that the routine of top_k divides.
struct TopKRoom {
  TopKRoom(graph::TopKOp op, graph::DimAnalysis &dims, const RowLayout &layout)
      : k(dims.dimOf(op.getValues(), op.getDim())) {
    // Neighbouring columns are compared in lanes, while their room is small.
    constexpr int64_t lanes = 16, mostTaken = 128, few = 16;
    auto known = k.constant();
    if (known && *known <= mostTaken)
      together =
          DimExpr::min(layout.distance, *known <= few ? 4 * lanes : lanes);
    // Small against a row, so that the last of the first k is known early.
    most = DimExpr::min(layout.length, k * 4 + 32);
    int64_t bytes = elementBytesOf(op.getOperand());
    auto length = layout.length.constant();
    // Keys and positions share a word where they can; the best of groups of
    // elements; counts of keys.
    int64_t entry =
        bytes <= 4 && length && *length <= int64_t(UINT32_MAX) ? 8 : 16;
    slotBytes = together * most * (2 * entry + 8);
    if (bytes <= 2)
      slotBytes = DimExpr::max(slotBytes, int64_t(8) << 8 * bytes);
  }
  DimExpr k, together = 1, most, slotBytes;
};
} // namespace

SmallVector<DimExpr> sortScratch(Operation *op, graph::DimAnalysis &dims) {
  RowLayout layout = layoutOf(op, dims);
  if (auto top = dyn_cast<graph::TopKOp>(op)) {
    if (auto slots = countingSlots(top, dims, layout))
      return {*slots * (int64_t(16) << elementBytesOf(top.getOperand()) * 8)};
    return {layout.slots * TopKRoom(top, dims, layout).slotBytes};
  }
  int64_t perElement = isa<graph::SortOp>(op) ? 48 : 16;
  return {layout.slots * layout.length * perElement};
}

static void layoutNumbers(RoutineCall &call, const RowLayout &layout) {
  for (const DimExpr &size :
       {layout.rows, layout.length, layout.distance, layout.slots})
    call.number(size);
}

// Of one slot: comparisons and moves of its rows.
static double slotCost(const RowLayout &layout, double perElement) {
  double length = double(layout.length.constant().value_or(1024)),
         rows = double(layout.rows.constant().value_or(64)),
         slots = double(layout.slots.constant().value_or(8));
  return rows * length * perElement / std::max(1.0, slots);
}

static FailureOr<KernelPlan> singleLaunch(RoutineCall &call, DimExpr tasks,
                                          double cost) {
  FailureOr<Launch> launch = call.finish(std::move(tasks), cost);
  if (failed(launch))
    return failure();
  KernelPlan plan;
  plan.launches.push_back(std::move(*launch));
  return plan;
}

FailureOr<KernelPlan> emitSort(const EmissionContext &context,
                               graph::SortOp op) {
  RowLayout layout = layoutOf(op, context.dims);
  RoutineCall call(context, "sort");
  layoutNumbers(call, layout);
  call.number(int64_t(op.getInputs().size()));
  call.number(op.getNumKeys());
  call.number(int64_t(op.getDescending()));
  for (Value input : op.getInputs())
    call.dtype(input);
  call.scratch(0);
  for (Value input : op.getInputs())
    call.operand(input);
  for (Value result : op.getResults())
    call.result(result);
  return singleLaunch(call, layout.slots, slotCost(layout, 20));
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
      arguments.push_back(emitter.loadLinear(
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
      kernel.loc, emitter.toMemory(kernel.b.getI1Type(), answer[0]),
      kernel.scratch(answerBuffer, byte), kernel.index(0));
  return kernel.finish(1, costPerElement(context.fusion));
}

FailureOr<KernelPlan> emitSortWith(const EmissionContext &context,
                                   graph::SortWithOp op) {
  FailureOr<Launch> comparator = emitComparator(context, op);
  if (failed(comparator))
    return failure();
  constexpr size_t mostPointers = 64; // what the routine has room for
  if (comparator->pointers.size() > mostPointers)
    return op.emitError() << "no kernel for '" << op->getName()
                          << "': the comparator reads more than "
                          << mostPointers << " values";
  RowLayout layout = layoutOf(op, context.dims);
  RoutineCall call(context, "sort_with");
  layoutNumbers(call, layout);
  call.number(int64_t(op.getInputs().size()));
  for (Value input : op.getInputs())
    call.dtype(input);
  call.number(int64_t(comparator->pointers.size()));
  for (auto [at, pointer] : llvm::enumerate(comparator->pointers))
    if (pointer.kind == PointerArg::Scratch)
      call.number(int64_t(at));
  for (const DimExpr &size : comparator->sizes)
    call.number(size);
  call.pointer(addressOfTask(call.kernel, comparator->kernel));
  call.scratch(0);
  for (Value input : op.getInputs())
    call.operand(input);
  for (Value result : op.getResults())
    call.result(result);
  for (const PointerArg &pointer : comparator->pointers)
    call.pointer(pointer.kind == PointerArg::Operand
                     ? call.kernel.operand(pointer.index)
                     : Value());
  return singleLaunch(call, layout.slots,
                      slotCost(layout, 60 + costPerElement(context.fusion)));
}

static FailureOr<KernelPlan> emitCountedTopK(const EmissionContext &context,
                                             graph::TopKOp op,
                                             const RowLayout &layout,
                                             const DimExpr &slots) {
  KernelPlan plan;
  double each = double(layout.length.constant().value_or(1 << 20)) /
                double(slots.constant().value_or(16));
  auto begin = [&](StringRef step) {
    RoutineCall call(context, ("top_k_" + step).str(), ("_" + step).str());
    call.number(layout.length);
    call.number(context.dims.dimOf(op.getValues(), op.getDim()));
    call.number(int64_t(op.getSmallest()));
    call.dtype(op.getOperand());
    call.number(slots);
    call.scratch(0);
    call.operand(op.getOperand());
    return call;
  };
  RoutineCall count = begin("count");
  if (!addLaunch(plan, count.finish(slots, each)))
    return failure();
  RoutineCall take = begin("take");
  take.result(op.getValues());
  take.result(op.getIndices());
  if (!addLaunch(plan, take.finish(slots, 2 * each)))
    return failure();
  return plan;
}

FailureOr<KernelPlan> emitTopK(const EmissionContext &context,
                               graph::TopKOp op) {
  RowLayout layout = layoutOf(op, context.dims);
  if (auto slots = countingSlots(op, context.dims, layout))
    return emitCountedTopK(context, op, layout, *slots);
  RoutineCall call(context, "top_k");
  layoutNumbers(call, layout);
  TopKRoom room(op, context.dims, layout);
  call.number(room.k);
  call.number(int64_t(op.getSmallest()));
  call.dtype(op.getOperand());
  call.number(room.together);
  call.number(room.most);
  call.number(room.slotBytes);
  call.scratch(0);
  call.operand(op.getOperand());
  call.result(op.getValues());
  call.result(op.getIndices());
  return singleLaunch(call, layout.slots, slotCost(layout, 6));
}

} // namespace zenith::kernels
