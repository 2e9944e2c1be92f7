// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batching of assertions and of calls by name.

#include "ir/matchers/DynamicDims.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "ir/remarks/Remark.h"
#include "passes/batching/BatchControl.h"
#include "passes/batching/DimReshapes.h"
#include "passes/batching/RegionOperands.h"
#include "passes/batching/RowDims.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::batching {

/// A vector with one more element at its end, zero or false.
static Value withOneMore(Batcher &batcher, Value vector) {
  RankedTensorType type = typeOf(vector);
  int64_t size = type.getDimSize(0);
  OpBuilder &b = batcher.b;
  return b.create<PadOp>(
      batcher.loc,
      type.clone(
          ArrayRef<int64_t>{ShapedType::isDynamic(size) ? size : size + 1}),
      vector, zeroScalar(batcher, type.getElementType()), ValueRange{},
      ValueRange{}, b.getDenseI64ArrayAttr({0}), b.getDenseI64ArrayAttr({1}),
      b.getDenseI64ArrayAttr({0}));
}

LogicalResult batchAssertion(AssertOp op, Batcher &batcher) {
  OpBuilder &b = batcher.b;
  Value holds = batcher.batched(op.getCondition());
  auto negated = [&](Value mask) -> Value {
    return b.create<NotOp>(batcher.loc, mask.getType(), mask);
  };
  if (batcher.active)
    holds = batcher.binary<OrOp>(holds, negated(batcher.active));
  Value all =
      b.create<ReduceOp>(batcher.loc, RankedTensorType::get({}, b.getI1Type()),
                         ReduceKind::all, holds, ArrayRef<int64_t>{0});
  SmallVector<Value> details;
  Value failing;
  for (Value detail : op.getDetails()) {
    if (!batcher.varies(detail)) {
      details.push_back(batcher.mapped(detail));
      continue;
    }
    // One more element, so that there is one.
    if (!failing)
      failing = b.create<ArgReduceOp>(
          batcher.loc, RankedTensorType::get({}, b.getI64Type()),
          ReduceKind::max, withOneMore(batcher, negated(holds)), uint64_t(0),
          /*last=*/false);
    Value list = withOneMore(batcher, batcher.mapped(detail));
    Value element = b.create<DynamicSliceOp>(
        batcher.loc, typeOf(list).clone(ArrayRef<int64_t>{1}), list, failing);
    details.push_back(reshaped(b, batcher.loc, element, {}));
  }
  auto copy = b.create<AssertOp>(batcher.loc, all, op.getMessage(), details);
  copy->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return success();
}

namespace {

/// A loop that calls once for each row.
struct RowLoop {
  CustomCallOp op;
  Batcher &batcher;
  OpBuilder &b;

  Value number(int64_t value) { return scalarOf(batcher, {value, Value()}); }
  /// Row `index` of a value with rows.
  Value row(Value value, Value index) {
    RankedTensorType type = typeOf(value);
    SmallVector<int64_t> sizes{1}, offset;
    for (int64_t dim = 1; dim < type.getRank(); ++dim) {
      sizes.push_back(type.isDynamicDim(dim) ? -1 : type.getDimSize(dim));
      offset.push_back(dim - 1);
    }
    auto dims = GatherDimsAttr::get(b.getContext(), offset, {0}, {}, {}, {0},
                                    /*indexVectorDim=*/0);
    return b.create<GatherOp>(batcher.loc,
                              type.clone(type.getShape().drop_front()), value,
                              reshaped(b, batcher.loc, index, {1}), dims,
                              b.getDenseI64ArrayAttr(sizes));
  }
  /// `all` with row `index` replaced.
  Value withRow(Value all, Value row, Value index) {
    SmallVector<int64_t> shape = prefixed(1, typeOf(row).getShape());
    SmallVector<Value> starts{index};
    starts.append(typeOf(row).getRank(), number(0));
    return b.create<DynamicUpdateSliceOp>(batcher.loc, all.getType(), all,
                                          reshaped(b, batcher.loc, row, shape),
                                          starts);
  }
  void emit();
};

} // namespace

void RowLoop::emit() {
  SmallVector<Value> inits{number(0)};
  for (Type type : op->getResultTypes())
    inits.push_back(batcher.repeated(b.create<BroadcastOp>(
        batcher.loc, type,
        zeroScalar(batcher, cast<RankedTensorType>(type).getElementType()),
        ArrayRef<int64_t>{}, ValueRange{})));
  Value rows = batcher.rows();
  SmallVector<Type> types{TypeRange(ValueRange(inits))};
  SmallVector<Location> locations(types.size(), batcher.loc);
  auto loop = b.create<WhileOp>(batcher.loc, types, inits);
  {
    OpBuilder::InsertionGuard guard(b);
    Block *block = b.createBlock(&loop.getCondition(), {}, types, locations);
    Value goesOn = b.create<CompareOp>(
        batcher.loc, RankedTensorType::get({}, b.getI1Type()),
        CompareDirection::lt, block->getArgument(0), rows);
    b.create<YieldOp>(batcher.loc, goesOn);
  }
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&loop.getBody(), {}, types, locations);
  Value index = block->getArgument(0);
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, batcher.varies(operand)
                             ? row(batcher.mapped(operand), index)
                             : batcher.mapped(operand));
  Operation *call = b.clone(*op, mapping);
  SmallVector<Value> next{batcher.binary<AddOp>(index, number(1))};
  for (auto [all, result] :
       llvm::zip_equal(block->getArguments().drop_front(), call->getResults()))
    next.push_back(withRow(all, result, index));
  b.create<YieldOp>(batcher.loc, next);
  batcher.bind(op->getResults(), loop.getResults().drop_front());
}

LogicalResult batchCustomCall(CustomCallOp op, Batcher &batcher) {
  // LAPACK's routines take batches in front.
  if (op.getTarget().starts_with("lapack_")) {
    batcher.rebuild(op, batcher.batched(op->getOperands()));
    return success();
  }
  for (Type type : op->getResultTypes())
    if (!cast<RankedTensorType>(type).hasStaticShape())
      return batcher.refuse(op, "calls a routine without batches whose results "
                                "have dynamic sizes");
  remarks::emit(op, remarks::Code::BAT101,
                {op->getName().getStringRef(),
                 "'" + op.getTarget() + "' takes no batches"});
  RowLoop{op, batcher, batcher.b}.emit();
  return success();
}

} // namespace zenith::batching
