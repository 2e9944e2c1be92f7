// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of host scalars (evaluated, fetched, checked) and of control.

#include "ir/AssertionCode.h"
#include "ir/LocationText.h"
#include "ir/program/SizeChecks.h"
#include "ir/tensor/Tensor.h"
#include "lowering/program/ProgramBuilder.h"

using namespace mlir;

namespace zenith::pipeline {

using graph::DimExpr;

/// Marks a symbol as bound.
void ProgramBuilder::learn(StringRef symbol) {
  if (!known.insert(symbol).second)
    return;
  if (auto found = waiting.find(symbol); found != waiting.end()) {
    llvm::append_range(woken, found->second);
    waiting.erase(found);
  }
}

/// Emits the guards that waited for symbols and that `step`, or one before it,
/// needs; all of them where it is null. They come as late as they may: the
/// program's own checks name nodes and shapes.
void ProgramBuilder::addKnownGuards(Operation *step) {
  for (size_t index : woken)
    if (auto missing = missingSymbol(guards[index].nonnegative))
      waiting[*missing].push_back(index);
    else
      ready.insert(index);
  woken.clear();
  // Guards are in the order of the steps.
  while (!ready.empty()) {
    const ShapeGuard &guard = guards[*ready.begin()];
    if (step && guard.step && guard.step != step &&
        step->isBeforeInBlock(guard.step))
      return;
    builder.create<host::GuardOp>(function.getLoc(), dim(guard.nonnegative),
                                  builder.getStringAttr(guard.message));
    ready.erase(ready.begin());
  }
}

/// The symbol that a step binds to a scalar: the one that sizes are made of, if
/// it is still free.
std::string ProgramBuilder::symbolFor(Value value) {
  std::optional<std::string> symbol = dims.scalar(value).asSymbol();
  if (symbol && StringRef(*symbol).starts_with("%i") &&
      !known.contains(*symbol))
    return *symbol;
  return "%h" + std::to_string(computed++);
}

/// A scalar of the host as an expression.
FailureOr<DimExpr> ProgramBuilder::scalarOf(Value value, Operation *user) {
  if (auto found = symbols.find(value); found != symbols.end())
    return DimExpr::symbol(found->second);
  if (auto constant = value.getDefiningOp<graph::ConstantOp>()) {
    APInt element = *constant.getValue().value_begin<APInt>();
    Type type = constant.getValue().getElementType();
    bool isSigned = !type.isUnsignedInteger() && !type.isInteger(1);
    return DimExpr(isSigned ? element.getSExtValue()
                            : int64_t(element.getZExtValue()));
  }
  DimExpr scalar = dims.scalar(value);
  if (failed(checkSymbols(scalar, user)))
    return failure();
  return scalar;
}

/// The cell in which kernels find a scalar of the host.
host::BufferAttr ProgramBuilder::cellOf(Value value, Operation *user) {
  auto [found, isNew] = cells.try_emplace(value, cellCount);
  host::BufferAttr cell = buffer(host::BufferKind::cell, found->second);
  if (!isNew)
    return cell;
  FailureOr<DimExpr> scalar = scalarOf(value, user);
  if (failed(scalar))
    return {};
  ++cellCount;
  builder.create<host::ScalarOp>(
      user->getLoc(), dim(*scalar), cell,
      cast<RankedTensorType>(value.getType()).getElementType());
  return cell;
}

static Type elementOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

LogicalResult ProgramBuilder::evaluate(Operation *op) {
  Value value = op->getResult(0);
  // Sizes are written where they are used.
  if (elementOf(value).isSignlessInteger(64)) {
    bool isSize = isKnown(dims.scalar(value));
    dims.scalar(value).forEachSymbol([&](const std::string &name) {
      isSize &= !StringRef(name).starts_with("%i");
    });
    if (isSize)
      return success();
  }
  SmallVector<Attribute> inputs;
  for (Value operand : op->getOperands()) {
    FailureOr<DimExpr> scalar = scalarOf(operand, op);
    if (failed(scalar))
      return failure();
    inputs.push_back(dim(*scalar));
  }
  std::string opcode = op->getName().stripDialect().str();
  if (auto compare = dyn_cast<graph::CompareOp>(op))
    opcode += "." + stringifyEnum(compare.getDirection()).str();
  std::string symbol = symbolFor(value);
  builder.create<host::EvalOp>(
      op->getLoc(), symbol, opcode, builder.getArrayAttr(inputs),
      elementOf(op->getOperands().back()), elementOf(value));
  symbols[value] = symbol;
  learn(symbol);
  return success();
}

/// Binds a scalar of the host to `result`: what memory holds, or another scalar
/// of the host.
LogicalResult ProgramBuilder::fetch(Value input, OpResult result) {
  Operation *op = result.getOwner();
  std::string symbol = symbolFor(result);
  Type type = elementOf(result);
  if (host::BufferAttr source = buffers.lookup(input)) {
    builder.create<host::FetchOp>(op->getLoc(), symbol, source, type);
  } else {
    FailureOr<DimExpr> scalar = scalarOf(input, op);
    if (failed(scalar))
      return failure();
    Attribute inputs = dim(*scalar);
    builder.create<host::EvalOp>(op->getLoc(), symbol, "convert",
                                 builder.getArrayAttr(inputs), type, type);
  }
  symbols[result] = symbol;
  learn(symbol);
  return success();
}

/// Binds a scalar that is shared to a symbol of this program: it may be a size,
/// whose name only this program knows. Other values are read where they are.
LogicalResult ProgramBuilder::readShared(host::SharedOp read) {
  Value result = read.getResult();
  if (!host.contains(result))
    return success();
  std::string symbol = symbolFor(result);
  builder.create<host::FetchOp>(
      read.getLoc(), symbol, buffer(host::BufferKind::shared, read.getNumber()),
      elementOf(result));
  symbols[result] = symbol;
  learn(symbol);
  return success();
}

/// Only the host's scalars need a step: other results lie where the operands
/// do, and steps run in order.
LogicalResult ProgramBuilder::pass(graph::BarrierOp barrier) {
  if (barrier->hasAttr(host::awaitsAttrName))
    return await(barrier);
  for (OpResult result : barrier->getResults())
    if (host.contains(result) &&
        failed(fetch(barrier->getOperand(result.getResultNumber()), result)))
      return failure();
  return success();
}

/// Starts to move what is in `memory` to or from the file: transfers are
/// counted in the order of the program.
LogicalResult ProgramBuilder::startTransfer(Operation *op, Value memory,
                                            host::BufferAttr file,
                                            bool isWrite) {
  host::BufferAttr bytes = buffers.lookup(memory);
  if (!bytes || !file)
    return op->emitOpError("moves a value without a buffer");
  builder.create<host::CopyOp>(op->getLoc(), isWrite ? bytes : file,
                               isWrite ? file : bytes,
                               dim(memory::bytesOf(memory, dims)));
  transfers[memory] = ++transferCount;
  return success();
}

LogicalResult ProgramBuilder::transfer(graph::PlaceOp place) {
  bool isWrite = place.getPlace() == graph::MemoryPlace::host;
  Value memory = place.getOperand(), file = place.getResult();
  if (!isWrite)
    std::swap(memory, file);
  return startTransfer(place, memory, buffers.lookup(file), isWrite);
}

/// Starts to move row `index` of a stack, which lies at `offset` in the file.
LogicalResult ProgramBuilder::moveRow(Operation *op, Value row, Value index,
                                      Type stack, int64_t offset,
                                      bool isWrite) {
  FailureOr<DimExpr> number = scalarOf(index, op);
  if (failed(number))
    return failure();
  auto type = cast<RankedTensorType>(stack);
  int64_t bytes = tensorBytes(type).value_or(0) / type.getDimSize(0);
  auto file =
      host::BufferAttr::get(builder.getContext(), host::BufferKind::file, 0,
                            dim(DimExpr(offset) + DimExpr(bytes) * *number));
  return startTransfer(op, row, file, isWrite);
}

LogicalResult ProgramBuilder::await(graph::BarrierOp barrier) {
  for (Value value : barrier->getOperands()) {
    unsigned count = transfers.lookup(value);
    if (!count)
      return barrier.emitOpError("waits for a value that no file has");
    builder.create<host::AwaitOp>(barrier.getLoc(), count,
                                  buffers.lookup(value));
  }
  return success();
}

LogicalResult ProgramBuilder::check(graph::AssertOp op) {
  FailureOr<DimExpr> condition = scalarOf(op.getCondition(), op);
  if (failed(condition))
    return failure();
  SmallVector<Attribute> details;
  for (Value detail : op.getDetails()) {
    FailureOr<DimExpr> scalar = scalarOf(detail, op);
    if (failed(scalar))
      return failure();
    details.push_back(dim(*scalar));
  }
  auto step = builder.create<host::AssertOp>(
      op.getLoc(), dim(*condition), op.getMessage(),
      builder.getArrayAttr(details), graph::placeOf(op.getLoc()));
  if (op->hasAttr(graph::runErrorAttrName))
    graph::markRunError(step);
  return success();
}

/// Checks of sizes that the arguments give, and the arithmetic for them, come
/// first: memory is not yet sized by a program that cannot run.
LogicalResult ProgramBuilder::addEarlyChecks() {
  auto isEarly = [&](Value value) {
    if (isa<BlockArgument>(value))
      return !isNested && symbols.contains(value);
    Operation *source = value.getDefiningOp();
    if (isa<graph::ConstantOp>(source) || early.contains(source))
      return true;
    return elementOf(value).isSignlessInteger(64) &&
           isa<graph::DimOp>(source) && isKnown(dims.scalar(value));
  };
  for (Operation &op : function.getBody().front()) {
    auto claim = dyn_cast<graph::AssertOp>(op);
    bool isCheck = claim && claim->hasAttr(graph::sizeCheckAttrName);
    if ((!isCheck && !host.computes(&op)) ||
        !llvm::all_of(op.getOperands(), isEarly))
      continue;
    if (failed(isCheck ? check(claim) : evaluate(&op)))
      return failure();
    early.insert(&op);
  }
  return success();
}

/// Where a value that is given on is: a size for a scalar of the host, else its
/// buffer. `verb` says in an error what the op does with it.
FailureOr<Attribute> ProgramBuilder::placeOf(Value value, Operation *op,
                                             StringRef verb) {
  if (graph::isHostScalarType(value.getType())) {
    FailureOr<DimExpr> scalar = scalarOf(value, op);
    if (failed(scalar))
      return failure();
    return Attribute(dim(*scalar));
  }
  host::BufferAttr bytes = buffers.lookup(value);
  if (!bytes)
    return op->emitOpError() << verb << " a value without a buffer";
  return Attribute(bytes);
}

FailureOr<ArrayAttr> ProgramBuilder::argumentsOf(ValueRange values,
                                                 Operation *op) {
  SmallVector<Attribute> arguments;
  for (Value value : values) {
    FailureOr<Attribute> place = placeOf(value, op, "passes");
    if (failed(place))
      return failure();
    auto bytes = dyn_cast<host::BufferAttr>(*place);
    arguments.push_back(
        bytes ? host::ArgumentAttr::get(builder.getContext(), bytes,
                                        dimArray(dims.dimsOf(value)))
              : *place);
  }
  return builder.getArrayAttr(arguments);
}

/// Where the values are that a control op shares; null where it shares none.
FailureOr<ArrayAttr> ProgramBuilder::sharesOf(ValueRange values,
                                              Operation *op) {
  SmallVector<Attribute> places;
  for (Value value : values) {
    FailureOr<Attribute> place = placeOf(value, op, "shares");
    if (failed(place))
      return failure();
    places.push_back(*place);
  }
  return places.empty() ? ArrayAttr() : builder.getArrayAttr(places);
}

/// Allocates the memory of results that the nested programs don't allocate.
LogicalResult ProgramBuilder::allocateOutcomes(Operation *op) {
  for (OpResult result : op->getResults()) {
    host::BufferAttr bytes = buffers.lookup(result);
    if (!bytes || host.contains(result))
      continue;
    if (memory::isAllocatedInside(op, result.getResultNumber(),
                                  context.symbols)) {
      if (bytes.getKind() == host::BufferKind::slot)
        liveSlots.insert(bytes.getIndex());
      else
        allocatedResults.insert(bytes.getIndex());
      continue;
    }
    bool isLate = bytes.getKind() == host::BufferKind::result &&
                  memory::isAllocatedResult(function, bytes.getIndex(), dims);
    if (failed(allocate(bytes, memory::bytesOf(result, dims), isLate, op)))
      return failure();
  }
  return success();
}

FailureOr<ArrayAttr>
ProgramBuilder::outcomesOf(Operation *op, ArrayRef<host::BufferAttr> second) {
  SmallVector<Attribute> outcomes;
  for (OpResult result : op->getResults()) {
    unsigned index = result.getResultNumber();
    if (host.contains(result)) {
      symbols[result] = symbolFor(result);
      outcomes.push_back(builder.getStringAttr(symbols[result]));
      continue;
    }
    host::BufferAttr bytes = buffers.lookup(result);
    if (!bytes)
      return op->emitOpError("has a result without a buffer");
    outcomes.push_back(host::OutcomeAttr::get(
        builder.getContext(), bytes, dimArray(dims.dimsOf(result)),
        dim(memory::bytesOf(result, dims)),
        index < second.size() ? second[index] : host::BufferAttr(),
        memory::isAllocatedInside(op, index, context.symbols)));
  }
  return builder.getArrayAttr(outcomes);
}

void ProgramBuilder::learnDims(Value value) {
  for (const DimExpr &size : dims.dimsOf(value))
    if (std::optional<std::string> symbol = size.asSymbol())
      learn(*symbol);
}

void ProgramBuilder::learnResults(Operation *op) {
  for (Value result : op->getResults()) {
    if (auto found = symbols.find(result); found != symbols.end())
      learn(found->second);
    else
      learnDims(result);
  }
}

LogicalResult ProgramBuilder::branch(host::BranchOp op) {
  FailureOr<DimExpr> selector = scalarOf(op.getSelector(), op);
  FailureOr<ArrayAttr> arguments = argumentsOf(op.getCaptures(), op),
                       shares = sharesOf(op.getShared(), op);
  if (failed(selector) || failed(arguments) || failed(shares) ||
      failed(allocateOutcomes(op)))
    return failure();
  // Each branch has its part of the arguments.
  SmallVector<Attribute> parts;
  ArrayRef<Attribute> rest = arguments->getValue();
  for (int64_t count : op.getCounts()) {
    parts.push_back(builder.getArrayAttr(rest.take_front(count)));
    rest = rest.drop_front(count);
  }
  FailureOr<ArrayAttr> outcomes = outcomesOf(op, {});
  if (failed(outcomes))
    return failure();
  builder.create<host::IfOp>(op.getLoc(), dim(*selector), op.getBranches(),
                             builder.getArrayAttr(parts), *outcomes,
                             op.getBoolean(), assignments[op].nestedArena,
                             *shares, op.getNumbers());
  learnResults(op);
  return success();
}

LogicalResult ProgramBuilder::loop(host::LoopOp op) {
  FailureOr<ArrayAttr> inits = argumentsOf(op.getInits(), op),
                       ofCondition = argumentsOf(op.getConditionCaptures(), op),
                       ofBody = argumentsOf(op.getBodyCaptures(), op),
                       shares = sharesOf(op.getShared(), op);
  if (failed(inits) || failed(ofCondition) || failed(ofBody) ||
      failed(shares) || failed(allocateOutcomes(op)))
    return failure();
  SmallVector<host::BufferAttr> second(op.getNumResults());
  SmallVector<int64_t> inPlace;
  ArrayRef<host::BufferAttr> scratch = assignments[op].scratch;
  for (OpResult result : op.getResults()) {
    unsigned index = result.getResultNumber();
    if (host.contains(result))
      continue;
    if (memory::updatesInPlace(op, index, context.symbols)) {
      inPlace.push_back(index);
    } else if (!memory::isAllocatedInside(op, index, context.symbols) &&
               !scratch.empty()) {
      second[index] = scratch.front();
      scratch = scratch.drop_front();
      if (failed(allocate(second[index], memory::bytesOf(result, dims), false,
                          op)))
        return failure();
    }
  }
  FailureOr<ArrayAttr> outcomes = outcomesOf(op, second);
  if (failed(outcomes))
    return failure();
  builder.create<host::WhileOp>(
      op.getLoc(), op.getConditionAttr(), op.getBodyAttr(), *inits,
      *ofCondition, *ofBody, *outcomes, builder.getDenseI64ArrayAttr(inPlace),
      assignments[op].nestedArena, *shares,
      builder.getDenseI64ArrayAttr(op.getNumbers()));
  learnResults(op);
  return success();
}

} // namespace zenith::pipeline
