// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the dimensions, and integers made of dimensions, of each op and block
// argument are made of: the walk from a value to the signature.

#include "ir/DimLimits.h"
#include "ir/GraphOps.h"
#include "ir/attributes/DimBoundsAttr.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace zenith::graph {

/// Longer vectors are data rather than shapes.
static constexpr int64_t vectorLimit = 32;

/// A short vector of integers that ops put together from sizes.
static bool isShapeVector(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getRank() == 1 && type.hasStaticShape() &&
         type.getDimSize(0) > 0 && type.getDimSize(0) <= vectorLimit &&
         type.getElementType().isInteger() &&
         isa_and_nonnull<ReshapeOp, BroadcastOp, SliceOp, ConcatOp, ConvertOp>(
             value.getDefiningOp());
}

bool DimAnalysis::settled(Value value) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return true;
  if (!type.hasStaticShape())
    return dims.count(value);
  if (isShapeVector(value))
    return elements.count({value, 0});
  // Data-dependent scalars get their symbol when someone asks, not on the way
  // to another value.
  return !isIntegerScalar(type) || scalars.count(value) ||
         !isa_and_nonnull<AddOp, SubOp, MulOp, DivOp, RemOp, FloorModOp, MaxOp,
                          MinOp, SelectOp, ConvertOp, ReshapeOp, DimOp>(
             value.getDefiningOp());
}

/// Values from outside that the regions of `op` use. What is inside has been
/// visited before its users: ways up from each would be as long as nests are
/// deep.
static void addCaptures(Operation *op, llvm::SmallVector<Value> &values) {
  llvm::DenseSet<Value> inside;
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (!inside.contains(operand))
        values.push_back(operand);
    inside.insert(inner->result_begin(), inner->result_end());
    for (Region &region : inner->getRegions())
      for (BlockArgument argument : region.getArguments())
        inside.insert(argument);
  });
}

/// The operand that an argument of an isolated region stands for; null where
/// the region is another.
static Value givenTo(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  unsigned number = argument.getArgNumber();
  return isa_and_nonnull<FusionOp, CheckpointOp>(parent) &&
                 number < parent->getNumOperands()
             ? parent->getOperand(number)
             : Value();
}

/// What the dimensions, or the number, of `value` rest on. Numbers that loops
/// carry rest on nothing that an analysis could tell.
static llvm::SmallVector<Value> sourcesOf(Value value) {
  bool hasDims = !cast<RankedTensorType>(value.getType()).hasStaticShape();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (Value given = givenTo(argument))
      return {given};
    llvm::SmallVector<Value> result;
    if (auto loop = dyn_cast_or_null<WhileOp>(parent); loop && hasDims) {
      result.assign(loop.getInits().begin(), loop.getInits().end());
      addCaptures(parent, result);
    }
    return result;
  }
  Operation *op = value.getDefiningOp();
  llvm::SmallVector<Value> result(op->getOperands());
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (isa<FusionOp, CheckpointOp>(op))
    return {op->getRegion(0).front().getTerminator()->getOperand(number)};
  if (isa<IfOp, CaseOp>(op))
    for (Region &region : op->getRegions())
      result.push_back(region.front().getTerminator()->getOperand(number));
  if (isa<WhileOp>(op) && !hasDims)
    return {};
  if (isa<WhileOp>(op))
    addCaptures(op, result);
  return result;
}

/// Computes what `value` rests on, deepest first, with a stack of its own:
/// programs are deeper than the machine's stack.
void DimAnalysis::settleOperands(Value value) {
  llvm::SmallVector<Value> stack{value};
  llvm::DenseMap<Value, bool> opened;
  while (!stack.empty()) {
    Value top = stack.back();
    if (!opened.insert({top, true}).second) {
      stack.pop_back();
      if (top == value || settled(top))
        continue;
      auto type = cast<RankedTensorType>(top.getType());
      if (isShapeVector(top))
        for (int64_t index = 0; index < type.getDimSize(0); ++index)
          element(top, index);
      else if (type.hasStaticShape())
        scalar(top);
      else
        dims[top] = std::make_unique<DimVector>(computeDims(top));
      continue;
    }
    for (Value source : sourcesOf(top))
      if (!settled(source) && !opened.count(source))
        stack.push_back(source);
  }
}

// False for a loop whose body is still being written.
static bool isComplete(Operation *loop) {
  return llvm::all_of(loop->getRegions(), [](Region &region) {
    return !region.empty() && region.front().mightHaveTerminator();
  });
}

