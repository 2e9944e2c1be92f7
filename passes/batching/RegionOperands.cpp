// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the varying values that regions read, and rebuilds regions on operands.

#include "passes/batching/RegionOperands.h"
#include "ir/matchers/TypeOf.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::batching {

FailureOr<SmallVector<Value>> varyingCaptures(Batcher &batcher, Operation *op) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  SmallVector<Value> varying;
  for (Value value : captured) {
    if (!batcher.varies(value))
      continue;
    if (typeOf(value).getRank() != 0)
      return batcher.refuse(op, "has a region that reads a tensor which "
                                "differs between rows");
    varying.push_back(value);
  }
  return varying;
}

Value zeroScalar(Batcher &batcher, Type element) {
  OpBuilder &b = batcher.b;
  Attribute zero;
  if (auto complex = dyn_cast<ComplexType>(element)) {
    Attribute part = b.getZeroAttr(complex.getElementType());
    zero = b.getArrayAttr({part, part});
  } else {
    zero = b.getZeroAttr(element);
  }
  return b.create<ConstantOp>(batcher.loc,
                              cast<ElementsAttr>(DenseElementsAttr::get(
                                  RankedTensorType::get({}, element), zero)));
}

SmallVector<Value> cloneBody(Batcher &batcher, Block &body, Block *target,
                             ValueRange arguments, ValueRange captured,
                             ValueRange captures) {
  IRMapping mapping(batcher.mapping);
  mapping.map(body.getArguments(), arguments);
  mapping.map(captured, captures);
  OpBuilder inside = OpBuilder::atBlockEnd(target);
  for (Operation &op : body.without_terminator())
    inside.clone(op, mapping);
  SmallVector<Value> yielded;
  for (Value value : body.getTerminator()->getOperands())
    yielded.push_back(mapping.lookup(value));
  return yielded;
}

} // namespace zenith::batching
