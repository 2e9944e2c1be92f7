// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control flow: nested programs as basic blocks of the entry's function.

#include "lowering/program/ControlCode.h"

using namespace llvm;

namespace zenith::pipeline {

static StringRef textOf(mlir::Attribute attr) {
  return mlir::cast<mlir::StringAttr>(attr).getValue();
}

PassedValue ControlCode::passed(mlir::Attribute attr) {
  PassedValue out;
  auto argument = mlir::dyn_cast<host::ArgumentAttr>(attr);
  if (!argument) {
    out.scalar = sizes.evaluate(attr);
    return out;
  }
  out.bytes = buffers.at(argument.getBuffer());
  for (mlir::Attribute size : argument.getDims())
    out.extents.push_back(sizes.evaluate(size));
  return out;
}

std::vector<PassedValue> ControlCode::passedAll(mlir::ArrayAttr arguments) {
  std::vector<PassedValue> all;
  for (mlir::Attribute argument : arguments)
    all.push_back(passed(argument));
  return all;
}

void ControlCode::share(mlir::ArrayAttr shares, ArrayRef<int64_t> numbers) {
  for (auto [position, number] : enumerate(numbers)) {
    PassedValue value;
    if (auto buffer = mlir::dyn_cast<host::BufferAttr>(shares[position]))
      value.bytes = buffers.at(buffer);
    else
      value.scalar = sizes.evaluate(shares[position]);
    code.shared[number] = value;
  }
}

/// Binds the symbols of a nested program's arguments. Sizes that the caller
/// names too are bound already.
void ControlCode::bindArguments(host::ProgramOp callee,
                                ArrayRef<PassedValue> arguments) {
  mlir::ArrayAttr scalars = callee.getScalarsAttr();
  for (auto [index, argument] : enumerate(arguments)) {
    code.frame->arguments.push_back(argument.bytes);
    if (scalars && !textOf(scalars[index]).empty())
      sizes.bind(textOf(scalars[index]), argument.scalar);
    if (argument.scalar)
      continue;
    mlir::ArrayAttr dims = valueAt(callee.getArguments(), index).getDims();
    for (auto [dim, extent] : zip(dims, argument.extents)) {
      std::optional<std::string> symbol = graph::exprOf(dim).asSymbol();
      if (symbol && !sizes.isBound(*symbol))
        sizes.bind(*symbol, extent);
    }
  }
}

std::vector<PassedValue> ControlCode::run(host::ProgramOp callee,
                                          ArrayRef<PassedValue> arguments,
                                          ArrayRef<Bytes> results, Bytes arena,
                                          const Reserve &reserve) {
  Frame inner;
  inner.program = callee;
  inner.isNested = true;
  inner.results.assign(results.begin(), results.end());
  Frame *outer = std::exchange(code.frame, &inner);
  sizes.enter();
  bindArguments(callee, arguments);
  steps.checkGuards();
  code.checkSizes();
  inner.arena = memory.arenaFor(callee, arena, reserve);
  memory.prepareFrame();
  steps.run();
  std::vector<PassedValue> out = std::move(inner.yielded);
  for (auto [value, bytes] : zip(out, inner.results))
    value.bytes = bytes;
  code.checkSizes();
  sizes.leave();
  code.frame = outer;
  return out;
}

/// Assigns memory that a nested program allocated to the result.
void ControlCode::acceptAllocated(host::OutcomeAttr outcome, Bytes bytes,
                                  Value *size) {
  unsigned index = outcome.getBuffer().getIndex();
  if (outcome.getBuffer().getKind() == host::BufferKind::slot) {
    code.frame->slots[index] = bytes;
    return;
  }
  if (code.frame->isNested && !code.frame->results[index].base) {
    code.frame->results[index] = bytes;
    return;
  }
  if (!code.frame->isNested && !code.frame->results[index].base) {
    if (!code.deviceKernels)
      return results.takePooled(index, bytes.base, size);
    results.allocate(index, size);
  }
  buffers.copy(code.frame->results[index], bytes, size);
  buffers.deallocate(bytes.base);
}

void ControlCode::bindOutcome(mlir::Attribute attr, const PassedValue &value) {
  if (auto symbol = mlir::dyn_cast<mlir::StringAttr>(attr)) {
    sizes.bind(symbol.getValue(), value.scalar);
    return;
  }
  auto outcome = mlir::cast<host::OutcomeAttr>(attr);
  if (!outcome.getAllocated())
    return;
  for (auto [dim, extent] : zip(outcome.getDims(), value.extents)) {
    std::optional<std::string> symbol = graph::exprOf(dim).asSymbol();
    if (symbol && !sizes.isBound(*symbol))
      sizes.bind(*symbol, extent);
  }
  Value *size = sizes.evaluate(outcome.getBytes());
  code.checkSizes();
  acceptAllocated(outcome, value.bytes, size);
}

/// Index of the branch to run.
Value *ControlCode::branchIndex(host::IfOp op) {
  Value *selector = sizes.evaluate(op.getSelectorAttr());
  if (!op.getBoolean())
    return selector;
  return builder.CreateZExt(builder.CreateICmpEQ(selector, builder.getInt64(0)),
                            i64);
}

void ControlCode::branch(host::IfOp op) {
  std::vector<host::OutcomeAttr> outcomes; ///< null for scalars
  std::vector<Bytes> resultBytes; ///< of results that the caller allocates
  for (mlir::Attribute attr : op.getResults()) {
    auto outcome = mlir::dyn_cast<host::OutcomeAttr>(attr);
    outcomes.push_back(outcome);
    resultBytes.push_back(outcome && !outcome.getAllocated()
                              ? buffers.at(outcome.getBuffer())
                              : Bytes());
  }
  std::vector<std::vector<PassedValue>> arguments, ends;
  for (mlir::Attribute part : op.getArguments())
    arguments.push_back(passedAll(mlir::cast<mlir::ArrayAttr>(part)));
  share(op.getSharesAttr(), op.getNumbers());
  Bytes arena = op.getArena() ? buffers.at(*op.getArena()) : Bytes();
  Reserve reserve = memory.makeReserve(op.getBranches(), op.getArenaAttr());
  Value *index = branchIndex(op);
  BasicBlock *join = code.block("join"), *origin = builder.GetInsertBlock();
  std::vector<BasicBlock *> starts, exits;
  for (auto [name, passed] : zip(op.getBranches(), arguments)) {
    starts.push_back(code.block("branch"));
    builder.SetInsertPoint(starts.back());
    ends.push_back(
        run(code.programOf(name), passed, resultBytes, arena, reserve));
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
  std::vector<PassedValue> merged(outcomes.size());
  for (unsigned k = 0; k < outcomes.size(); ++k) {
    if (!outcomes[k])
      merged[k].scalar = merge(i64, [&](auto &end) { return end[k].scalar; });
    if (!outcomes[k] || !outcomes[k].getAllocated())
      continue;
    merged[k].bytes.base =
        merge(pointerType, [&](auto &end) { return end[k].bytes.base; });
    if (code.deviceKernels)
      merged[k].bytes.offset =
          merge(i64, [&](auto &end) { return end[k].bytes.offset; });
    for (unsigned d = 0; d < ends[0][k].extents.size(); ++d)
      merged[k].extents.push_back(
          merge(i64, [&](auto &end) { return end[k].extents[d]; }));
  }
  memory.freeReserve(reserve);
  for (auto [result, value] : zip(op.getResults(), merged))
    bindOutcome(result, value);
}

} // namespace zenith::pipeline
