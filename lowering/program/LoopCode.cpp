// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops as basic blocks whose header joins what changes from step to step.

#include "lowering/program/LoopCode.h"

#include "ir/tensor/Tensor.h"

using namespace llvm;

namespace zenith::pipeline {

/// A loop-carried value. What the loop's header joins is a phi while the loop
/// is emitted.
struct LoopCode::Carried {
  host::OutcomeAttr outcome; ///< null for a scalar
  bool inPlace = false;
  bool mayGrow = false; ///< the body takes its memory over unless it grows
  PassedValue now;
  Bytes next, afterNext; ///< in turns: where this step and the next one write
  Bytes home;            ///< in turns: where the result belongs
  /// Allocated: the memory to free; null before the first step.
  Value *owner = nullptr;

  bool isScalar() const { return !outcome; }
  bool isAllocated() const { return outcome && outcome.getAllocated(); }
  bool takesTurns() const { return !isScalar() && !isAllocated() && !inPlace; }
};

/// Bytes of a value with given extents.
Value *LoopCode::bytesOfExtents(host::ValueAttr value, const Extents &extents) {
  Value *bytes =
      builder.getInt64(zenith::elementBytes(value.getType().getElementType()));
  for (Value *extent : extents)
    bytes = builder.CreateMul(bytes, extent);
  return bytes;
}

/// A copy of a value in memory of its own.
Bytes LoopCode::ownCopy(host::ValueAttr value, const PassedValue &from) {
  Value *size = bytesOfExtents(value, from.extents);
  Bytes own = buffers.allocate(size);
  buffers.copy(own, from.bytes, size);
  return own;
}

/// Whether a body may leave a result in the memory of its argument.
static bool mayGrow(host::ProgramOp body, int64_t index) {
  return any_of(body.getBody().getOps<host::AllocOp>(), [&](host::AllocOp op) {
    return op.getReuses() && op.getTarget().getIndex() == index;
  });
}

std::vector<LoopCode::Carried> LoopCode::startCarried(host::WhileOp op) {
  std::vector<Carried> carried;
  std::vector<PassedValue> inits = control.passedAll(op.getInits());
  host::ProgramOp body = code.programOf(op.getBodyAttr());
  for (auto [index, result] : enumerate(op.getResults())) {
    Carried value;
    auto outcome = mlir::dyn_cast<host::OutcomeAttr>(result);
    value.outcome = outcome;
    value.inPlace = is_contained(op.getInPlace(), int64_t(index));
    value.mayGrow = mayGrow(body, int64_t(index));
    value.now = inits[index];
    if (value.isAllocated()) {
      value.owner = code.nullPointer();
      if (value.inPlace || value.mayGrow) {
        // The body updates its argument, and the initial value must stay.
        value.now.bytes =
            ownCopy(valueAt(body.getArguments(), index), value.now);
        value.owner = value.now.bytes.base;
      }
    } else if (!value.isScalar()) {
      value.home = buffers.at(outcome.getBuffer());
      auto init = mlir::cast<host::ArgumentAttr>(op.getInits()[index]);
      if (value.inPlace) {
        if (init.getBuffer() != outcome.getBuffer())
          buffers.copy(value.home, value.now.bytes,
                       sizes.evaluate(outcome.getBytes()));
        value.now.bytes = value.home;
      } else {
        value.next = value.home;
        value.afterNext = buffers.at(outcome.getSecond());
      }
    }
    carried.push_back(std::move(value));
  }
  return carried;
}

/// Joins what changes from step to step.
void LoopCode::openHeader(MutableArrayRef<Carried> carried,
                          BasicBlock *before) {
  auto join = [&](Value *&value) {
    if (!value)
      return;
    PHINode *phi = builder.CreatePHI(value->getType(), 2);
    phi->addIncoming(value, before);
    value = phi;
  };
  auto joinBytes = [&](Bytes &bytes) {
    join(bytes.base);
    join(bytes.offset);
  };
  for (Carried &value : carried) {
    join(value.now.scalar);
    if (value.takesTurns() || value.isAllocated())
      joinBytes(value.now.bytes);
    joinBytes(value.next);
    joinBytes(value.afterNext);
    join(value.owner);
    if (value.isAllocated())
      for (Value *&extent : value.now.extents)
        join(extent);
  }
}

/// Ends the body with the values of the next step.
void LoopCode::closeBody(host::WhileOp op, MutableArrayRef<Carried> carried,
                         ArrayRef<PassedValue> next, BasicBlock *header) {
  // Memory that the body replaced is freed first: phis take their values at the
  // end of the block.
  for (auto [value, out] : zip(carried, next))
    if (value.mayGrow)
      buffers.deallocate(builder.CreateSelect(
          builder.CreateICmpEQ(value.owner, out.bytes.base), code.nullPointer(),
          value.owner));
    else if (value.isAllocated() && !value.inPlace)
      buffers.deallocate(value.owner);
  BasicBlock *from = builder.GetInsertBlock();
  auto feed = [&](Value *phi, Value *value) {
    if (phi)
      cast<PHINode>(phi)->addIncoming(value, from);
  };
  auto feedBytes = [&](const Bytes &phi, const Bytes &value) {
    feed(phi.base, value.base);
    feed(phi.offset, value.offset);
  };
  for (auto [value, out] : zip(carried, next)) {
    feed(value.now.scalar, out.scalar);
    if (value.takesTurns()) {
      feedBytes(value.now.bytes, value.next);
      feedBytes(value.next, value.afterNext);
      feedBytes(value.afterNext, value.next);
    }
    if (!value.isAllocated())
      continue;
    feedBytes(value.now.bytes, value.inPlace ? value.now.bytes : out.bytes);
    feed(value.owner, value.inPlace ? value.owner : out.bytes.base);
    for (auto [phi, extent] : zip(value.now.extents, out.extents))
      feed(phi, extent);
  }
  builder.CreateBr(header);
}

/// Copies results to where they belong, and binds their symbols.
void LoopCode::endCarried(host::WhileOp op, MutableArrayRef<Carried> carried) {
  host::ProgramOp body = code.programOf(op.getBodyAttr());
  for (auto [index, value] : enumerate(carried)) {
    BasicBlock *move = code.block(), *done = code.block();
    if (value.takesTurns()) {
      Value *differ =
          builder.CreateICmpNE(value.now.bytes.base, value.home.base);
      if (code.deviceKernels)
        differ = builder.CreateOr(
            differ,
            builder.CreateICmpNE(value.now.bytes.offset, value.home.offset));
      builder.CreateCondBr(differ, move, done);
      builder.SetInsertPoint(move);
      buffers.copy(value.home, value.now.bytes,
                   sizes.evaluate(value.outcome.getBytes()));
      builder.CreateBr(done);
      builder.SetInsertPoint(done);
    } else if (value.isAllocated()) {
      // Without a step the value is still the initial one, whose memory belongs
      // to the caller.
      BasicBlock *from = builder.GetInsertBlock();
      builder.CreateCondBr(builder.CreateIsNull(value.owner), move, done);
      builder.SetInsertPoint(move);
      Bytes own = ownCopy(valueAt(body.getArguments(), index), value.now);
      BasicBlock *moved = builder.GetInsertBlock();
      builder.CreateBr(done);
      builder.SetInsertPoint(done);
      PHINode *base = builder.CreatePHI(pointerType, 2);
      base->addIncoming(value.now.bytes.base, from);
      base->addIncoming(own.base, moved);
      value.now.bytes.base = base;
      if (code.deviceKernels)
        value.now.bytes.offset = builder.getInt64(0);
    } else {
      move->eraseFromParent();
      done->eraseFromParent();
    }
    control.bindOutcome(op.getResults()[index], value.now);
  }
}

void LoopCode::checkCancel() {
  LoadInst *flag =
      builder.CreateLoad(i32, code.cancelFlag, /*isVolatile=*/true);
  code.failWithStatus(builder.CreateIsNotNull(flag));
}

/// Reports the loop-carried scalars of a loop of the entry to the run. A word
/// more, which is 0, is the host's to set where the loop should end; null in
/// other loops.
Value *LoopCode::reportProgress(ArrayRef<Carried> carried) {
  if (code.frame->isNested)
    return nullptr;
  SmallVector<Value *> scalars;
  for (const Carried &value : carried)
    if (value.isScalar())
      scalars.push_back(value.now.scalar);
  Value *array = code.stackArray(i64, scalars.size() + 1, "progress");
  for (auto [index, scalar] : enumerate(scalars))
    builder.CreateStore(scalar, builder.CreateConstGEP1_64(i64, array, index));
  Value *ends = builder.CreateConstGEP1_64(i64, array, scalars.size());
  builder.CreateStore(builder.getInt64(0), ends);
  code.call("zenith_progress", Type::getVoidTy(context),
            {code.run(), builder.getInt64(loops++), array,
             builder.getInt64(scalars.size())});
  return builder.CreateLoad(i64, ends);
}

void LoopCode::loop(host::WhileOp op) {
  std::vector<Carried> carried = startCarried(op);
  std::vector<PassedValue> ofCondition =
                               control.passedAll(op.getConditionArguments()),
                           ofBody = control.passedAll(op.getBodyArguments());
  control.share(op.getSharesAttr(), op.getNumbers());
  Bytes arena = op.getArena() ? buffers.at(*op.getArena()) : Bytes();
  mlir::Builder attributes(op.getContext());
  Reserve reserve = memory.makeReserve(
      attributes.getArrayAttr({op.getConditionAttr(), op.getBodyAttr()}),
      op.getArenaAttr());
  BasicBlock *before = builder.GetInsertBlock(), *header = code.block("header"),
             *inside = code.block("body"), *exit = code.block("exit");
  builder.CreateBr(header);
  builder.SetInsertPoint(header);
  openHeader(carried, before);
  checkCancel();
  Value *ends = reportProgress(carried);
  std::vector<PassedValue> now;
  for (Carried &value : carried)
    now.push_back(value.now);
  auto with = [&](const std::vector<PassedValue> &captures) {
    std::vector<PassedValue> all(now);
    all.insert(all.end(), captures.begin(), captures.end());
    return all;
  };
  std::vector<PassedValue> shouldContinue =
      control.run(code.programOf(op.getConditionAttr()), with(ofCondition),
                  Bytes(), arena, reserve);
  Value *goesOn =
      builder.CreateICmpNE(shouldContinue.front().scalar, builder.getInt64(0));
  if (ends)
    goesOn = builder.CreateAnd(goesOn, builder.CreateIsNull(ends));
  builder.CreateCondBr(goesOn, inside, exit);
  builder.SetInsertPoint(inside);
  std::vector<Bytes> targets;
  for (Carried &value : carried)
    targets.push_back(value.next);
  std::vector<PassedValue> next = control.run(
      code.programOf(op.getBodyAttr()), with(ofBody), targets, arena, reserve);
  closeBody(op, carried, next, header);
  builder.SetInsertPoint(exit);
  memory.freeReserve(reserve);
  endCarried(op, carried);
}

} // namespace zenith::pipeline
