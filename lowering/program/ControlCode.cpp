// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches and loops: nested programs as blocks of the entry's function,
// carried numbers in registers, carried buffers in place or by turns.

#include "lowering/program/HostEntry.h"

#include "ir/tensor/Tensor.h"
#include "runtime/ABI.h"

using namespace llvm;

namespace zenith::pipeline {

using graph::DimExpr;

host::ProgramOp HostEntry::programOf(mlir::Attribute name) {
  auto symbol = mlir::cast<mlir::FlatSymbolRefAttr>(name);
  return program->getParentOfType<mlir::ModuleOp>()
      .lookupSymbol<host::ProgramOp>(symbol.getAttr());
}

static StringRef textOf(mlir::Attribute attr) {
  return mlir::cast<mlir::StringAttr>(attr).getValue();
}

HostEntry::Passed HostEntry::passed(mlir::Attribute attr) {
  Passed out;
  auto argument = mlir::dyn_cast<host::ArgumentAttr>(attr);
  if (!argument) {
    out.number = sizes->evaluate(attr);
    return out;
  }
  out.bytes = at(argument.getBuffer());
  for (mlir::Attribute size : argument.getDims())
    out.extents.push_back(sizes->evaluate(size));
  return out;
}

std::vector<HostEntry::Passed> HostEntry::passedAll(mlir::ArrayAttr arguments) {
  std::vector<Passed> all;
  for (mlir::Attribute argument : arguments)
    all.push_back(passed(argument));
  return all;
}

/// Gives a nested program's arguments their values; sizes that the caller names
/// too have theirs already.
void HostEntry::bindArguments(host::ProgramOp callee,
                              ArrayRef<Passed> arguments) {
  mlir::ArrayAttr scalars = callee.getScalarsAttr();
  for (auto [index, argument] : enumerate(arguments)) {
    frame->arguments.push_back(argument.bytes);
    if (scalars && !textOf(scalars[index]).empty())
      sizes->bind(textOf(scalars[index]), argument.number);
    if (argument.number)
      continue;
    mlir::ArrayAttr dims = describe(callee.getArguments(), index).getDims();
    for (auto [dim, extent] : zip(dims, argument.extents)) {
      std::optional<std::string> symbol = graph::exprOf(dim).asSymbol();
      if (symbol && !sizes->isBound(*symbol))
        sizes->bind(*symbol, extent);
    }
  }
}

HostEntry::Reserve HostEntry::makeReserve(mlir::ArrayAttr callees,
                                          host::BufferAttr arena) {
  Reserve reserve;
  bool needed = !arena && any_of(callees, [&](mlir::Attribute name) {
    return !programOf(name).getArena().getExpr().isConstant(0);
  });
  if (!needed)
    return reserve;
  reserve.base = room(pointerType, 1, "reserve");
  reserve.bytes = room(i64, 1, "reserved");
  builder.CreateStore(ConstantPointerNull::get(cast<PointerType>(pointerType)),
                      reserve.base);
  builder.CreateStore(builder.getInt64(0), reserve.bytes);
  return reserve;
}

/// The arena of a nested program; a reserve grows to the largest that was
/// asked for.
HostEntry::Bytes HostEntry::arenaFor(host::ProgramOp callee, Bytes arena,
                                     const Reserve &reserve) {
  if (callee.getArena().getExpr().isConstant(0) || arena.base)
    return arena;
  Value *bytes = sizes->evaluate(callee.getArenaAttr());
  settleSizes();
  BasicBlock *grow = block(), *done = block();
  builder.CreateCondBr(
      builder.CreateICmpSGT(bytes, builder.CreateLoad(i64, reserve.bytes)),
      grow, done);
  builder.SetInsertPoint(grow);
  dropBytes(builder.CreateLoad(pointerType, reserve.base));
  builder.CreateStore(takeBytes(bytes).base, reserve.base);
  builder.CreateStore(bytes, reserve.bytes);
  builder.CreateBr(done);
  builder.SetInsertPoint(done);
  return {builder.CreateLoad(pointerType, reserve.base),
          deviceKernels ? builder.getInt64(0) : nullptr};
}

void HostEntry::freeReserve(const Reserve &reserve) {
  if (reserve.base)
    dropBytes(builder.CreateLoad(pointerType, reserve.base));
}

std::vector<HostEntry::Passed>
HostEntry::run(host::ProgramOp callee, ArrayRef<Passed> arguments,
               ArrayRef<Bytes> results, Bytes arena, const Reserve &reserve) {
  Frame inner;
  inner.program = callee;
  inner.isNested = true;
  inner.results.assign(results.begin(), results.end());
  Frame *outer = std::exchange(frame, &inner);
  sizes->enter();
  bindArguments(callee, arguments);
  checkGuards();
  settleSizes();
  inner.arena = arenaFor(callee, arena, reserve);
  prepareFrame();
  runSteps();
  std::vector<Passed> out = std::move(inner.yielded);
  for (auto [index, bytes] : enumerate(inner.results))
    out[index].bytes = bytes;
  settleSizes();
  sizes->leave();
  frame = outer;
  return out;
}

void HostEntry::checkCancel() {
  LoadInst *flag = builder.CreateLoad(i32, cancelFlag, /*isVolatile=*/true);
  failWithStatus(builder.CreateIsNotNull(flag));
}

//===- Results
//-------------------------------------------------------------===//

/// Puts memory that a nested program took where the result belongs.
void HostEntry::acceptAllocated(host::OutcomeAttr outcome, Bytes bytes,
                                Value *size) {
  unsigned index = outcome.getBuffer().getIndex();
  if (outcome.getBuffer().getKind() == host::BufferKind::slot) {
    frame->slots[index] = bytes;
    return;
  }
  if (frame->isNested && !frame->results[index].base) {
    frame->results[index] = bytes;
    return;
  }
  if (!frame->isNested && !frame->results[index].base)
    takeResult(index, size);
  copyBytes(frame->results[index], bytes, size);
  dropBytes(bytes.base);
}

void HostEntry::bindOutcome(mlir::Attribute attr, const Passed &value) {
  if (auto symbol = mlir::dyn_cast<mlir::StringAttr>(attr)) {
    sizes->bind(symbol.getValue(), value.number);
    return;
  }
  auto outcome = mlir::cast<host::OutcomeAttr>(attr);
  if (!outcome.getAllocated())
    return;
  for (auto [dim, extent] : zip(outcome.getDims(), value.extents)) {
    std::optional<std::string> symbol = graph::exprOf(dim).asSymbol();
    if (symbol && !sizes->isBound(*symbol))
      sizes->bind(*symbol, extent);
  }
  Value *size = sizes->evaluate(outcome.getBytes());
  settleSizes();
  acceptAllocated(outcome, value.bytes, size);
}

//===- Branches
//------------------------------------------------------------===//

/// Number of the branch to run.
Value *HostEntry::branchIndex(host::IfOp op) {
  Value *selector = sizes->evaluate(op.getSelectorAttr());
  if (!op.getBoolean())
    return selector;
  return builder.CreateZExt(builder.CreateICmpEQ(selector, builder.getInt64(0)),
                            i64);
}

void HostEntry::branch(host::IfOp op) {
  std::vector<host::OutcomeAttr> outcomes; ///< null for scalars
  std::vector<Bytes> results;
  for (mlir::Attribute attr : op.getResults()) {
    auto outcome = mlir::dyn_cast<host::OutcomeAttr>(attr);
    outcomes.push_back(outcome);
    results.push_back(
        outcome && !outcome.getAllocated() ? at(outcome.getBuffer()) : Bytes());
  }
  std::vector<std::vector<Passed>> arguments, ends;
  for (mlir::Attribute part : op.getArguments())
    arguments.push_back(passedAll(mlir::cast<mlir::ArrayAttr>(part)));
  Bytes arena = op.getArena() ? at(*op.getArena()) : Bytes();
  Reserve reserve = makeReserve(op.getBranches(), op.getArenaAttr());
  Value *index = branchIndex(op);
  BasicBlock *join = block("join"), *origin = builder.GetInsertBlock();
  std::vector<BasicBlock *> starts, exits;
  for (auto [number, name] : enumerate(op.getBranches())) {
    starts.push_back(block("branch"));
    builder.SetInsertPoint(starts.back());
    ends.push_back(
        run(programOf(name), arguments[number], results, arena, reserve));
    exits.push_back(builder.GetInsertBlock());
    builder.CreateBr(join);
  }
  builder.SetInsertPoint(origin);
  SwitchInst *choice = builder.CreateSwitch(index, starts.back());
  for (unsigned i = 0; i + 1 < starts.size(); ++i)
    choice->addCase(builder.getInt64(i), starts[i]);
  builder.SetInsertPoint(join);
  auto merge = [&](Type *type, auto valueOf) -> Value * {
    PHINode *phi = PHINode::Create(type, exits.size(), "", join);
    for (auto [end, exit] : zip(ends, exits))
      phi->addIncoming(valueOf(end), exit);
    return phi;
  };
  std::vector<Passed> merged(outcomes.size());
  for (unsigned k = 0; k < outcomes.size(); ++k) {
    if (!outcomes[k])
      merged[k].number = merge(i64, [&](auto &end) { return end[k].number; });
    if (!outcomes[k] || !outcomes[k].getAllocated())
      continue;
    merged[k].bytes.base =
        merge(pointerType, [&](auto &end) { return end[k].bytes.base; });
    if (deviceKernels)
      merged[k].bytes.offset =
          merge(i64, [&](auto &end) { return end[k].bytes.offset; });
    for (unsigned d = 0; d < ends[0][k].extents.size(); ++d)
      merged[k].extents.push_back(
          merge(i64, [&](auto &end) { return end[k].extents[d]; }));
  }
  freeReserve(reserve);
  for (auto [result, value] : zip(op.getResults(), merged))
    bindOutcome(result, value);
}

//===- Loops
//---------------------------------------------------------------===//

/// A carried value. What the loop's header joins is a phi while the loop is
/// emitted.
struct HostEntry::Carried {
  host::OutcomeAttr outcome; ///< null for a scalar
  bool inPlace = false;
  Passed now; ///< a number, or bytes and extents
  Bytes next,
      afterNext; ///< by turns: where the body writes, this time and then
  Bytes home;    ///< by turns: where the result belongs
  Value *owner = nullptr; ///< taken: what must be given back; null at first

