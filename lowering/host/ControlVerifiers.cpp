// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints of control ops and control steps, as HostOps.td numbers them.

#include "lowering/host/SharedScopes.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;

namespace zenith::host {

//===- Control in functions -------------------------------------------------===

/// `dims` has a list per result with an entry per dimension (constraint
/// `shape`), each of a form that resultDims() reads (constraint `entry`).
static LogicalResult verifyDims(Operation *op, ArrayAttr dims, StringRef shape,
                                StringRef entry) {
  if (dims.size() != op->getNumResults())
    return op->emitOpError("dims: got ")
           << dims.size() << " lists for " << op->getNumResults()
           << " results (" << shape << ")";
  for (auto [described, result] : llvm::zip(dims, op->getResults())) {
    auto type = cast<RankedTensorType>(result.getType());
    auto list = dyn_cast<ArrayAttr>(described);
    if (!list || int64_t(list.size()) != type.getRank())
      return op->emitOpError("dims: got ")
             << described << " for " << type
             << ", expected an entry per dimension (" << shape << ")";
    for (Attribute dim : list) {
      bool holds = isa<graph::DimAttr, UnknownDimAttr>(dim);
      if (auto same = dyn_cast<OperandDimAttr>(dim))
        holds = same.getOperand() < op->getNumOperands() &&
                same.getDim() < cast<RankedTensorType>(
                                    op->getOperand(same.getOperand()).getType())
                                    .getRank();
      if (!holds)
        return op->emitOpError("dims: got ")
               << dim << ", expected an expression, a dimension of an operand, "
               << "or an unknown one (" << entry << ")";
    }
  }
  return success();
}

static bool areAlike(TypeRange lhs, TypeRange rhs) {
  return lhs.size() == rhs.size() &&
         llvm::all_of(llvm::zip(lhs, rhs), [](auto pair) {
           return areAlike(std::get<0>(pair), std::get<1>(pair));
         });
}

/// A control op shares each value under a number of its own.
static LogicalResult verifyNumbers(Operation *op, ArrayRef<int64_t> numbers,
                                   size_t shared, StringRef constraint) {
  llvm::SmallSet<int64_t, 8> seen;
  bool holds = numbers.size() == shared;
  for (int64_t number : numbers)
    holds &= number >= 0 && seen.insert(number).second;
  if (holds)
    return success();
  return op->emitOpError("numbers: got [")
         << numbers << "] for " << shared
         << " shared values, expected as many that differ (" << constraint
         << ")";
}

LogicalResult BranchOp::verify() {
  int64_t sum = 0;
  bool counted = getCounts().size() == getBranches().size();
  for (int64_t count : getCounts()) {
    counted &= count >= 0;
    sum += count;
  }
  if (!counted || sum != int64_t(getCaptures().size()))
    return emitOpError("counts: got [")
           << getCounts() << "] for " << getBranches().size()
           << " functions and " << getCaptures().size()
           << " captures (branch_c1)";
  if (getBranches().empty() || (getBoolean() && getBranches().size() != 2))
    return emitOpError("functions: got ")
           << getBranches().size() << ", expected "
           << (getBoolean() ? "2" : "at least 1") << " (branch_c2)";
  auto selector = cast<RankedTensorType>(getSelector().getType());
  Type element = selector.getElementType();
  if (selector.getRank() != 0 || !element.isInteger() ||
      (getBoolean() && !element.isInteger(1)))
    return emitOpError("selector: got ")
           << selector << ", expected a scalar "
           << (getBoolean() ? "of type i1" : "of integers") << " (branch_c3)";
  if (failed(
          verifyNumbers(*this, getNumbers(), getShared().size(), "branch_c7")))
    return failure();
  return verifyDims(*this, getDims(), "branch_c4", "branch_c5");
}

LogicalResult BranchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  ValueRange rest = getCaptures();
  for (auto [name, count] : llvm::zip(getBranches(), getCounts())) {
    ValueRange captures = rest.take_front(count);
    rest = rest.drop_front(count);
    auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(
        *this, cast<FlatSymbolRefAttr>(name));
    if (!callee || !areAlike(callee.getArgumentTypes(), captures.getTypes()) ||
        !areAlike(callee.getResultTypes(), getResultTypes()))
      return emitOpError("functions: got ")
             << name << ", expected a function of the captures' and results' "
             << "types (branch_c6)";
  }
  return SharedScopes(symbols).check(*this);
}