DimVector DimAnalysis::argumentDims(BlockArgument argument) {
  auto type = cast<RankedTensorType>(argument.getType());
  Operation *parent = argument.getOwner()->getParentOp();
  unsigned number = argument.getArgNumber();
  if (Value given = givenTo(argument))
    return dimsOf(given);
  if (isa_and_nonnull<WhileOp>(parent) && isComplete(parent)) {
    settleLoop(parent);
    return *dims[argument];
  }
  auto function = dyn_cast_or_null<func::FuncOp>(parent);
  DimVector result;
  auto names = function && argument.getOwner()->isEntryBlock()
                   ? function.getArgAttrOfType<ArrayAttr>(number, dimsAttrName)
                   : ArrayAttr();
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    auto name = names && dim < int64_t(names.size())
                    ? dyn_cast<StringAttr>(names[dim])
                    : StringAttr();
    if (!type.isDynamicDim(dim))
      result.push_back(type.getDimSize(dim));
    else if (name && !name.empty())
      result.push_back(
          DimExpr::parse(name.str()).value_or(DimExpr::symbol(name.str())));
    else if (function)
      result.push_back(DimExpr::symbol(unnamedDim(number, dim)));
    else
      result.push_back(freshSymbol());
  }
  if (DimBoundsMap bounds = function ? dimBoundsOf(function) : DimBoundsMap();
      !bounds.empty())
    for (DimExpr &size : result)
      size = size.withBounds([&](const std::string &name) {
        auto known = bounds.find(name);
        return known == bounds.end() ? DimBounds() : known->second;
      });
  return result;
}

DimVector DimAnalysis::computeDims(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  DimVector result;
  if (auto argument = dyn_cast<BlockArgument>(value))
    result = argumentDims(argument);
  else if (isa<IfOp, CaseOp>(value.getDefiningOp()))
    result = branchDims(cast<OpResult>(value));
  else if (isa<WhileOp>(value.getDefiningOp())) {
    settleLoop(value.getDefiningOp());
    result = *dims[value];
  } else if (auto rule = dyn_cast<ShapeRule>(value.getDefiningOp()))
    result = rule.resultDims(cast<OpResult>(value).getResultNumber(), *this);
  bool answered = int64_t(result.size()) == type.getRank();
  result.resize(type.getRank());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!type.isDynamicDim(dim))
      result[dim] = type.getDimSize(dim);
    else if (!answered || exceedsLimits(result[dim]))
      result[dim] = freshSymbol();
  return result;
}

/// The quotient that (x - x mod rhs) / rhs is, as rounding quotients are
/// written in a program; nullopt for other dividends.
static std::optional<DimExpr> writtenQuotient(const DimExpr &lhs,
                                              const DimExpr &rhs) {
  for (const auto &[monomial, coefficient] : lhs.terms()) {
    DimExpr rest = DimExpr::fromMonomial(monomial);
    const DimAtom *atom = rest.asAtom();
    if (coefficient != -1 || !atom || atom->kind != DimAtom::Kind::Mod ||
        *atom->rhs != rhs)
      continue;
    DimExpr dividend = lhs + rest;
    if (DimExpr::mod(dividend, rhs) == rest)
      return DimExpr::floorDiv(dividend, rhs);
  }
  return std::nullopt;
}

/// Truncating quotient as people mean it: exact for a divisor >= 1, nullopt
/// where its sign is unknown.
static std::optional<DimExpr> truncatedDiv(const DimExpr &lhs,
                                           const DimExpr &rhs) {
  if (!DimExpr(0).provablyAtMost(rhs))
    return std::nullopt;
  if (std::optional<DimExpr> quotient = writtenQuotient(lhs, rhs))
    return quotient;
  if (DimExpr(0).provablyAtMost(lhs))
    return DimExpr::floorDiv(lhs, rhs);
  DimExpr above = DimExpr::max(lhs, 0),
          below = DimExpr::max(DimExpr(0) - lhs, 0);
  return DimExpr::floorDiv(above, rhs) - DimExpr::floorDiv(below, rhs);
}

std::optional<DimExpr> DimAnalysis::scalarArithmetic(Operation *op) {
  DimExpr lhs = scalar(op->getOperand(0)), rhs = scalar(op->getOperand(1));
  bool positive = DimExpr(1).provablyAtMost(rhs);
  return llvm::TypeSwitch<Operation *, std::optional<DimExpr>>(op)
      .Case([&](AddOp) { return lhs + rhs; })
      .Case([&](SubOp) { return lhs - rhs; })
      .Case([&](MulOp) -> std::optional<DimExpr> {
        if (lhs.terms().size() * rhs.terms().size() > termLimit)
          return std::nullopt;
        return lhs * rhs;
      })
      .Case([&](DivOp) { return truncatedDiv(lhs, rhs); })
      .Case([&](FloorModOp) {
        return positive ? std::optional(DimExpr::mod(lhs, rhs)) : std::nullopt;
      })
      .Case([&](RemOp) {
        return positive && DimExpr(0).provablyAtMost(lhs)
                   ? std::optional(DimExpr::mod(lhs, rhs))
                   : std::nullopt;
      })
      .Case([&](MaxOp) { return DimExpr::max(lhs, rhs); })
      .Case([&](MinOp) { return DimExpr::min(lhs, rhs); })
      .Default([](Operation *) { return std::nullopt; });
}

