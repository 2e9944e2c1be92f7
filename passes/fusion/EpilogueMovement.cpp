// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// op(move(x), y) becomes move(op(x, unmove(y))), for x computed from the
// contraction's result: the movement ends up in the stores.

#include "ir/matchers/TypeOf.h"
#include "ir/ops/CompositeFormulas.h"
#include "passes/fusion/OutlineFusions.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::fusion {

static Value unmoveBroadcast(OpBuilder &builder, BroadcastOp broadcast,
                             TransposeOp move, Value moved) {
  SmallVector<int64_t> mapping;
  for (int64_t target : broadcast.getMapping())
    mapping.push_back(move.getPermutation()[target]);
  return broadcastLike(builder, broadcast.getLoc(), broadcast.getOperand(),
                       mapping, moved);
}

/// `value`, which has the shape of `move`'s result, in the shape of its
/// operand.
static Value unmove(OpBuilder &builder, Value value, Operation *move) {
  Value source = move->getOperand(0);
  auto type = typeOf(source).clone(typeOf(value).getElementType());
  Location loc = value.getLoc();
  if (auto constant = value.getDefiningOp<ConstantOp>();
      constant && type.hasStaticShape())
    if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
        elements && elements.isSplat())
      return builder.create<ConstantOp>(
          loc, cast<ElementsAttr>(elements.resizeSplat(type)));
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  if (broadcast && broadcast.getMapping().empty())
    return broadcastLike(builder, loc, broadcast.getOperand(), {}, source);
  if (auto transpose = dyn_cast<TransposeOp>(move)) {
    if (broadcast)
      return unmoveBroadcast(builder, broadcast, transpose, source);
    SmallVector<int64_t> inverse(type.getRank());
    for (auto [d, from] : llvm::enumerate(transpose.getPermutation()))
      inverse[from] = d;
    return builder.create<TransposeOp>(loc, type, value, inverse);
  }
  SmallVector<Value> dims;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      dims.push_back(builder.create<DimOp>(loc, source, d));
  return builder.create<ReshapeOp>(loc, type, value, dims);
}

/// Values computed from the anchor's result.
static llvm::DenseSet<Value> derivedValues(Block &body) {
  llvm::DenseSet<Value> derived;
  for (Operation &op : body)
    if (familyOf(&op) == Family::Contraction || isa<AttentionOp>(op) ||
        (!isa<DimOp>(op) && llvm::any_of(op.getOperands(), [&](Value value) {
          return derived.contains(value);
        })))
      derived.insert(op.result_begin(), op.result_end());
  return derived;
}

/// The movement that `op` should come before: that of an operand which is
/// computed from the anchor's result.
static Operation *movementBefore(Operation *op,
                                 const llvm::DenseSet<Value> &derived) {
  if (familyOf(op) != Family::Elementwise)
    return nullptr;
  for (Value operand : op->getOperands())
    if (derived.contains(operand) &&
        isa_and_nonnull<TransposeOp, ReshapeOp>(operand.getDefiningOp()))
      return operand.getDefiningOp();
  return nullptr;
}

static bool sameMovement(Operation *a, Operation *b) {
  return a == b ||
         (a && a->getName() == b->getName() && a->getAttrs() == b->getAttrs());
}

static void swapWith(Operation *op, Operation *move,
                     const llvm::DenseSet<Value> &derived) {
  OpBuilder builder(op);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    Operation *own = operand.getDefiningOp();
    bool isMoved = derived.contains(operand) && sameMovement(own, move);
    operands.push_back(isMoved ? own->getOperand(0)
                               : unmove(builder, operand, move));
  }
  Operation *computed = builder.clone(*op);
  computed->setOperands(operands);
  auto type = typeOf(move->getOperand(0))
                  .clone(typeOf(op->getResult(0)).getElementType());
  computed->getResult(0).setType(type);
  Operation *moved = builder.clone(*move);
  moved->setOperand(0, computed->getResult(0));
  moved->getResult(0).setType(op->getResult(0).getType());
  op->getResult(0).replaceAllUsesWith(moved->getResult(0));
  op->erase();
}

void moveEpilogueFirst(FusionOp fusion) {
  Block &body = fusion.getBody().front();
  bool changed = true;
  while (changed) {
    changed = false;
    llvm::DenseSet<Value> derived = derivedValues(body);
    for (Operation &op : body)
      if (Operation *move = movementBefore(&op, derived)) {
        swapWith(&op, move, derived);
        changed = true;
        break;
      }
  }
}

} // namespace zenith::fusion