LogicalResult LoopOp::verify() {
  if (!areAlike(getInits().getTypes(), getResultTypes()))
    return emitOpError("inits: got ")
           << getInits().getTypes() << " for results " << getResultTypes()
           << " (loop_c1)";
  if (failed(verifyNumbers(*this, getNumbers(), getShared().size(), "loop_c5")))
    return failure();
  return verifyDims(*this, getDims(), "loop_c2", "loop_c3");
}

LogicalResult LoopOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto takes = [&](func::FuncOp callee, ValueRange captures) {
    SmallVector<Type> types(getResultTypes());
    llvm::append_range(types, captures.getTypes());
    return callee && areAlike(callee.getArgumentTypes(), types);
  };
  auto condition =
      symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getConditionAttr());
  if (!takes(condition, getConditionCaptures()) ||
      condition.getNumResults() != 1 ||
      cast<RankedTensorType>(condition.getResultTypes()[0]).getRank() != 0)
    return emitOpError("condition: got ")
           << getConditionAttr() << ", expected a function of the loop-carried "
           << "values and captures that gives a scalar (loop_c4)";
  auto body =
      symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getBodyAttr());
  if (!takes(body, getBodyCaptures()) ||
      !areAlike(body.getResultTypes(), getResultTypes()))
    return emitOpError("body: got ")
           << getBodyAttr() << ", expected a function of the loop-carried "
           << "values and captures that gives the former (loop_c4)";
  return SharedScopes(symbols).check(*this);
}

LogicalResult SharedOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  bool sized = int64_t(getDims().size()) == type.getRank();
  for (auto [size, length] : llvm::zip(getDims(), type.getShape()))
    sized &=
        ShapedType::isDynamic(length) || graph::exprOf(size).isConstant(length);
  if (!sized)
    return emitOpError("dims: got ")
           << getDims() << " for " << type
           << ", expected the size of each dimension (shared_c1)";
  auto function = (*this)->getParentOfType<func::FuncOp>();
  if (!function || !function->hasAttr(nestedAttrName))
    return emitOpError("is not in a function that control ops run (shared_c2)");
  return success();
}

/// `constraints` is what their names start with.
static LogicalResult verifyRow(Operation *op, Type row, Type index, Type stack,
                               const Twine &constraints) {
  auto number = cast<RankedTensorType>(index);
  if (number.getRank() != 0 || !number.getElementType().isSignlessInteger())
    return op->emitOpError("index: got ")
           << index << ", expected a scalar of integers (" << constraints
           << "1)";
  auto all = dyn_cast<RankedTensorType>(stack),
       one = cast<RankedTensorType>(row);
  bool isRow = all && all.hasStaticShape() && all.getRank() > 0 &&
               one.getRank() > 0 && one.getDimSize(0) == 1 &&
               one.getShape().drop_front() == all.getShape().drop_front() &&
               one.getElementType() == all.getElementType();
  if (!isRow)
    return op->emitOpError("row: got ")
           << row << ", expected the type of a row of " << stack << " ("
           << constraints << "2)";
  return success();
}

LogicalResult StoreRowOp::verify() {
  return verifyRow(*this, getRow().getType(), getIndex().getType(), getStack(),
                   "store_row_c");
}

LogicalResult LoadRowOp::verify() {
  return verifyRow(*this, getRow().getType(), getIndex().getType(), getStack(),
                   "load_row_c");
}

//===- Control steps --------------------------------------------------------===

static LogicalResult verifyArena(Operation *op, std::optional<BufferAttr> arena,
                                 StringRef constraint) {
  if (arena && arena->getKind() != BufferKind::arena)
    return op->emitOpError("arena: got ")
           << *arena << ", expected a part of the arena (" << constraint << ")";
  return success();
}

