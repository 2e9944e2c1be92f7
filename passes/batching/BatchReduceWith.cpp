// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batching of reductions with regions. First values and captured scalars that
// differ between rows become operands: a flag that is reduced along tells
// whether an element is the first one, which starts from its row's first value.

#include "passes/batching/BatchReduceWith.h"
#include "ir/dims/WindowShapes.h"
#include "ir/matchers/DynamicDims.h"
#include "ir/matchers/TypeOf.h"
#include "passes/batching/RegionOperands.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::batching {
namespace {

/// A reduction with operands beside its own: whether anything is reduced yet,
/// the first values that vary, and the captures that vary.
template <typename Op> class ReductionWithRows {
public:
  ReductionWithRows(Op op, Batcher &batcher, ArrayRef<Value> captures)
      : op(op), batcher(batcher), b(batcher.b), captured(captures) {
    for (auto [i, init] : llvm::enumerate(op.getInits()))
      if (batcher.varies(init))
        firsts.push_back(i);
  }

  /// Values that vary, one per row, in the order of their operands.
  SmallVector<Value> perRow() {
    SmallVector<Value> values;
    for (unsigned i : firsts)
      values.push_back(batcher.mapped(op.getInits()[i]));
    for (Value value : captured)
      values.push_back(batcher.mapped(value));
    return values;
  }

  /// Emits the op on `inputs`, of one shape with rows; `finish` completes its
  /// attributes.
  void emit(SmallVector<Value> inputs, TypeRange resultTypes,
            function_ref<void(Op)> finish);

private:
  Value flag(bool value) {
    auto type = RankedTensorType::get({}, b.getI1Type());
    return b.create<ConstantOp>(
        batcher.loc, cast<ElementsAttr>(DenseElementsAttr::get(type, value)));
  }
  void buildBody(Op copy);

  Op op;
  Batcher &batcher;
  OpBuilder &b;
  ArrayRef<Value> captured;
  SmallVector<unsigned> firsts; ///< inits that vary
};

} // namespace

template <typename Op>
void ReductionWithRows<Op>::emit(SmallVector<Value> inputs,
                                 TypeRange resultTypes,
                                 function_ref<void(Op)> finish) {
  Value like = inputs.front();
  SmallVector<Value> inits;
  for (Value init : op.getInits())
    inits.push_back(batcher.varies(init)
                        ? zeroScalar(batcher, typeOf(init).getElementType())
                        : batcher.mapped(init));
  SmallVector<Type> types(resultTypes);
  auto addOperand = [&](Value input, Value init) {
    inputs.push_back(input);
    inits.push_back(init);
    types.push_back(cast<RankedTensorType>(resultTypes.front())
                        .clone(typeOf(init).getElementType()));
  };
  addOperand(b.create<BroadcastOp>(
                 batcher.loc, typeOf(like).clone(b.getI1Type()), flag(true),
                 ArrayRef<int64_t>{}, dynamicDimsOf(b, batcher.loc, like)),
             flag(false));
  SmallVector<Value> varying = perRow();
  for (Value value : varying)
    addOperand(batcher.alongRows(value, like),
               zeroScalar(batcher, typeOf(value).getElementType()));
  OperationState state(batcher.loc, Op::getOperationName());
  state.addOperands(inputs);
  state.addOperands(inits);
  state.addTypes(types);
  state.attributes = NamedAttrList(op->getAttrDictionary());
  state.attributes.erase(shardingAttrName); // of results without rows
  state.addRegion();
  auto copy = cast<Op>(b.create(state));
  finish(copy);
  buildBody(copy);
  // Where nothing was reduced the first value is the result.
  size_t own = op.getInits().size();
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    Value value = copy.getResult(i);
    auto *first = llvm::find(firsts, i);
    if (first != firsts.end())
      value = b.create<SelectOp>(
          batcher.loc, copy.getResult(own), value,
          batcher.alongRows(varying[first - firsts.begin()], value));
    batcher.bind(result, value);
  }
}

template <typename Op> void ReductionWithRows<Op>::buildBody(Op copy) {
  OpBuilder::InsertionGuard guard(b);
  size_t count = copy.getInits().size(), own = op.getInits().size();
  Block *block = b.createBlock(&copy.getBody());
  for (int side = 0; side < 2; ++side)
    for (Value init : copy.getInits())
      block->addArgument(init.getType(), batcher.loc);
  auto soFar = block->getArguments().take_front(count);
  auto next = block->getArguments().drop_front(count);
  SmallVector<Value> arguments(soFar.take_front(own));
  for (auto [k, i] : llvm::enumerate(firsts))
    arguments[i] = b.create<SelectOp>(batcher.loc, soFar[own], arguments[i],
                                      next[own + 1 + k]);
  arguments.append(next.begin(), next.begin() + own);
  SmallVector<Value> yielded =
      cloneBody(batcher, op.getBody().front(), block, arguments, captured,
                next.drop_front(own + 1 + firsts.size()));
  b.setInsertionPointToEnd(block);
  yielded.push_back(
      b.create<OrOp>(batcher.loc, next[own].getType(), soFar[own], next[own]));
  yielded.append(next.begin() + own + 1, next.end());
  b.create<YieldOp>(batcher.loc, yielded);
}

