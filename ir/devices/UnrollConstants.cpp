// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on positions of devices, at compile time.

#include "ir/devices/UnrollConstants.h"

#include "ir/GraphOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::graph;

static DenseIntElementsAttr constantOf(Value value) {
  DenseIntElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)))
    return {};
  return elements;
}

static std::optional<int64_t> scalarOf(Value value) {
  DenseIntElementsAttr elements = constantOf(value);
  if (!elements || elements.getType().getRank() != 0 ||
      !elements.getElementType().isSignlessInteger() ||
      elements.getElementType().isInteger(1))
    return std::nullopt;
  return elements.getSplatValue<APInt>().getSExtValue();
}

static std::optional<int64_t> computed(Operation &op,
                                       const IRMapping &mapping) {
  auto operand = [&](unsigned index) {
    return scalarOf(mapping.lookupOrDefault(op.getOperand(index)));
  };
  if (isa<AddOp, SubOp, MulOp, MaxOp, MinOp>(op)) {
    std::optional<int64_t> lhs = operand(0), rhs = operand(1);
    if (!lhs || !rhs)
      return std::nullopt;
    if (isa<AddOp>(op))
      return int64_t(uint64_t(*lhs) + uint64_t(*rhs));
    if (isa<SubOp>(op))
      return int64_t(uint64_t(*lhs) - uint64_t(*rhs));
    if (isa<MulOp>(op))
      return int64_t(uint64_t(*lhs) * uint64_t(*rhs));
    return isa<MaxOp>(op) ? std::max(*lhs, *rhs) : std::min(*lhs, *rhs);
  }
  if (isa<ConvertOp>(op))
    return operand(0);
  // The entry of a table, as a scalar.
  auto reshape = dyn_cast<ReshapeOp>(op);
  if (!reshape)
    return std::nullopt;
  DenseIntElementsAttr elements =
      constantOf(mapping.lookupOrDefault(reshape.getOperand()));
  if (!elements || elements.getNumElements() != 1)
    return std::nullopt;
  return elements.getSplatValue<APInt>().getSExtValue();
}

static bool isIndex(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 0 &&
         tensor.getElementType().isSignlessInteger(64);
}

// A part whose starts are constants; an entry of a constant table is one too.
static Operation *staticSlice(OpBuilder &builder, DynamicSliceOp op,
                              const IRMapping &mapping) {
  auto whole = cast<RankedTensorType>(
      mapping.lookupOrDefault(op.getOperand()).getType());
  RankedTensorType type = cast<RankedTensorType>(op.getType());
  SmallVector<int64_t> starts;
  for (auto [dim, start] : llvm::enumerate(op.getStarts())) {
    std::optional<int64_t> at = scalarOf(mapping.lookupOrDefault(start));
    if (!at || whole.isDynamicDim(dim) || type.isDynamicDim(dim))
      return nullptr;
    starts.push_back(std::clamp<int64_t>(
        *at, 0, whole.getDimSize(dim) - type.getDimSize(dim)));
  }
  Value operand = mapping.lookupOrDefault(op.getOperand());
  if (DenseIntElementsAttr table = constantOf(operand);
      table && whole.getRank() == 1 && type.getDimSize(0) == 1)
    return builder.create<ConstantOp>(
        op.getLoc(),
        DenseElementsAttr::get(type, table.getValues<APInt>()[starts[0]]));
  SmallVector<int64_t> strides(starts.size(), 1);
  return builder.create<SliceOp>(op.getLoc(), type, operand, ValueRange(),
                                 ValueRange(), starts, type.getShape(),
                                 strides);
}

Operation *graph::cloneFolded(OpBuilder &builder, Operation &op,
                              IRMapping &mapping) {
  if (auto slice = dyn_cast<DynamicSliceOp>(op))
    if (Operation *part = staticSlice(builder, slice, mapping))
      return part;
  if (op.getNumResults() == 1 && isIndex(op.getResult(0).getType()))
    if (std::optional<int64_t> number = computed(op, mapping))
      return builder.create<ConstantOp>(
          op.getLoc(),
          DenseElementsAttr::get(
              cast<RankedTensorType>(op.getResult(0).getType()), *number));
  return builder.clone(op, mapping);
}
