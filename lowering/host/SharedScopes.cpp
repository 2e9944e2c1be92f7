// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk down from the control ops of entries, with what they share.

#include "lowering/host/SharedScopes.h"

using namespace mlir;

namespace zenith::host {

bool areAlike(Type lhs, Type rhs) {
  auto x = cast<RankedTensorType>(lhs), y = cast<RankedTensorType>(rhs);
  return x.getElementType() == y.getElementType() && x.getRank() == y.getRank();
}

static ArrayRef<int64_t> numbersOf(Operation *control) {
  if (auto branch = dyn_cast<BranchOp>(control))
    return branch.getNumbers();
  if (auto loop = dyn_cast<LoopOp>(control))
    return loop.getNumbers();
  if (auto choice = dyn_cast<IfOp>(control))
    return choice.getNumbers();
  return cast<WhileOp>(control).getNumbers();
}

SharedScopes::Shared SharedScopes::sharedBy(Operation *control,
                                            unsigned position) {
  if (auto branch = dyn_cast<BranchOp>(control))
    return branch.getShared()[position].getType();
  if (auto loop = dyn_cast<LoopOp>(control))
    return loop.getShared()[position].getType();
  if (auto choice = dyn_cast<IfOp>(control))
    return (*choice.getShares())[position];
  return (*cast<WhileOp>(control).getShares())[position];
}

static bool isEntry(Operation *function) {
  auto program = dyn_cast<ProgramOp>(function);
  return program ? !program.getInner() : !function->hasAttr(nestedAttrName);
}

LogicalResult SharedScopes::check(Operation *control) {
  return isEntry(control->getParentOp()) ? enter(control) : success();
}

LogicalResult SharedScopes::visitRead(SharedOp read) {
  auto found = known.find(read.getNumber());
  Type type = found == known.end() ? Type() : dyn_cast<Type>(found->second);
  if (type && areAlike(type, read.getType()))
    return success();
  return read.emitOpError("number: got ")
         << read.getNumber() << ", under which "
         << (type ? "a value of another type" : "no value")
         << " is shared with the function (shared_c2)";
}

LogicalResult SharedScopes::visitStep(Operation *step) {
  BufferAttr wrong;
  step->getAttrDictionary().walk([&](BufferAttr buffer) {
    if (buffer.getKind() != BufferKind::shared)
      return;
    auto found = known.find(buffer.getIndex());
    Attribute place =
        found == known.end() ? Attribute() : dyn_cast<Attribute>(found->second);
    if (!place || (!isa<BufferAttr>(place) && !isa<FetchOp>(step)))
      wrong = buffer;
  });
  if (wrong)
    return step->emitOpError("buffer: got ")
           << wrong << ", which no control step shares with the program "
           << "(program_c7)";
  return success();
}

LogicalResult SharedScopes::visit(Operation *callee) {
  // What is missing, or runs itself, others report.
  if (!callee || callee->getNumRegions() != 1 ||
      !callee->getRegion(0).hasOneBlock() || !open.insert(callee).second)
    return success();
  for (Operation &op : callee->getRegion(0).front()) {
    if (isa<ProgramOp>(callee) && failed(visitStep(&op)))
      return failure();
    if (auto read = dyn_cast<SharedOp>(op); read && failed(visitRead(read)))
      return failure();
    if (isa<BranchOp, LoopOp, IfOp, WhileOp>(op) && failed(enter(&op)))
      return failure();
  }
  open.erase(callee);
  return success();
}

LogicalResult SharedScopes::enter(Operation *control) {
  ArrayRef<int64_t> numbers = numbersOf(control);
  for (auto [position, number] : llvm::enumerate(numbers))
    if (!known.try_emplace(number, sharedBy(control, position)).second)
      return control->emitOpError("numbers: got ")
             << number << ", under which an op around this one shares a value";
  LogicalResult result = success();
  control->getAttrDictionary().walk([&](FlatSymbolRefAttr name) {
    if (succeeded(result))
      result = visit(symbols.lookupNearestSymbolFrom(control, name));
  });
  for (int64_t number : numbers)
    known.erase(number);
  return result;
}

} // namespace zenith::host
