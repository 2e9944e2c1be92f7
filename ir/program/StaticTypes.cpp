// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks the analysis for all values before it changes any type: its answers hold
// only as long as the program stays as it is.

#include "ir/program/StaticTypes.h"

#include "ir/GraphOps.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace zenith::graph {

/// The type of a value with the sizes that are known.
static RankedTensorType knownType(Value value, DimAnalysis &dims) {
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> shape(type.getShape());
  const DimVector &exprs = dims.dimsOf(value);
  for (auto [size, expr] : llvm::zip(shape, exprs))
    if (std::optional<int64_t> known = expr.constant();
        known && *known >= 0 && ShapedType::isDynamic(size))
      size = *known;
  return type.clone(shape);
}

/// The operands of an op that give the dynamic sizes of its result, in order.
static std::optional<MutableOperandRange> sizesOf(Operation *op) {
  return TypeSwitch<Operation *, std::optional<MutableOperandRange>>(op)
      .Case<IotaOp, BroadcastOp, ExpandOp, ReshapeOp>(
          [](auto own) { return own.getDimsMutable(); })
      .Case<SliceOp, RandomUniformOp, RandomNormalOp, RandomTruncatedNormalOp,
            RandomBernoulliOp>([](auto own) { return own.getSizesMutable(); })
      .Default([](Operation *) { return std::nullopt; });
}

/// Changes the result of an op that takes a size for each dynamic dimension.
static void dropSizes(Operation *op, RankedTensorType wanted) {
  std::optional<MutableOperandRange> sizes = sizesOf(op);
  if (!sizes)
    return;
  SmallVector<Value> kept;
  unsigned next = 0;
  for (auto [before, after] :
       llvm::zip(typeOf(op->getResult(0)).getShape(), wanted.getShape())) {
    if (!ShapedType::isDynamic(before))
      continue;
    Value size = sizes->getAsOperandRange()[next++];
    if (ShapedType::isDynamic(after))
      kept.push_back(size);
  }
  sizes->assign(kept);
  if (auto slice = dyn_cast<SliceOp>(op))
    slice.setStaticSizes(wanted.getShape());
}

/// A value where another type of the same shape is wanted.
static void castOperand(OpOperand &operand, RankedTensorType wanted) {
  Value value = operand.get();
  if (value.getType() == wanted)
    return;
  OpBuilder builder(operand.getOwner());
  Location loc = operand.getOwner()->getLoc();
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < wanted.getRank(); ++d)
    if (wanted.isDynamicDim(d))
      sizes.push_back(builder.create<DimOp>(loc, value, d));
  operand.set(reshaped(builder, loc, value, wanted.getShape(), sizes));
}

/// Fills in the sizes that `type` states and `shape` does not.
static void addSizes(SmallVectorImpl<int64_t> &shape, RankedTensorType type) {
  for (auto [size, other] : llvm::zip(shape, type.getShape()))
    if (ShapedType::isDynamic(size))
      size = other;
}

/// Calls take exactly the types of what they call.
static void castArguments(func::CallOp call) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  if (!callee)
    return;
  for (auto [operand, type] :
       llvm::zip(call->getOpOperands(), callee.getArgumentTypes()))
    castOperand(operand, cast<RankedTensorType>(type));
}

/// Operands and result of one shape state the same sizes: the text form of most
/// such ops writes one type for all.
static void shareShape(Operation *op, unsigned operands) {
  SmallVector<int64_t> shape(typeOf(op->getResult(0)).getShape());
  for (Value operand : op->getOperands().take_front(operands))
    addSizes(shape, typeOf(operand));
  for (OpOperand &operand : op->getOpOperands().take_front(operands))
    castOperand(operand, typeOf(operand.get()).clone(shape));
  for (Value result : op->getResults())
    result.setType(typeOf(result).clone(shape));
}

static void matchTypes(Operation *op) {
  if (auto call = dyn_cast<func::CallOp>(op))
    castArguments(call);
  else if (isa<DropoutOp>(op))
    shareShape(op, 1); // the other operand is its key
  else if (familyOf(op) == Family::Elementwise ||
           op->hasTrait<OpTrait::SameOperandsAndResultType>())
    shareShape(op, op->getNumOperands());
}

void giveStaticTypes(func::FuncOp function) {
  DimAnalysis dims;
  SmallVector<std::pair<Value, RankedTensorType>> known;
  auto ask = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || type.hasStaticShape())
      return;
    if (RankedTensorType wanted = knownType(value, dims); wanted != type)
      known.push_back({value, wanted});
  };
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    llvm::for_each(op->getResults(), ask);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), ask);
  });
  for (auto [value, wanted] : known) {
    if (Operation *op = value.getDefiningOp())
      dropSizes(op, wanted);
    value.setType(wanted);
  }
  function.walk<WalkOrder::PreOrder>(matchTypes);
  Block &body = function.getBody().front();
  function.setType(FunctionType::get(function.getContext(),
                                     body.getArgumentTypes(),
                                     body.getTerminator()->getOperandTypes()));
}

} // namespace zenith::graph