/// Whether the op needs operands beside its own.
template <typename Op>
static bool needsOperands(Op op, Batcher &batcher, ArrayRef<Value> captures) {
  return !captures.empty() || llvm::any_of(op.getInits(), [&](Value init) {
    return batcher.varies(init);
  });
}

/// The op with rows in its inputs alone.
template <typename Op> static Op rebuildPlain(Op op, Batcher &batcher) {
  SmallVector<Value> operands = batcher.batched(op.getInputs());
  llvm::append_range(operands, batcher.mapped(op.getInits()));
  return cast<Op>(batcher.rebuild(op, operands));
}

LogicalResult batchReduceWith(ReduceWithOp op, Batcher &batcher) {
  FailureOr<SmallVector<Value>> captures = varyingCaptures(batcher, op);
  if (failed(captures))
    return failure();
  if (!needsOperands(op, batcher, *captures)) {
    rebuildPlain(op, batcher).setDims(shifted(op.getDims()));
    return success();
  }
  ReductionWithRows<ReduceWithOp> reduction(op, batcher, *captures);
  reduction.emit(
      batcher.batched(op.getInputs()),
      batcher.batchedTypes(op->getResultTypes()),
      [&](ReduceWithOp copy) { copy.setDims(shifted(op.getDims())); });
  return success();
}

/// The operand with the padding of a window written out, its value being
/// `value` in each row.
static Value paddedInput(ReduceWindowWithOp op, Batcher &batcher, Value input,
                         Value init) {
  OpBuilder &b = batcher.b;
  SmallVector<int64_t> interior, shape(typeOf(input).getShape()),
      low = prefixed(0, op.getLow()), high = prefixed(0, op.getHigh());
  for (int64_t dilation : prefixed(1, op.getBaseDilation()))
    interior.push_back(dilation - 1);
  for (size_t dim = 0; dim < shape.size(); ++dim)
    shape[dim] = paddedSize(shape[dim], low[dim], high[dim], interior[dim]);
  auto padded = [&](Value operand, Value value) -> Value {
    return b.create<PadOp>(
        batcher.loc, typeOf(operand).clone(shape), operand, value, ValueRange{},
        ValueRange{}, b.getDenseI64ArrayAttr(low), b.getDenseI64ArrayAttr(high),
        b.getDenseI64ArrayAttr(interior));
  };
  Type element = typeOf(input).getElementType();
  if (!batcher.varies(init))
    return padded(input, batcher.mapped(init));
  auto flagType = RankedTensorType::get({}, b.getI1Type());
  Value isInside = b.create<ConstantOp>(
      batcher.loc, cast<ElementsAttr>(DenseElementsAttr::get(flagType, true)));
  Value inside = b.create<BroadcastOp>(
      batcher.loc, typeOf(input).clone(b.getI1Type()), isInside,
      ArrayRef<int64_t>{}, dynamicDimsOf(b, batcher.loc, input));
  Value mask = padded(inside, zeroScalar(batcher, b.getI1Type()));
  Value kept = padded(input, zeroScalar(batcher, element));
  return b.create<SelectOp>(batcher.loc, mask, kept,
                            batcher.alongRows(batcher.mapped(init), kept));
}

LogicalResult batchReduceWindowWith(ReduceWindowWithOp op, Batcher &batcher) {
  FailureOr<SmallVector<Value>> captures = varyingCaptures(batcher, op);
  if (failed(captures))
    return failure();
  if (!needsOperands(op, batcher, *captures)) {
    prefixWindow(rebuildPlain(op, batcher));
    return success();
  }
  SmallVector<Value> inputs;
  for (auto [input, init] : llvm::zip_equal(op.getInputs(), op.getInits()))
    inputs.push_back(paddedInput(op, batcher, batcher.batched(input), init));
  ReductionWithRows<ReduceWindowWithOp> reduction(op, batcher, *captures);
  reduction.emit(inputs, batcher.batchedTypes(op->getResultTypes()),
                 [&](ReduceWindowWithOp copy) {
                   SmallVector<int64_t> zeros(op.getLow().size(), 0),
                       ones(op.getLow().size(), 1);
                   copy.setLow(zeros);
                   copy.setHigh(zeros);
                   copy.setBaseDilation(ones);
                   prefixWindow(copy);
                 });
  return success();
}

} // namespace zenith::batching
