// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the ops that are read, asks their rules, and builds what rules share.

#include "passes/batching/Batcher.h"
#include "ir/matchers/DynamicDims.h"
#include "ir/matchers/RegionInlining.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "passes/batching/BatchRule.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::batching {

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Batcher::Values Batcher::mapped(ValueRange originals) const {
  Values result;
  for (Value original : originals)
    result.push_back(mapped(original));
  return result;
}

Value Batcher::batched(Value original) {
  Value value = mapped(original);
  return varies(original) ? value : repeated(value);
}

Batcher::Values Batcher::batched(ValueRange originals) {
  Values result;
  for (Value original : originals)
    result.push_back(batched(original));
  return result;
}

void Batcher::bind(Value original, Value value) {
  if (varies(original))
    value = asType(b, loc, value, batchedType(original.getType()));
  mapping.map(original, value);
}

void Batcher::bind(ValueRange originals, ValueRange values) {
  for (auto [original, value] : llvm::zip_equal(originals, values))
    bind(original, value);
}

FailureOr<Value> Batcher::uniform(Operation *op, Value original,
                                  StringRef what) {
  if (varies(original))
    return refuse(op, "has " + what + " that differ between rows");
  return mapped(original);
}

FailureOr<Batcher::Values> Batcher::uniform(Operation *op, ValueRange originals,
                                            StringRef what) {
  Values result;
  for (Value original : originals) {
    FailureOr<Value> value = uniform(op, original, what);
    if (failed(value))
      return failure();
    result.push_back(*value);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult Batcher::refuse(Operation *op, const Twine &why) {
  return op->emitOpError() << why << ", so vmap has no form of it";
}

LogicalResult Batcher::run(Block &block) {
  // Rules may add ops to the block.
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
    if (failed(run(&op)))
      return failure();
  return success();
}

/// Whether the op may end the run or never end, so that it matters which rows
/// come to it.
static bool mindsActiveRows(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<AssertOp, WhileOp>(inner) ? WalkResult::interrupt()
                                             : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult Batcher::run(Operation *op) {
  Location outer = loc;
  loc = op->getLoc();
  auto restore = llvm::make_scope_exit([&] { loc = outer; });
  bool isSame = !varying.read(op) && !(active && mindsActiveRows(op));
  if (isSame) {
    b.clone(*op, mapping);
    return success();
  }
  if (auto dim = dyn_cast<DimOp>(op)) {
    Value operand = mapped(dim.getOperand());
    bind(dim.getResult(),
         b.create<DimOp>(loc, operand, int64_t(dim.getDim()) + 1));
    return success();
  }
  if (auto call = dyn_cast<func::CallOp>(op))
    return runCall(call);
  auto rule = dyn_cast<BatchRule>(op);
  if (!rule)
    return refuse(op, "has no batching rule");
  return rule.batch(*this);
}

LogicalResult Batcher::runCall(func::CallOp op) {
  FailureOr<func::FuncOp> callee = functions.of(op.getCallee());
  if (failed(callee))
    return failure();
  auto call = b.create<func::CallOp>(loc, *callee, batched(op->getOperands()));
  bind(op->getResults(), call.getResults());
  return success();
}

LogicalResult Batcher::runFormula(Operation *op,
                                  function_ref<Values(OpBuilder &)> formula) {
  Operation *before = op->getPrevNode();
  OpBuilder builder(op);
  Values results = formula(builder);
  Operation *first = before ? before->getNextNode() : &op->getBlock()->front();
  for (Operation *inner = first; inner != op; inner = inner->getNextNode()) {
    varying.propagate(inner);
    if (failed(run(inner)))
      return failure();
  }
  for (auto [original, result] : llvm::zip_equal(op->getResults(), results))
    bind(original, batched(result));
  return success();
}

Operation *Batcher::rebuild(Operation *op, ValueRange operands) {
  Operation *copy = op->clone(mapping);
  copy->setOperands(operands);
  for (OpResult result : copy->getResults())
    result.setType(batchedType(result.getType()));
  if (auto shardings = copy->getAttrOfType<ArrayAttr>(shardingAttrName)) {
    SmallVector<Attribute> opened;
    for (auto sharding : shardings.getAsRange<ShardingAttr>())
      opened.push_back(withOpenRows(sharding));
    copy->setAttr(shardingAttrName, b.getArrayAttr(opened));
  }
  b.insert(copy);
  bind(op->getResults(), copy->getResults());
  return copy;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

RankedTensorType Batcher::batchedType(Type type) const {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape{size.number};
  llvm::append_range(shape, tensor.getShape());
  return RankedTensorType::get(shape, tensor.getElementType());
}

SmallVector<Type> Batcher::batchedTypes(TypeRange types) const {
  SmallVector<Type> result;
  for (Type type : types)
    result.push_back(batchedType(type));
  return result;
}

Batcher::Values Batcher::withRows(ValueRange sizes) const {
  Values result;
  if (size.isDynamic())
    result.push_back(size.scalar);
  llvm::append_range(result, sizes);
  return result;
}

Value Batcher::rows() {
  if (size.isDynamic())
    return size.scalar;
  auto scalar = RankedTensorType::get({}, b.getI64Type());
  return b.create<ConstantOp>(
      loc, cast<ElementsAttr>(DenseElementsAttr::get(scalar, size.number)));
}

Value Batcher::repeated(Value value) {
  RankedTensorType type = batchedType(value.getType());
  auto constant = value.getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                           : DenseElementsAttr();
  if (elements && elements.isSplat() && type.hasStaticShape())
    return b.create<ConstantOp>(
        loc, cast<ElementsAttr>(DenseElementsAttr::get(
                 type, elements.getSplatValue<Attribute>())));
  auto mapping = llvm::to_vector(llvm::seq<int64_t>(1, type.getRank()));
  return b.create<BroadcastOp>(loc, type, value, mapping,
                               withRows(dynamicDimsOf(b, loc, value)));
}

Value Batcher::rowsInFront(Value value, int64_t place) {
  if (place == 0)
    return value;
  SmallVector<int64_t> order{place};
  for (int64_t dim = 0; dim < typeOf(value).getRank(); ++dim)
    if (dim != place)
      order.push_back(dim);
  return transposed(b, loc, value, order);
}

Value Batcher::alongRows(Value vector, Value like) {
  RankedTensorType type = typeOf(like);
  if (type.getRank() == 1)
    return vector;
  return b.create<BroadcastOp>(
      loc,
      RankedTensorType::get(type.getShape(), typeOf(vector).getElementType()),
      vector, ArrayRef<int64_t>{0}, dynamicDimsOf(b, loc, like));
}

Value Batcher::selectRows(Value condition, Value yes, Value no) {
  return b.create<SelectOp>(loc, alongRows(condition, yes), yes, no);
}

Value Batcher::anyRow(Value condition) {
  return b.create<ReduceOp>(loc, RankedTensorType::get({}, b.getI1Type()),
                            ReduceKind::any, condition, ArrayRef<int64_t>{0});
}

Value Batcher::largest(Value sizes) {
  auto zero = [&](RankedTensorType type) -> Value {
    return b.create<ConstantOp>(
        loc, cast<ElementsAttr>(DenseElementsAttr::get(
                 type, b.getZeroAttr(type.getElementType()))));
  };
  auto scalar = RankedTensorType::get({}, b.getI64Type());
  if (active) {
    Value none = b.create<BroadcastOp>(
        loc, sizes.getType(), zero(scalar), ArrayRef<int64_t>{},
        size.isDynamic() ? ValueRange(rows()) : ValueRange());
    sizes = selectRows(active, sizes, none);
  }
  Value most = b.create<ReduceOp>(loc, scalar, ReduceKind::max, sizes,
                                  ArrayRef<int64_t>{0});
  return binary<MaxOp>(most, zero(scalar));
}

} // namespace zenith::batching
