// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of programs: each kind has a class or function of its own.

#include "lowering/program/StepEmitter.h"

#include "ir/AssertionCode.h"
#include "ir/GraphDialect.h"
#include "lowering/program/EntryArguments.h"
#include "runtime/ABI.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;

namespace zenith::pipeline {

StepEmitter::StepEmitter(HostFunction &code, BufferCode &buffers,
                         EntryResults &results, ProgramMemory &memory,
                         FileCode &file, const StringMap<int64_t> &kernels,
                         const std::vector<bool> &kept)
    : HostCode(code), buffers(buffers), results(results), file(file),
      kept(kept), launches(code, buffers, kernels), scalars(code, buffers),
      control(code, buffers, results, memory, *this),
      loops(code, buffers, memory, control) {
  if (code.program.getSymName() == graph::prepareFunctionName &&
      !code.deviceKernels)
    findLastReaders();
}

void StepEmitter::findLastReaders() {
  std::map<int64_t, mlir::Operation *> last;
  for (mlir::Operation &op : code.program.getBody().front())
    op.getAttrDictionary().walk([&](host::BufferAttr buffer) {
      if (buffer.getKind() == host::BufferKind::param)
        last[buffer.getIndex()] = &op;
    });
  for (auto [index, op] : last)
    lastReads[op].push_back(index);
}

/// Code of the step may be conditional, and later steps share the values, so
/// all of them are computed before it.
void StepEmitter::computeSizes(mlir::Operation *op) {
  // An overflow of these must not fail a run that does not need them.
  if (mlir::isa<host::AssertOp, host::EvalOp>(op))
    return;
  for (mlir::NamedAttribute attr : op->getAttrs()) {
    StringRef name = attr.getName();
    bool isEstimate =
        name == host::flopsAttrName || name == host::bytesAttrName;
    bool isUnused = name == "pointer_bytes" && !code.deviceKernels;
    if (!isEstimate && !isUnused)
      sizes.evaluateKnown(attr.getValue());
  }
}

void StepEmitter::guard(const graph::DimExpr &nonnegative, StringRef message,
                        int32_t error) {
  Value *isNegative =
      builder.CreateICmpSLT(sizes.evaluate(nonnegative), builder.getInt64(0));
  code.failIf(isNegative, error, message.str());
}

/// The steps before the first that reads or writes memory.
static mlir::Block::iterator endOfChecks(mlir::Block &block) {
  return std::find_if(block.begin(), block.end(), [](mlir::Operation &op) {
    return !mlir::isa<host::EvalOp, host::AssertOp, host::GuardOp>(op);
  });
}

void StepEmitter::checkGuards() {
  mlir::Block &steps = code.frame->program.getBody().front();
  for (mlir::Operation &op :
       llvm::make_range(steps.begin(), endOfChecks(steps)))
    emit(&op);
  if (mlir::ArrayAttr guards = code.frame->program.getGuardsAttr())
    for (auto each : guards.getAsRange<host::ShapeGuardAttr>())
      guard(each.getNonnegative().getExpr(), each.getMessage(),
            ZENITH_INVALID_INPUT);
}

void StepEmitter::run() {
  mlir::Block &block = code.frame->program.getBody().front();
  for (mlir::Operation &op :
       llvm::make_range(endOfChecks(block), block.end())) {
    computeSizes(&op);
    code.checkSizes();
    emit(&op);
    releaseParameters(&op);
  }
}

void StepEmitter::emit(mlir::Operation *op) {
  TypeSwitch<mlir::Operation *>(op)
      .Case([&](host::LaunchOp o) { launches.launch(o); })
      .Case([&](host::CopyOp o) { copy(o); })
      .Case([&](host::AwaitOp o) { file.await(o); })
      .Case([&](host::ScalarOp o) { scalars.write(o); })
      .Case([&](host::AllocOp o) { allocate(o); })
      .Case([&](host::DeallocOp o) {
        buffers.deallocate(code.frame->slots[o.getSlot()].base);
      })
      .Case([&](host::FetchOp o) { scalars.fetch(o); })
      .Case([&](host::EvalOp o) { scalars.evaluate(o); })
      .Case([&](host::GuardOp o) {
        guard(o.getNonnegative().getExpr(), o.getMessage(),
              int32_t(graph::assertionCode(o)));
      })
      .Case([&](host::AssertOp o) { check(o); })
      .Case([&](host::IfOp o) { control.branch(o); })
      .Case([&](host::WhileOp o) { loops.loop(o); })
      .Case([&](host::YieldOp o) { yield(o); });
}

void StepEmitter::copy(host::CopyOp op) {
  if (host::bytesOfTransfer(op))
    return file.start(op);
  buffers.copy(buffers.at(op.getTarget()), buffers.at(op.getSource()),
               sizes.evaluate(op.getBytesAttr()));
}

void StepEmitter::allocate(host::AllocOp op) {
  Value *bytes = sizes.evaluate(op.getBytesAttr());
  unsigned index = op.getTarget().getIndex();
  if (op.getTarget().getKind() == host::BufferKind::slot)
    code.frame->slots[index] = buffers.allocate(bytes);
  else if (op.getReuses() && !code.deviceKernels)
    code.frame->results[index] = reuse(index, bytes);
  else if (code.frame->isNested)
    code.frame->results[index] = buffers.allocate(bytes);
  else
    results.allocate(index, bytes);
}

/// The memory of an argument if it has as many bytes or can grow to have them,
/// else new memory.
Bytes StepEmitter::reuse(unsigned index, Value *bytes) {
  Bytes argument = code.frame->arguments[index];
  host::ValueAttr value = valueAt(code.frame->program.getArguments(), index);
  Value *fits = builder.CreateICmpEQ(bytes, sizes.evaluate(bytesOf(value)));
  BasicBlock *before = builder.GetInsertBlock(), *grow = code.block("grow"),
             *done = code.block("done");
  builder.CreateCondBr(fits, done, grow);
  builder.SetInsertPoint(grow);
  Bytes fresh = buffers.extend(argument, bytes);
  BasicBlock *grown = builder.GetInsertBlock();
  builder.CreateBr(done);
  builder.SetInsertPoint(done);
  PHINode *base = builder.CreatePHI(fresh.base->getType(), 2);
  base->addIncoming(argument.base, before);
  base->addIncoming(fresh.base, grown);
  return {base, nullptr};
}

void StepEmitter::check(host::AssertOp op) {
  // Before the branch: later steps may use the values.
  SmallVector<Value *> values;
  for (mlir::Attribute detail : op.getDetails())
    values.push_back(sizes.evaluate(detail));
  BasicBlock *bad = code.block(), *next = code.block();
  Value *holds = builder.CreateICmpNE(sizes.evaluate(op.getConditionAttr()),
                                      builder.getInt64(0));
  builder.CreateCondBr(holds, next, bad);
  builder.SetInsertPoint(bad);
  AllocaInst *details = code.stackArray(i64, op.getDetails().size(), "details");
  for (auto [index, value] : enumerate(values))
    builder.CreateStore(
        value, builder.CreateConstInBoundsGEP1_64(i64, details, index));
  code.fail(code.call(
      "zenith_fail_assert", i32,
      {code.run(), builder.getInt32(int32_t(graph::assertionCode(op))),
       code.text(op.getMessage()), details,
       builder.getInt64(op.getDetails().size()), code.text(op.getLocation())}));
  builder.SetInsertPoint(next);
}

void StepEmitter::yield(host::YieldOp op) {
  for (auto [index, value] : enumerate(op.getValues())) {
    PassedValue &out = code.frame->yielded[index];
    if (auto scalar = mlir::dyn_cast<graph::DimAttr>(value))
      out.scalar = sizes.evaluate(scalar);
    if (auto extents = mlir::dyn_cast<mlir::ArrayAttr>(value)) {
      for (mlir::Attribute size : extents)
        out.extents.push_back(sizes.evaluate(size));
      if (!code.frame->isNested)
        results.setExtents(index);
    }
  }
}

/// Releases the parameters whose last reader is `op`.
void StepEmitter::releaseParameters(mlir::Operation *op) {
  for (int64_t index : lastReads.lookup(op))
    if (!kept[index])
      code.call("zenith_param_done", Type::getVoidTy(context),
                {code.run(), builder.getInt64(index)});
}

} // namespace zenith::pipeline
