// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of fusions: memory whose size depends on data, launches, and the sizes
// that kernels compute.

#include "ir/AssertionCode.h"
#include "ir/remarks/Remark.h"
#include "lowering/program/ProgramBuilder.h"
#include "passes/cost/CostRule.h"

using namespace mlir;

namespace zenith::pipeline {

using graph::DimExpr;

AliasPattern ProgramBuilder::sharingOf(graph::FusionOp fusion) const {
  SmallVector<std::pair<Attribute, unsigned>> seen;
  AliasPattern pattern;
  auto add = [&](host::BufferAttr bytes) {
    unsigned index = pattern.size();
    for (auto &[other, first] : seen)
      if (bytes && other == bytes)
        index = first;
    seen.push_back({bytes, index});
    pattern.push_back(index);
  };
  for (Value input : fusion.getInputs())
    add(buffers.lookup(input));
  for (Value result : fusion->getResults())
    add(buffers.lookup(result));
  if (auto found = assignments.find(fusion); found != assignments.end())
    for (host::BufferAttr bytes : found->second.scratch)
      add(bytes);
  // A result may lie in a donated argument.
  if (auto pairs =
          function->getAttrOfType<DenseI64ArrayAttr>(host::donationsAttrName))
    for (unsigned i = 0; i + 1 < pairs.size(); i += 2) {
      auto result = llvm::find_if(seen, [&](auto &entry) {
        return entry.first == buffer(host::BufferKind::result, pairs[i]);
      });
      auto argument = llvm::find_if(seen, [&](auto &entry) {
        return entry.first == buffer(host::BufferKind::argument, pairs[i + 1]);
      });
      if (result != seen.end() && argument != seen.end())
        for (unsigned index = 0; index < seen.size(); ++index)
          if (seen[index].first == result->first)
            pattern[index] = argument->second;
    }
  return pattern;
}

/// Results that the caller gets and no later step reads.
llvm::SmallBitVector ProgramBuilder::unreadOf(graph::FusionOp fusion) const {
  llvm::SmallBitVector unread(fusion->getNumResults());
  for (OpResult result : fusion->getResults()) {
    host::BufferAttr bytes = buffers.lookup(result);
    unread[result.getResultNumber()] =
        !isNested && bytes && bytes.getKind() == host::BufferKind::result &&
        llvm::all_of(result.getUsers(),
                     [](Operation *user) { return isa<func::ReturnOp>(user); });
  }
  return unread;
}

/// Whether a result of a nested function may lie in the memory of the argument
/// of its index, of which the step is the only reader.
bool ProgramBuilder::takesArgument(Operation *op, host::BufferAttr result) {
  auto fusion = dyn_cast<graph::FusionOp>(op);
  auto index = unsigned(result.getIndex());
  if (!fusion || !isNested || index >= function.getNumArguments() ||
      !function.getArgAttr(index, memory::donatedAttrName))
    return false;
  // Its dimensions are known without it.
  SmallVector<OpOperand *> reads;
  for (OpOperand &use : function.getArgument(index).getUses())
    if (!isa<graph::DimOp>(use.getOwner()))
      reads.push_back(&use);
  if (reads.size() != 1 || reads.front()->getOwner() != op)
    return false;
  unsigned operand = reads.front()->getOperandNumber();
  return llvm::any_of(fusion->getResults(), [&](OpResult value) {
    return buffers.lookup(value) == result &&
           memory::mayShareBytes(fusion, operand, value.getResultNumber());
  });
}

/// Allocates a slot, or a result if it `isLate`, unless an earlier step did.
LogicalResult ProgramBuilder::allocate(host::BufferAttr target,
                                       const DimExpr &bytes, bool isLate,
                                       Operation *op) {
  bool isSlot = target && target.getKind() == host::BufferKind::slot;
  bool isResult = target && target.getKind() == host::BufferKind::result;
  if (!(isSlot && liveSlots.insert(target.getIndex()).second) &&
      !(isResult && isLate &&
        allocatedResults.insert(target.getIndex()).second))
    return success();
  if (failed(checkSymbols(bytes, op)))
    return failure();
  builder.create<host::AllocOp>(op->getLoc(), target, dim(bytes),
                                isResult && takesArgument(op, target));
  return success();
}

void ProgramBuilder::deallocateAfter(Operation *op) {
  for (int64_t slot : assignments[op].deallocs)
    if (liveSlots.erase(slot))
      builder.create<host::DeallocOp>(op->getLoc(), slot);
}

LogicalResult ProgramBuilder::allocateResult(OpResult result,
                                             const DimExpr &bytes) {
  host::BufferAttr target = buffers.lookup(result);
  bool isLate = target && target.getKind() == host::BufferKind::result &&
                memory::isAllocatedResult(function, target.getIndex(), dims);
  return allocate(target, bytes, isLate, result.getOwner());
}

LogicalResult ProgramBuilder::allocateMemory(graph::FusionOp fusion,
                                             const SharedPlan &plan) {
  // Scratch first: where not all fits in memory, results go to files, which
  // are written and read in order and, where they have a bound, in part.
  for (auto [target, bytes] :
       llvm::zip(assignments[fusion].scratch, plan.scratchBytes))
    if (failed(allocate(target, bytes, false, fusion)))
      return failure();
  for (OpResult result : fusion->getResults())
    if (failed(allocateResult(
            result, plan.capacityBytes.empty()
                        ? memory::bytesOf(result, dims)
                        : plan.capacityBytes[result.getResultNumber()])))
      return failure();
  return success();
}

FailureOr<host::BufferAttr>
ProgramBuilder::pointerBuffer(graph::FusionOp fusion,
                              const kernels::PointerArg &arg,
                              unsigned firstCell) {
  host::BufferAttr bytes;
  ArrayRef<host::BufferAttr> scratch = assignments[fusion].scratch;
  switch (arg.kind) {
  case kernels::PointerArg::Operand:
    bytes = buffers.lookup(fusion.getInputs()[arg.index]);
    if (!bytes && host.contains(fusion.getInputs()[arg.index]))
      bytes = cellOf(fusion.getInputs()[arg.index], fusion);
    break;
  case kernels::PointerArg::Result:
    bytes = buffers.lookup(fusion->getResult(arg.index));
    break;
  case kernels::PointerArg::Scratch:
    bytes =
        arg.index < scratch.size() ? scratch[arg.index] : host::BufferAttr();
    break;
  case kernels::PointerArg::Count:
    bytes = buffer(host::BufferKind::cell, firstCell + arg.index);
    break;
  }
  if (!bytes)
    return fusion.emitOpError(
        "has a kernel that reads a value without a buffer");
  return bytes;
}

DimExpr ProgramBuilder::pointerBytes(graph::FusionOp fusion,
                                     const SharedPlan &plan,
                                     const kernels::PointerArg &arg) {
  switch (arg.kind) {
  case kernels::PointerArg::Operand:
    return memory::bytesOf(fusion.getInputs()[arg.index], dims);
  case kernels::PointerArg::Result:
    return plan.capacityBytes.empty()
               ? memory::bytesOf(fusion->getResult(arg.index), dims)
               : plan.capacityBytes[arg.index];
  case kernels::PointerArg::Scratch:
    return plan.scratchBytes[arg.index];
  case kernels::PointerArg::Count:
    return DimExpr(8);
  }
  return DimExpr(0);
}

/// Scalars that a fusion which only reshapes puts into memory.
LogicalResult ProgramBuilder::writeScalars(graph::FusionOp fusion) {
  for (OpResult result : fusion->getResults()) {
    Value source = host.writtenBy(fusion, result.getResultNumber());
    if (!source)
      continue;
    FailureOr<DimExpr> scalar = scalarOf(source, fusion);
    if (failed(scalar))
      return failure();
    if (failed(allocateResult(result, memory::bytesOf(result, dims))))
      return failure();
    Type type = cast<RankedTensorType>(result.getType()).getElementType();
    builder.create<host::ScalarOp>(fusion.getLoc(), dim(*scalar),
                                   buffers.lookup(result), type);
  }
  return success();
}

/// Sizes that the kernels of a fusion wrote into cells.
LogicalResult ProgramBuilder::bindCounts(graph::FusionOp fusion,
                                         const SharedPlan &plan,
                                         unsigned firstCell) {
  for (auto [index, count] : llvm::enumerate(plan.counts)) {
    std::optional<std::string> symbol =
        dims.dimOf(fusion->getResult(count.result), count.dim).asSymbol();
    if (!symbol)
      return fusion.emitOpError("counts a size that has no symbol");
    builder.create<host::FetchOp>(
        fusion.getLoc(), *symbol,
        buffer(host::BufferKind::cell, firstCell + index),
        builder.getI64Type());
    learn(*symbol);
  }
  return success();
}

/// Arithmetic of all ops of a fusion.
static DimExpr flopsOf(graph::FusionOp fusion, graph::DimAnalysis &dims) {
  DimExpr flops(0);
  for (Operation &op : fusion.getBody().front())
    if (auto rule = dyn_cast<cost::CostRule>(op))
      flops = flops + rule.flops(dims);
  return flops;
}

/// The place of the fusion, then those of its ops, for profiles.
static Location placesOf(graph::FusionOp fusion) {
  SmallVector<Location> places{fusion.getLoc()};
  for (Operation &op : fusion.getBody().front().without_terminator())
    places.push_back(op.getLoc());
  return FusedLoc::get(fusion.getContext(), places);
}

/// The value that a fusion writes into part of its result `index`, whose other
/// elements earlier launches or the caller wrote; null where it writes all.
static Value updateOf(graph::FusionOp fusion, unsigned index) {
  Operation *yield = fusion.getBody().front().getTerminator();
  Operation *last = yield->getOperand(index).getDefiningOp();
  if (auto update = dyn_cast_or_null<graph::DynamicUpdateSliceOp>(last))
    return update.getUpdate();
  if (auto scatter = dyn_cast_or_null<graph::ScatterOp>(last))
    return scatter.getUpdates();
  return Value();
}

/// Bytes that a launch moves at least: all that its pointers lead to, except
/// that of a gathered operand only the gathered elements count, and of an
/// updated result only those that change.
DimExpr ProgramBuilder::leastBytes(graph::FusionOp fusion,
                                   const SharedPlan &plan,
                                   const SharedLaunch &launch) {
  DimExpr total(0);
  bool updates = fusion.getKind() == graph::FusionKind::scatter &&
                 &launch != plan.launches.begin();
  for (const kernels::PointerArg &pointer : launch.pointers) {
    DimExpr bytes = pointerBytes(fusion, plan, pointer);
    if (pointer.kind == kernels::PointerArg::Result && updates)
      if (Value update = updateOf(fusion, pointer.index))
        bytes = DimExpr::min(bytes, memory::bytesOf(update, dims));
    if (pointer.kind == kernels::PointerArg::Operand) {
      DimExpr read(0);
      bool gathered = true;
      for (OpOperand &use :
           fusion.getBody().getArgument(pointer.index).getUses()) {
        Operation *reader = use.getOwner();
        gathered &= use.getOperandNumber() == 0 &&
                    isa<graph::GatherOp, graph::DynamicSliceOp>(reader);
        if (gathered)
          read = read + memory::bytesOf(reader->getResult(0), dims);
      }
      if (gathered)
        bytes = DimExpr::min(bytes, read);
    }
    total = total + bytes;
  }
  return total;
}

/// True for the first launch of an update, which copies the operands to the
/// results, where both are the same buffers.
static bool copiesInPlace(graph::FusionOp fusion, const SharedPlan &plan,
                          const SharedLaunch &launch,
                          ArrayRef<Attribute> buffers) {
  if (fusion.getKind() != graph::FusionKind::scatter ||
      &launch != plan.launches.begin() || plan.launches.size() < 2)
    return false;
  llvm::DenseSet<Attribute> read, written;
  for (auto [pointer, buffer] : llvm::zip(launch.pointers, buffers))
    (pointer.kind == kernels::PointerArg::Operand ? read : written)
        .insert(buffer);
  return read.size() == written.size() &&
         llvm::all_of(
             read, [&](Attribute buffer) { return written.contains(buffer); });
}

LogicalResult ProgramBuilder::guardReads(graph::FusionOp fusion) {
  for (const ShapeGuard &guard : collectReadGuards(fusion, dims)) {
    if (failed(checkSymbols(guard.nonnegative, fusion)))
      return failure();
    graph::markRunError(builder.create<host::GuardOp>(
        fusion.getLoc(), dim(guard.nonnegative), guard.message));
  }
  return success();
}

LogicalResult ProgramBuilder::launch(graph::FusionOp fusion) {
  if (liveness::isReshapeOnly(fusion))
    return writeScalars(fusion);
  if (failed(guardReads(fusion)))
    return failure();
  FailureOr<SharedPlan> plan =
      table.planOf(fusion, dims, sharingOf(fusion), unreadOf(fusion));
  if (failed(plan) || failed(allocateMemory(fusion, *plan)))
    return failure();
  if (plan->hostOnly && explainsFallbacks)
    remarks::emit(fusion, remarks::Code::DEV001);
  unsigned firstCell = cellCount;
  cellCount += plan->counts.size();
  Location places = placesOf(fusion);
  for (const SharedLaunch &launch : plan->launches) {
    SmallVector<Attribute> pointers, bytes;
    SmallVector<int64_t> written;
    for (auto [index, pointer] : llvm::enumerate(launch.pointers)) {
      FailureOr<host::BufferAttr> found =
          pointerBuffer(fusion, pointer, firstCell);
      if (failed(found))
        return failure();
      pointers.push_back(*found);
      bytes.push_back(dim(pointerBytes(fusion, *plan, pointer)));
      if (pointer.kind != kernels::PointerArg::Operand)
        written.push_back(index);
    }
    if (copiesInPlace(fusion, *plan, launch, pointers))
      continue;
    if (failed(checkSymbols(launch.tasks, fusion)) ||
        failed(checkSymbols(launch.guard, fusion)))
      return failure();
    for (const DimExpr &size : launch.sizes)
      if (failed(checkSymbols(size, fusion)))
        return failure();
    auto kernel =
        SymbolRefAttr::get(builder.getContext(), host::kernelsModuleName,
                           FlatSymbolRefAttr::get(launch.kernel));
    auto op = builder.create<host::LaunchOp>(
        places, kernel, builder.getArrayAttr(pointers), dimArray(launch.sizes),
        dim(launch.tasks), builder.getF64FloatAttr(launch.costPerTask),
        launch.guard.isConstant(1) ? graph::DimAttr() : dim(launch.guard),
        UnitAttr(), ArrayAttr(), DenseI64ArrayAttr());
    // Launches before the last one of a fusion only move data.
    bool isLast = &launch == &plan->launches.back();
    op->setAttr(host::flopsAttrName,
                dim(isLast ? flopsOf(fusion, dims) : DimExpr(0)));
    op->setAttr(host::bytesAttrName, dim(leastBytes(fusion, *plan, launch)));
    if (plan->hostOnly) {
      op.setHostOnly(true);
      op.setPointerBytesAttr(builder.getArrayAttr(bytes));
      op.setWritten(written);
    }
  }
  return bindCounts(fusion, *plan, firstCell);
}

} // namespace zenith::pipeline
