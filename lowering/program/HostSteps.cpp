// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of programs: launches, copies, scalars, memory of sizes that depend on
// data.

#include "lowering/builder/KernelAttributes.h"
#include "lowering/program/HostEntry.h"
#include "runtime/ABI.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;

namespace zenith::pipeline {

using graph::DimExpr;

void HostEntry::runSteps() {
  for (mlir::Operation &op : frame->program.getBody().front()) {
    computeSizes(&op);
    settleSizes();
    step(&op);
    releaseParameters(&op);
  }
}

void HostEntry::step(mlir::Operation *op) {
  TypeSwitch<mlir::Operation *>(op)
      .Case([&](host::LaunchOp o) { launch(o); })
      .Case([&](host::CopyOp o) { copy(o); })
      .Case([&](host::ScalarOp o) { writeScalar(o); })
      .Case([&](host::AllocOp o) { take(o); })
      .Case(
          [&](host::DeallocOp o) { dropBytes(frame->slots[o.getSlot()].base); })
      .Case([&](host::FetchOp o) { fetch(o); })
      .Case([&](host::EvalOp o) { evaluate(o); })
      .Case([&](host::GuardOp o) {
        failIf(builder.CreateICmpSLT(sizes->evaluate(o.getNonnegativeAttr()),
                                     builder.getInt64(0)),
               ZENITH_INVALID_INPUT, o.getMessage().str());
      })
      .Case([&](host::AssertOp o) { check(o); })
      .Case([&](host::IfOp o) { branch(o); })
      .Case([&](host::WhileOp o) { loop(o); })
      .Case([&](host::YieldOp o) { yield(o); });
}

HostEntry::Bytes HostEntry::shifted(Bytes bytes, Value *offset) {
  if (deviceKernels)
    return {bytes.base, builder.CreateAdd(bytes.offset, offset)};
  return {builder.CreateGEP(builder.getInt8Ty(), bytes.base, offset), nullptr};
}

HostEntry::Bytes HostEntry::at(host::BufferAttr place) {
  int64_t index = place.getIndex();
  Value *none = deviceKernels ? builder.getInt64(0) : nullptr;
  auto parameter = [&](int64_t number) {
    return Bytes{
        field(function->getArg(5), number * sizeof(void *), pointerType), none};
  };
  switch (place.getKind()) {
  case host::BufferKind::argument:
    return frame->arguments[index];
  case host::BufferKind::result:
    return frame->results[index];
  case host::BufferKind::constant:
    return frame->constants[index];
  case host::BufferKind::param:
    return parameter(index);
  case host::BufferKind::derived:
    return shifted(parameter(kept.size()), sizes->evaluate(place.getOffset()));
  case host::BufferKind::arena:
    return shifted(frame->arena, sizes->evaluate(place.getOffset()));
  case host::BufferKind::slot:
    return frame->slots[index];
  case host::BufferKind::cell:
    return deviceKernels ? frame->deviceCells[index]
                         : Bytes{frame->cells[index], nullptr};
  }
  return {};
}

void HostEntry::storeSizes(host::LaunchOp op) {
  for (auto [index, size] : enumerate(op.getSizes()))
    builder.CreateStore(
        sizes->evaluate(size),
        builder.CreateConstInBoundsGEP1_64(i64, frame->sizeArray, index));
}

HostEntry::Work HostEntry::workOf(host::LaunchOp op) {
  auto estimate = [&](StringRef name) -> Value * {
    auto amount = op->getAttrOfType<graph::DimAttr>(name);
    return amount && sizes->canEvaluate(amount.getExpr())
               ? sizes->evaluate(amount)
               : builder.getInt64(0);
  };
  return {estimate(host::flopsAttrName), estimate(host::bytesAttrName)};
}

/// Reports the work of a launch to the profile of the run, if it has one.
void HostEntry::reportWork(host::LaunchOp op, Work work) {
  BasicBlock *measured = block(), *next = block();
  builder.CreateCondBr(profiled, measured, next);
  builder.SetInsertPoint(measured);
  StringRef kernel = op.getKernel().getLeafReference().getValue();
  call("zenith_report_work", Type::getVoidTy(context),
       {function->getArg(0), builder.getInt64(kernels.lookup(kernel)),
        work.flops, work.bytes});
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
}

/// A launch with a guard lies in a branch. All sizes are computed before it,
/// since later steps use their values.
void HostEntry::launch(host::LaunchOp op) {
  Work work = workOf(op);
  if (!op.getGuard())
    return launchTaken(op, work);
  Value *guard = sizes->evaluate(op.getGuardAttr());
  BasicBlock *taken = block("variant"), *next = block();
  builder.CreateCondBr(builder.CreateICmpNE(guard, builder.getInt64(0)), taken,
                       next);
  builder.SetInsertPoint(taken);
  launchTaken(op, work);
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
}

void HostEntry::launchTaken(host::LaunchOp op, Work work) {
  storeSizes(op);
  reportWork(op, work);
  if (deviceKernels)
    return op.getHostOnly() ? launchWithCopies(op) : launchOnDevice(op);
  for (auto [index, buffer] :
       enumerate(op.getPointers().getAsRange<host::BufferAttr>()))
    builder.CreateStore(at(buffer).base,
                        builder.CreateConstInBoundsGEP1_64(
                            pointerType, frame->pointers, index));
  launchOnHost(op);
}

/// Runs the task function on the pointers and sizes that are stored. Small
/// launches are plain calls, unless somebody measures them.
void HostEntry::launchOnHost(host::LaunchOp op) {
  StringRef kernel = op.getKernel().getLeafReference().getValue();
  FunctionType *taskType = FunctionType::get(
      Type::getVoidTy(context), {pointerType, pointerType, i64, i64}, false);
  FunctionCallee task = module.getOrInsertFunction(
      (kernel + kernels::taskSuffix).str(), taskType);
  Value *tasks = sizes->evaluate(op.getTasksAttr());
  double cost = std::max(op.getCost().convertToDouble(), 1.0);
  Value *small = builder.CreateICmpSLE(
      tasks, builder.getInt64(int64_t(serialWork / cost)));
  SmallVector<Value *> arguments{function->getArg(0),
                                 task.getCallee(),
                                 frame->pointers,
                                 frame->sizeArray,
                                 tasks,
                                 builder.getInt64(kernels.lookup(kernel))};
  BasicBlock *direct = block(), *measured = block(), *done = block();
  builder.CreateCondBr(builder.CreateAnd(small, builder.CreateNot(profiled)),
                       direct, measured);
  builder.SetInsertPoint(direct);
  builder.CreateCall(
      task, {frame->pointers, frame->sizeArray, builder.getInt64(0), tasks});
  builder.CreateBr(done);
  builder.SetInsertPoint(measured);
  // Both functions have one type, so the choice needs no branch.
  SmallVector<Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  FunctionType *type = FunctionType::get(i32, types, false);
  Value *serial =
      module.getOrInsertFunction("zenith_serial_for", type).getCallee();
  Value *parallel =
      module.getOrInsertFunction("zenith_parallel_for", type).getCallee();
  failUnlessOK(builder.CreateCall(
      type, builder.CreateSelect(small, serial, parallel), arguments));
  builder.CreateBr(done);
  builder.SetInsertPoint(done);
  // Routines of the runtime may refuse what they find.
  if (op.getHostOnly())
    failUnlessOK(call("zenith_status", i32, {function->getArg(0)}));
}

void HostEntry::copyBytes(Bytes to, Bytes from, Value *bytes) {
  if (deviceKernels)
    return failUnlessOK(call("zenith_device_copy", i32,
                             {function->getArg(0), to.base, to.offset,
                              from.base, from.offset, bytes}));
  // A donated argument may be where its result goes.
  builder.CreateMemMove(to.base, Align(1), from.base, Align(1), bytes);
}

void HostEntry::copy(host::CopyOp op) {
  copyBytes(at(op.getTarget()), at(op.getSource()),
            sizes->evaluate(op.getBytesAttr()));
}

/// A number as the entry keeps it: 64 bits, extended by its type.
Value *HostEntry::extended(Value *number, mlir::Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  bool isUnsigned = type.isUnsignedInteger() || width == 1;
  if (number->getType() != i64)
    number = isUnsigned ? builder.CreateZExt(number, i64)
                        : builder.CreateSExt(number, i64);
  return number;
}

/// Bytes of a scalar in memory.
static unsigned storedBytes(mlir::Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  return width < 8 ? 1 : width / 8;
}

void HostEntry::writeScalar(host::ScalarOp op) {
  unsigned width = storedBytes(op.getType());
  Value *number = builder.CreateTrunc(sizes->evaluate(op.getValueAttr()),
                                      builder.getIntNTy(8 * width));
  host::BufferAttr target = op.getTarget();
  bool isCell = target.getKind() == host::BufferKind::cell;
  if (!deviceKernels) {
    builder.CreateAlignedStore(number, at(target).base, Align(width));
    return;
  }
  Value *local =
      isCell ? frame->cells[target.getIndex()] : room(i64, 1, "scalar");
  builder.CreateStore(number, local);
  upload(-1, at(target), local, builder.getInt64(width));
}

void HostEntry::fetch(host::FetchOp op) {
  unsigned width = storedBytes(op.getType());
  host::BufferAttr source = op.getSource();
  Value *data;
  if (!deviceKernels) {
    data = at(source).base;
  } else if (source.getKind() == host::BufferKind::cell) {
    data = frame->cells[source.getIndex()];
  } else {
    data = room(i64, 1, "fetched");
    download(-1, data, at(source), builder.getInt64(width));
  }
  sizes->bind(op.getSymbol(),
              extended(builder.CreateLoad(builder.getIntNTy(8 * width), data),
                       op.getType()));
}

HostEntry::Bytes HostEntry::takeBytes(Value *bytes) {
  Value *data = call(deviceKernels ? "zenith_device_take" : "zenith_alloc",
                     pointerType, {function->getArg(0), bytes});
  failIfNull(data);
  return {data, deviceKernels ? builder.getInt64(0) : nullptr};
}

void HostEntry::dropBytes(Value *owner) {
  call(deviceKernels ? "zenith_device_drop" : "zenith_free",
       Type::getVoidTy(context), {function->getArg(0), owner});
}

void HostEntry::take(host::AllocOp op) {
  Value *bytes = sizes->evaluate(op.getBytesAttr());
  unsigned index = op.getTarget().getIndex();
  if (op.getTarget().getKind() == host::BufferKind::slot)
    frame->slots[index] = takeBytes(bytes);
  else if (frame->isNested)
    frame->results[index] = takeBytes(bytes);
  else
    takeResult(index, bytes);
}

void HostEntry::check(host::AssertOp op) {
  // Before the branch: later steps may use the values.
  SmallVector<Value *> values;
  for (mlir::Attribute detail : op.getDetails())
    values.push_back(sizes->evaluate(detail));
  BasicBlock *bad = block(), *next = block();
  Value *holds = builder.CreateICmpNE(sizes->evaluate(op.getConditionAttr()),
                                      builder.getInt64(0));
  builder.CreateCondBr(holds, next, bad);
  builder.SetInsertPoint(bad);
  AllocaInst *details =
      room(i64, std::max<size_t>(op.getDetails().size(), 1), "details");
  for (auto [index, value] : enumerate(values))
    builder.CreateStore(
        value, builder.CreateConstInBoundsGEP1_64(i64, details, index));
  failure->addIncoming(
      call("zenith_fail_assert", i32,
           {function->getArg(0), text(op.getMessage()), details,
            builder.getInt64(op.getDetails().size()), text(op.getLocation())}),
      builder.GetInsertBlock());
  builder.CreateBr(failed);
  builder.SetInsertPoint(next);
}

void HostEntry::yield(host::YieldOp op) {
  for (auto [index, value] : enumerate(op.getValues())) {
    Passed &out = frame->yielded[index];
    if (auto scalar = mlir::dyn_cast<graph::DimAttr>(value))
      out.number = sizes->evaluate(scalar);
    if (auto extents = mlir::dyn_cast<mlir::ArrayAttr>(value)) {
      for (mlir::Attribute size : extents)
        out.extents.push_back(sizes->evaluate(size));
      if (!frame->isNested)
        setExtents(index);
    }
  }
}

} // namespace zenith::pipeline
