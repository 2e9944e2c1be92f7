// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the integers in the order of floats, and their conversion back.

#include "frontends/onnx/export/OrderAsONNX.h"

#include "ir/GraphOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace zenith;

static std::optional<APInt> splatInteger(Value value) {
  while (auto broadcast = value.getDefiningOp<graph::BroadcastOp>())
    value = broadcast.getOperand();
  auto constant = value.getDefiningOp<graph::ConstantOp>();
  auto elements = constant ? dyn_cast<DenseIntElementsAttr>(constant.getValue())
                           : DenseIntElementsAttr();
  if (!elements || !elements.isSplat())
    return std::nullopt;
  return elements.getSplatValue<APInt>();
}

// x < 0 ? x ^ largest : x, which is its own inverse; gives x.
static Value reversedNegative(Value value) {
  auto select = value.getDefiningOp<graph::SelectOp>();
  if (!select)
    return {};
  Value bits = select.getOnFalse();
  auto compare = select.getPred().getDefiningOp<graph::CompareOp>();
  auto flipped = select.getOnTrue().getDefiningOp<graph::XorOp>();
  if (!compare || !flipped || compare.getLhs() != bits ||
      compare.getDirection() != graph::CompareDirection::lt ||
      flipped.getLhs() != bits)
    return {};
  auto zero = splatInteger(compare.getRhs()),
       mask = splatInteger(flipped.getRhs());
  return zero && mask && zero->isZero() && mask->isMaxSignedValue() ? bits
                                                                    : Value();
}

// The conversions of the values back to floats, or none if another op reads the
// integers.
static SmallVector<graph::BitcastOp> conversionsOf(Value values) {
  SmallVector<graph::BitcastOp> found;
  Value back;
  for (Operation *user : values.getUsers())
    if (auto select = dyn_cast<graph::SelectOp>(user))
      back = select.getResult();
  if (!back || reversedNegative(back) != values)
    return {};
  Operation *select = back.getDefiningOp();
  for (Operation *user : values.getUsers())
    if (user != select && user != select->getOperand(0).getDefiningOp() &&
        user != select->getOperand(1).getDefiningOp())
      return {};
  for (Operation *user : back.getUsers()) {
    auto bitcast = dyn_cast<graph::BitcastOp>(user);
    if (!bitcast)
      return {};
    found.push_back(bitcast);
  }
  return found;
}

static void orderFloats(graph::TopKOp top) {
  Value bits = reversedNegative(top.getOperand());
  auto toBits =
      bits ? bits.getDefiningOp<graph::BitcastOp>() : graph::BitcastOp();
  if (!toBits)
    return;
  Type element = getElementTypeOrSelf(toBits.getOperand().getType());
  SmallVector<graph::BitcastOp> conversions = conversionsOf(top.getValues());
  if (!isa<FloatType>(element) ||
      (conversions.empty() && !top.getValues().use_empty()) ||
      llvm::any_of(conversions, [&](graph::BitcastOp back) {
        return getElementTypeOrSelf(back.getResult().getType()) != element;
      }))
    return;
  OpBuilder b(top);
  auto type = cast<RankedTensorType>(top.getValues().getType());
  auto floats = b.create<graph::TopKOp>(
      top.getLoc(), RankedTensorType::get(type.getShape(), element),
      top.getIndices().getType(), toBits.getOperand(), top.getK(), top.getDim(),
      top.getSmallest());
  top.getIndices().replaceAllUsesWith(floats.getIndices());
  for (graph::BitcastOp back : conversions)
    back.getResult().replaceAllUsesWith(floats.getValues());
}

void onnx::orderAsONNX(ModuleOp module) {
  SmallVector<graph::TopKOp> tops;
  module.walk([&](graph::TopKOp top) { tops.push_back(top); });
  llvm::for_each(tops, orderFloats);
}
