// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions are built by hand and scheduled as the schedule phase would.

#include "lowering/memory/RowKernels.h"

#include "ir/matchers/MovementRewrites.h"
#include "ir/matchers/TypeOf.h"
#include "lowering/decisions/Decide.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace zenith::memory {

using graph::FusionOp;
using graph::typeOf;

Value integerScalar(OpBuilder &builder, Location loc, Type type,
                    int64_t number) {
  auto tensor = cast<RankedTensorType>(type);
  return builder.create<graph::ConstantOp>(
      loc,
      DenseElementsAttr::get(
          tensor, builder.getIntegerAttr(tensor.getElementType(), number)));
}

RankedTensorType stackType(RankedTensorType type, int64_t rows) {
  SmallVector<int64_t> shape{rows};
  llvm::append_range(shape, type.getShape());
  return RankedTensorType::get(shape, type.getElementType());
}

/// The starts of row `index`.
static SmallVector<Value> startsOf(OpBuilder &builder, Location loc,
                                   Value index, int64_t rank) {
  SmallVector<Value> starts{index};
  if (rank > 1)
    starts.append(rank - 1, integerScalar(builder, loc, index.getType(), 0));
  return starts;
}

RowKernels::Made
RowKernels::make(OpBuilder &builder, Location loc, graph::FusionKind kind,
                 ValueRange inputs,
                 llvm::function_ref<Value(OpBuilder &, Block &)> build) {
  Region region;
  Block *block = &region.emplaceBlock();
  for (Value input : inputs)
    block->addArgument(input.getType(), loc);
  OpBuilder inside(builder.getContext());
  inside.setInsertionPointToStart(block);
  Value result = build(inside, *block);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
    if (isOpTriviallyDead(&op) && op.getResult(0) != result)
      op.erase();
  inside.create<graph::YieldOp>(loc, result);
  auto fusion = builder.create<FusionOp>(loc, result.getType(), kind, inputs);
  fusion.getBody().takeBody(region);
  graph::DimAnalysis dims;
  FailureOr<decisions::Decision> decision =
      decisions::decide(fusion, dims, target);
  if (failed(decision))
    return failure();
  fusion.setScheduleAttr(decision->schedule);
  return fusion->getResult(0);
}

RowKernels::Made RowKernels::zeros(OpBuilder &builder, Location loc,
                                   RankedTensorType type) {
  return make(builder, loc, graph::FusionKind::copy, {},
              [&](OpBuilder &inside, Block &) {
                return inside.create<graph::ConstantOp>(
                    loc, DenseElementsAttr::get(
                             type, inside.getZeroAttr(type.getElementType())));
              });
}

RowKernels::Made RowKernels::write(OpBuilder &builder, Location loc,
                                   Value stack, Value value, Value index) {
  RankedTensorType type = typeOf(stack), row = stackType(typeOf(value), 1);
  return make(
      builder, loc, graph::FusionKind::scatter, {stack, value, index},
      [&](OpBuilder &inside, Block &block) -> Value {
        Value update = inside.create<graph::ReshapeOp>(
            loc, row, block.getArgument(1), ValueRange());
        return inside.create<graph::DynamicUpdateSliceOp>(
            loc, type, block.getArgument(0), update,
            startsOf(inside, loc, block.getArgument(2), type.getRank()));
      });
}

RowKernels::Made RowKernels::read(OpBuilder &builder, Location loc, Value stack,
                                  Value index) {
  RankedTensorType whole = typeOf(stack);
  auto type = RankedTensorType::get(whole.getShape().drop_front(),
                                    whole.getElementType());
  return make(
      builder, loc, graph::FusionKind::pointwise, {stack, index},
      [&](OpBuilder &inside, Block &block) -> Value {
        Value row = inside.create<graph::DynamicSliceOp>(
            loc, stackType(type, 1), block.getArgument(0),
            startsOf(inside, loc, block.getArgument(1), whole.getRank()));
        return inside.create<graph::ReshapeOp>(loc, type, row, ValueRange());
      });
}

RowKernels::Made RowKernels::rowOf(OpBuilder &builder, FusionOp update,
                                   const IRMapping &again) {
  Block &block = update.getBody().front();
  auto write = block.getTerminator()
                   ->getOperand(0)
                   .getDefiningOp<graph::DynamicUpdateSliceOp>();
  SmallVector<Value> inputs;
  SmallVector<unsigned> kept;
  for (auto [number, input] : llvm::enumerate(update.getInputs())) {
    Value argument = block.getArgument(number);
    bool isRead = llvm::any_of(argument.getUsers(), [&](Operation *user) {
      return user != write || write->getOperand(1) == argument;
    });
    if (!isRead)
      continue;
    kept.push_back(number);
    inputs.push_back(again.lookupOrDefault(input));
  }
  return make(
      builder, update.getLoc(), graph::FusionKind::pointwise, inputs,
      [&](OpBuilder &inside, Block &made) {
        IRMapping values;
        for (auto [number, argument] : llvm::zip(kept, made.getArguments()))
          values.map(block.getArgument(number), argument);
        for (Operation &op : block.without_terminator()) {
          if (&op == write)
            continue;
          if (isa<graph::BroadcastOp>(op) && graph::isStaticRename(&op))
            values.map(op.getResult(0),
                       inside.create<graph::ReshapeOp>(
                           op.getLoc(), op.getResult(0).getType(),
                           values.lookup(op.getOperand(0)), ValueRange()));
          else if (llvm::all_of(op.getOperands(), [&](Value operand) {
                     return values.contains(operand);
                   }))
            inside.clone(op, values);
        }
        return values.lookup(write->getOperand(1));
      });
}

} // namespace zenith::memory