static std::optional<int64_t> constantElement(Value value, int64_t index) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseIntElementsAttr>(constant.getValue())
                           : DenseIntElementsAttr();
  if (!elements || index >= elements.getNumElements())
    return std::nullopt;
  llvm::APInt element = *(elements.value_begin<llvm::APInt>() + index);
  bool isUnsigned = elements.getElementType().isUnsignedInteger() ||
                    element.getBitWidth() == 1;
  return isUnsigned ? int64_t(element.getLimitedValue(INT64_MAX))
                    : element.getSExtValue();
}

/// The operands of a common size, select(n == 1, m, n); null values for other
/// selects.
static std::pair<Value, Value> broadcastSizes(SelectOp select) {
  auto compare = select.getPred().getDefiningOp<CompareOp>();
  if (!compare || compare.getDirection() != CompareDirection::eq ||
      compare.getLhs() != select.getOnFalse() ||
      constantElement(compare.getRhs(), 0) != 1)
    return {};
  return {select.getOnFalse(), select.getOnTrue()};
}

std::optional<DimExpr> DimAnalysis::computeScalar(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Value given = givenTo(argument);
    return given ? std::optional(scalar(given)) : std::nullopt;
  }
  if (auto constant = constantElement(value, 0))
    return DimExpr(*constant);
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast<DimOp>(op))
    return dimOf(dim.getOperand(), dim.getDim());
  if (auto convert = dyn_cast<ConvertOp>(op);
      convert && isIntegerScalar(convert.getOperand().getType()))
    return scalar(convert.getOperand());
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    auto type = cast<RankedTensorType>(reshape.getOperand().getType());
    if (type.getRank() == 0)
      return scalar(reshape.getOperand());
    if (type.getRank() == 1)
      return element(reshape.getOperand(), 0);
  }
  if (isa<AddOp, SubOp, MulOp, DivOp, RemOp, FloorModOp, MaxOp, MinOp>(op))
    return scalarArithmetic(op);
  if (auto select = dyn_cast<SelectOp>(op))
    if (auto [lhs, rhs] = broadcastSizes(select); lhs)
      return DimExpr::broadcast(scalar(lhs), scalar(rhs));
  if (isa<IfOp, CaseOp>(op)) {
    unsigned number = cast<OpResult>(value).getResultNumber();
    DimExpr first =
        scalar(op->getRegion(0).front().getTerminator()->getOperand(number));
    for (Region &region : op->getRegions().drop_front())
      if (scalar(region.front().getTerminator()->getOperand(number)) != first)
        return std::nullopt;
    if (op->getNumRegions() > 1)
      return first;
  }
  return std::nullopt;
}

/// The operand and position that element `index` of a moved vector comes from;
/// a null value where it isn't moved.
static std::pair<Value, int64_t> movedElement(Operation *op, int64_t index) {
  if (auto reshape = dyn_cast_or_null<ReshapeOp>(op))
    return {reshape.getOperand(), index};
  if (auto broadcast = dyn_cast_or_null<BroadcastOp>(op);
      broadcast && broadcast.getMapping().empty())
    return {broadcast.getOperand(), 0};
  if (auto slice = dyn_cast_or_null<SliceOp>(op);
      slice && !ShapedType::isDynamic(slice.getStaticStarts()[0]))
    return {slice.getOperand(),
            slice.getStaticStarts()[0] + index * slice.getStrides()[0]};
  if (auto concat = dyn_cast_or_null<ConcatOp>(op))
    for (Value part : op->getOperands()) {
      int64_t size = cast<RankedTensorType>(part.getType()).getDimSize(0);
      if (ShapedType::isDynamic(size))
        break;
      if (index < size)
        return {part, index};
      index -= size;
    }
  if (auto convert = dyn_cast_or_null<ConvertOp>(op)) {
    Type from =
        cast<RankedTensorType>(convert.getOperand().getType()).getElementType();
    if (from.isInteger() && !from.isInteger(1))
      return {convert.getOperand(), index};
  }
  return {};
}

std::optional<DimExpr> DimAnalysis::computeElement(Value value, int64_t index) {
  if (auto constant = constantElement(value, index))
    return DimExpr(*constant);
  auto [source, position] = movedElement(value.getDefiningOp(), index);
  if (!source)
    return std::nullopt;
  int64_t rank = cast<RankedTensorType>(source.getType()).getRank();
  if (rank == 0)
    return scalar(source);
  return rank == 1 ? std::optional(element(source, position)) : std::nullopt;
}

} // namespace zenith::graph