  bool isNumber() const { return !outcome; }
  bool isAllocated() const { return outcome && outcome.getAllocated(); }
  bool takesTurns() const { return !isNumber() && !isAllocated() && !inPlace; }
};

/// Bytes of a value with given extents.
Value *HostEntry::bytesOfExtents(host::ValueAttr value,
                                 const Extents &extents) {
  Value *bytes =
      builder.getInt64(zenith::elementBytes(value.getType().getElementType()));
  for (Value *extent : extents)
    bytes = builder.CreateMul(bytes, extent);
  return bytes;
}

std::vector<HostEntry::Carried> HostEntry::startCarried(host::WhileOp op) {
  std::vector<Carried> carried;
  std::vector<Passed> inits = passedAll(op.getInits());
  host::ProgramOp body = programOf(op.getBodyAttr());
  for (auto [index, result] : enumerate(op.getResults())) {
    Carried value;
    auto outcome = mlir::dyn_cast<host::OutcomeAttr>(result);
    value.outcome = outcome;
    value.inPlace = is_contained(op.getInPlace(), int64_t(index));
    value.now = inits[index];
    if (value.isAllocated()) {
      value.owner = ConstantPointerNull::get(cast<PointerType>(pointerType));
      if (value.inPlace) {
        // The body writes into what it gets: that must not be the initial
        // value's memory.
        Value *size = bytesOfExtents(describe(body.getArguments(), index),
                                     value.now.extents);
        Bytes own = takeBytes(size);
        copyBytes(own, value.now.bytes, size);
        value.now.bytes = own;
        value.owner = own.base;
      }
    } else if (!value.isNumber()) {
      value.home = at(outcome.getBuffer());
      auto init = mlir::cast<host::ArgumentAttr>(op.getInits()[index]);
      if (value.inPlace) {
        if (init.getBuffer() != outcome.getBuffer())
          copyBytes(value.home, value.now.bytes,
                    sizes->evaluate(outcome.getBytes()));
        value.now.bytes = value.home;
      } else {
        value.next = value.home;
        value.afterNext = at(outcome.getSecond());
      }
    }
    carried.push_back(std::move(value));
  }
  return carried;
}

/// Joins what changes from step to step.
void HostEntry::openHeader(MutableArrayRef<Carried> carried,
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
    join(value.now.number);
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
void HostEntry::closeBody(host::WhileOp op, MutableArrayRef<Carried> carried,
                          ArrayRef<Passed> next, BasicBlock *header) {
  // Memory that the body replaced goes back first: phis take their values at
  // the end of the block.
  for (auto [value, out] : zip(carried, next))
    if (value.isAllocated() && !value.inPlace)
      dropBytes(value.owner);
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
    feed(value.now.number, out.number);
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

/// Leaves results where they belong.
void HostEntry::endCarried(host::WhileOp op, MutableArrayRef<Carried> carried) {
  host::ProgramOp body = programOf(op.getBodyAttr());
  for (auto [index, value] : enumerate(carried)) {
    BasicBlock *move = block(), *done = block();
    if (value.takesTurns()) {
      Value *differ =
          builder.CreateICmpNE(value.now.bytes.base, value.home.base);
      if (deviceKernels)
        differ = builder.CreateOr(
            differ,
            builder.CreateICmpNE(value.now.bytes.offset, value.home.offset));
      builder.CreateCondBr(differ, move, done);
      builder.SetInsertPoint(move);
      copyBytes(value.home, value.now.bytes,
                sizes->evaluate(value.outcome.getBytes()));
      builder.CreateBr(done);
      builder.SetInsertPoint(done);
    } else if (value.isAllocated()) {
      // Without a step the value is still the initial one, which is not ours.
      BasicBlock *from = builder.GetInsertBlock();
      builder.CreateCondBr(builder.CreateIsNull(value.owner), move, done);
      builder.SetInsertPoint(move);
      Value *size = bytesOfExtents(describe(body.getArguments(), index),
                                   value.now.extents);
      Bytes own = takeBytes(size);
      copyBytes(own, value.now.bytes, size);
      BasicBlock *moved = builder.GetInsertBlock();
      builder.CreateBr(done);
      builder.SetInsertPoint(done);
      PHINode *base = builder.CreatePHI(pointerType, 2);
      base->addIncoming(value.now.bytes.base, from);
      base->addIncoming(own.base, moved);
      value.now.bytes.base = base;
      if (deviceKernels)
        value.now.bytes.offset = builder.getInt64(0);
    } else {
      move->eraseFromParent();
      done->eraseFromParent();
    }
    bindOutcome(op.getResults()[index], value.now);
  }
}

/// Tells the context which numbers a loop of the entry carries now.
void HostEntry::reportProgress(ArrayRef<Carried> carried) {
  if (frame->isNested)
    return;
  SmallVector<Value *> numbers;
  for (const Carried &value : carried)
    if (value.isNumber())
      numbers.push_back(value.now.number);
  Value *array = room(i64, numbers.size(), "progress");
  for (auto [index, number] : enumerate(numbers))
    builder.CreateStore(number, builder.CreateConstGEP1_64(i64, array, index));
  call("zenith_progress", Type::getVoidTy(context),
       {function->getArg(0), builder.getInt64(loops++), array,
        builder.getInt64(numbers.size())});
}

void HostEntry::loop(host::WhileOp op) {
  std::vector<Carried> carried = startCarried(op);
  std::vector<Passed> ofCondition = passedAll(op.getConditionArguments()),
                      ofBody = passedAll(op.getBodyArguments());
  Bytes arena = op.getArena() ? at(*op.getArena()) : Bytes();
  mlir::Builder attributes(op.getContext());
  Reserve reserve = makeReserve(
      attributes.getArrayAttr({op.getConditionAttr(), op.getBodyAttr()}),
      op.getArenaAttr());
  BasicBlock *before = builder.GetInsertBlock(), *header = block("header"),
             *inside = block("body"), *exit = block("exit");
  builder.CreateBr(header);
  builder.SetInsertPoint(header);
  openHeader(carried, before);
  checkCancel();
  reportProgress(carried);
  std::vector<Passed> now;
  for (Carried &value : carried)
    now.push_back(value.now);
  auto with = [&](const std::vector<Passed> &captures) {
    std::vector<Passed> all(now);
    all.insert(all.end(), captures.begin(), captures.end());
    return all;
  };
  std::vector<Passed> shouldContinue =
      run(programOf(op.getConditionAttr()), with(ofCondition), Bytes(), arena,
          reserve);
  builder.CreateCondBr(
      builder.CreateICmpNE(shouldContinue.front().number, builder.getInt64(0)),
      inside, exit);
  builder.SetInsertPoint(inside);
  std::vector<Bytes> targets;
  for (Carried &value : carried)
    targets.push_back(value.next);
  std::vector<Passed> next =
      run(programOf(op.getBodyAttr()), with(ofBody), targets, arena, reserve);
  closeBody(op, carried, next, header);
  builder.SetInsertPoint(exit);
  freeReserve(reserve);
  endCarried(op, carried);
}

} // namespace zenith::pipeline