static bool isPassed(Attribute argument) {
  return isa<ArgumentAttr, graph::DimAttr>(argument);
}

LogicalResult IfOp::verify() {
  if (getBranches().empty() || (getBoolean() && getBranches().size() != 2))
    return emitOpError("programs: got ")
           << getBranches().size() << ", expected "
           << (getBoolean() ? "2" : "at least 1") << " (if_c1)";
  bool listed = getArguments().size() == getBranches().size();
  for (Attribute part : getArguments()) {
    auto list = dyn_cast<ArrayAttr>(part);
    listed &= list && llvm::all_of(list, isPassed);
  }
  if (!listed)
    return emitOpError("arguments: got ")
           << getArguments() << ", expected a list of #host.argument or "
           << "#graph.dim for each program (if_c2)";
  if (failed(verifyNumbers(*this, getNumbers(),
                           getShares() ? getShares()->size() : 0, "if_c5")))
    return failure();
  return verifyArena(*this, getArena(), "if_c3");
}

/// The inner program of that name, if it has as many arguments and results.
static ProgramOp lookUp(Operation *op, FlatSymbolRefAttr name,
                        SymbolTableCollection &symbols, size_t arguments,
                        size_t results) {
  auto callee = symbols.lookupNearestSymbolFrom<ProgramOp>(op, name);
  return callee && callee.getInner() &&
                 callee.getArguments().size() == arguments &&
                 callee.getResults().size() == results
             ? callee
             : ProgramOp();
}

LogicalResult IfOp::verifySymbolUses(SymbolTableCollection &symbols) {
  for (auto [name, arguments] : llvm::zip(getBranches(), getArguments())) {
    size_t count = cast<ArrayAttr>(arguments).size();
    if (!lookUp(*this, cast<FlatSymbolRefAttr>(name), symbols, count,
                getResults().size()))
      return emitOpError("programs: got ")
             << name << ", expected an inner program of " << count
             << " arguments and " << getResults().size() << " results (if_c4)";
  }
  return SharedScopes(symbols).check(*this);
}

LogicalResult WhileOp::verify() {
  bool matching = getInits().size() == getResults().size();
  for (auto [init, result] : llvm::zip(getInits(), getResults()))
    matching &= isa<graph::DimAttr>(init) == isa<StringAttr>(result);
  if (!matching)
    return emitOpError("inits: got ")
           << getInits() << " for results " << getResults() << " (while_c1)";
  for (int64_t index : getInPlace())
    if (index < 0 || index >= int64_t(getResults().size()) ||
        !isa<OutcomeAttr>(getResults()[index]))
      return emitOpError("in_place: got ")
             << index << ", expected the position of a result in memory "
             << "(while_c2)";
  for (auto [index, result] : llvm::enumerate(getResults())) {
    auto outcome = dyn_cast<OutcomeAttr>(result);
    if (outcome && !outcome.getAllocated() && !outcome.getSecond() &&
        !llvm::is_contained(getInPlace(), int64_t(index)))
      return emitOpError("results: got ")
             << outcome << ", expected a second buffer for what the body does "
             << "not update in place (while_c2)";
  }
  if (failed(verifyNumbers(*this, getNumbers(),
                           getShares() ? getShares()->size() : 0, "while_c5")))
    return failure();
  return verifyArena(*this, getArena(), "while_c3");
}

LogicalResult WhileOp::verifySymbolUses(SymbolTableCollection &symbols) {
  size_t carried = getResults().size();
  auto check = [&](FlatSymbolRefAttr name, ArrayAttr own, size_t results) {
    if (lookUp(*this, name, symbols, carried + own.size(), results))
      return success();
    return LogicalResult(emitOpError("programs: got ")
                         << name << ", expected an inner program of "
                         << carried + own.size() << " arguments and " << results
                         << " results (while_c4)");
  };
  if (failed(check(getConditionAttr(), getConditionArguments(), 1)))
    return failure();
  if (failed(check(getBodyAttr(), getBodyArguments(), carried)))
    return failure();
  return SharedScopes(symbols).check(*this);
}

} // namespace zenith::host
