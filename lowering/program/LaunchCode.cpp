// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches: small ones are plain calls, others run on all threads or a device.

#include "lowering/program/LaunchCode.h"

#include "lowering/builder/KernelAttributes.h"
#include "runtime/ABI.h"

using namespace llvm;

namespace zenith::pipeline {

/// Largest amount of work (flops and bytes, as LaunchOp counts) that the
/// caller's thread does alone, since to wake other threads would take longer.
static constexpr double serialWork = 150000;

static StringRef kernelName(host::LaunchOp op) {
  return op.getKernel().getLeafReference().getValue();
}

Value *LaunchCode::kernelIndex(host::LaunchOp op) {
  return builder.getInt64(kernels.lookup(kernelName(op)));
}

void LaunchCode::storeSizes(host::LaunchOp op) {
  for (auto [index, size] : enumerate(op.getSizes()))
    builder.CreateStore(
        sizes.evaluate(size),
        builder.CreateConstInBoundsGEP1_64(i64, code.frame->sizeArray, index));
}

LaunchCode::Work LaunchCode::workOf(host::LaunchOp op) {
  auto estimate = [&](StringRef name) -> Value * {
    auto amount = op->getAttrOfType<graph::DimAttr>(name);
    return amount && sizes.canEvaluate(amount.getExpr())
               ? sizes.evaluate(amount)
               : builder.getInt64(0);
  };
  return {estimate(host::flopsAttrName), estimate(host::bytesAttrName)};
}

/// Reports the work of a launch to the profile of the run, if it has one.
void LaunchCode::reportWork(host::LaunchOp op, Work work) {
  BasicBlock *measured = code.block(), *next = code.block();
  builder.CreateCondBr(code.profiled, measured, next);
  builder.SetInsertPoint(measured);
  code.call("zenith_report_work", Type::getVoidTy(context),
            {code.run(), kernelIndex(op), work.flops, work.bytes});
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
}

/// A launch with a guard lies in a branch. All sizes are computed before it,
/// since later steps use their values.
void LaunchCode::launch(host::LaunchOp op) {
  Work work = workOf(op);
  if (!op.getGuard())
    return emit(op, work);
  Value *guard = sizes.evaluate(op.getGuardAttr());
  BasicBlock *chosen = code.block("variant"), *next = code.block();
  builder.CreateCondBr(builder.CreateICmpNE(guard, builder.getInt64(0)), chosen,
                       next);
  builder.SetInsertPoint(chosen);
  emit(op, work);
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
}

void LaunchCode::emit(host::LaunchOp op, Work work) {
  storeSizes(op);
  reportWork(op, work);
  if (code.deviceKernels)
    return op.getHostOnly() ? emitWithCopies(op) : emitOnDevice(op);
  for (auto [index, buffer] :
       enumerate(op.getPointers().getAsRange<host::BufferAttr>()))
    builder.CreateStore(buffers.at(buffer).base,
                        builder.CreateConstInBoundsGEP1_64(
                            pointerType, code.frame->pointers, index));
  emitOnHost(op);
}

/// Runs the task function on the stored pointers and sizes. Small launches are
/// plain calls, unless the run is measured.
void LaunchCode::emitOnHost(host::LaunchOp op) {
  FunctionType *taskType = FunctionType::get(
      Type::getVoidTy(context), {pointerType, pointerType, i64, i64}, false);
  FunctionCallee task = code.module.getOrInsertFunction(
      (kernelName(op) + kernels::taskSuffix).str(), taskType);
  Value *tasks = sizes.evaluate(op.getTasksAttr());
  double cost = std::max(op.getCost().convertToDouble(), 1.0);
  Value *small = builder.CreateICmpSLE(
      tasks, builder.getInt64(int64_t(serialWork / cost)));
  SmallVector<Value *> arguments{
      code.run(), task.getCallee(), code.frame->pointers, code.frame->sizeArray,
      tasks,      kernelIndex(op)};
  BasicBlock *direct = code.block(), *measured = code.block(),
             *done = code.block();
  builder.CreateCondBr(
      builder.CreateAnd(small, builder.CreateNot(code.profiled)), direct,
      measured);
  builder.SetInsertPoint(direct);
  builder.CreateCall(task, {code.frame->pointers, code.frame->sizeArray,
                            builder.getInt64(0), tasks});
  builder.CreateBr(done);
  builder.SetInsertPoint(measured);
  // Both functions have one type, so the choice needs no branch.
  SmallVector<Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  FunctionType *type = FunctionType::get(i32, types, false);
  Value *serial =
      code.module.getOrInsertFunction("zenith_serial_for", type).getCallee();
  Value *parallel =
      code.module.getOrInsertFunction("zenith_parallel_for", type).getCallee();
  code.failUnlessOK(builder.CreateCall(
      type, builder.CreateSelect(small, serial, parallel), arguments));
  builder.CreateBr(done);
  builder.SetInsertPoint(done);
  // Routines of the runtime may refuse their input.
  if (op.getHostOnly())
    code.failUnlessOK(code.call("zenith_run_status", i32, {code.run()}));
}

void LaunchCode::emitOnDevice(host::LaunchOp op) {
  for (auto [index, buffer] :
       enumerate(op.getPointers().getAsRange<host::BufferAttr>())) {
    Bytes bytes = buffers.at(buffer);
    Value *reference = builder.CreateConstInBoundsGEP1_64(
        builder.getInt8Ty(), code.frame->pointers,
        index * sizeof(zenith_buffer_ref));
    builder.CreateStore(bytes.base, reference);
    builder.CreateStore(bytes.offset, builder.CreateConstInBoundsGEP1_64(
                                          builder.getInt8Ty(), reference,
                                          offsetof(zenith_buffer_ref, offset)));
  }
  code.failUnlessOK(
      code.call("zenith_device_launch", i32,
                {code.run(), kernelIndex(op), code.frame->pointers,
                 builder.getInt64(op.getPointers().size()),
                 code.frame->sizeArray, builder.getInt64(op.getSizes().size()),
                 sizes.evaluate(op.getTasksAttr())}));
}

/// A kernel that only the host can run: copies its operands from the device,
/// and what it wrote back.
void LaunchCode::emitWithCopies(host::LaunchOp op) {
  ArrayRef<int64_t> written = op.getWritten().value_or(ArrayRef<int64_t>());
  std::vector<std::pair<host::BufferAttr, Value *>> copies;
  std::vector<Value *> byteCounts;
  for (auto [index, attr] : enumerate(op.getPointers())) {
    auto buffer = mlir::cast<host::BufferAttr>(attr);
    Value *bytes = sizes.evaluate((*op.getPointerBytes())[index]);
    Value *data;
    if (buffer.getKind() == host::BufferKind::cell) {
      data = code.frame->cells[buffer.getIndex()];
    } else {
      data = code.call("zenith_alloc", pointerType, {code.run(), bytes});
      code.failIfNull(data);
      // Results too: a kernel may leave a part of one unchanged.
      buffers.download(-1, data, buffers.at(buffer), bytes);
    }
    copies.push_back({buffer, data});
    byteCounts.push_back(bytes);
    builder.CreateStore(data, builder.CreateConstInBoundsGEP1_64(
                                  pointerType, code.frame->pointers, index));
  }
  emitOnHost(op);
  for (auto [index, copy] : enumerate(copies)) {
    if (copy.first.getKind() == host::BufferKind::cell)
      continue;
    if (is_contained(written, int64_t(index)))
      buffers.upload(-1, buffers.at(copy.first), copy.second,
                     byteCounts[index]);
    code.call("zenith_free", Type::getVoidTy(context),
              {code.run(), copy.second});
  }
}

} // namespace zenith::pipeline
