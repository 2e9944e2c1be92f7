// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batching of sorts, selections and sets: along a dimension the row is one
// more; lists and sets of each row's own are compared element by element. Ops
// whose results would have another size in each row have no batched form.

#include "ir/matchers/DynamicDims.h"
#include "ir/matchers/TypeOf.h"
#include "passes/batching/DimReshapes.h"
#include "passes/batching/RegionOperands.h"
#include "passes/batching/RuleModels.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::batching {
namespace {

struct SortBatching : BatchRule::ExternalModel<SortBatching, SortOp> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    auto copy =
        cast<SortOp>(batcher.rebuild(op, batcher.batched(op->getOperands())));
    copy.setDim(copy.getDim() + 1);
    return success();
  }
};

/// Captures that vary are sorted along: each is the same in its whole row.
struct SortWithBatching
    : BatchRule::ExternalModel<SortWithBatching, SortWithOp> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    auto sort = cast<SortWithOp>(op);
    auto captures = varyingCaptures(batcher, op);
    if (failed(captures))
      return failure();
    SmallVector<Value> inputs = batcher.batched(op->getOperands());
    size_t own = inputs.size();
    for (Value capture : *captures)
      inputs.push_back(
          batcher.alongRows(batcher.mapped(capture), inputs.front()));
    auto copy = batcher.b.create<SortWithOp>(
        batcher.loc, TypeRange(ValueRange(inputs)), inputs,
        batcher.b.getI64IntegerAttr(int64_t(sort.getDim()) + 1));
    OpBuilder::InsertionGuard guard(batcher.b);
    Block *block = batcher.b.createBlock(&copy.getComparator());
    for (Value input : inputs)
      for (int side = 0; side < 2; ++side)
        block->addArgument(
            RankedTensorType::get({}, typeOf(input).getElementType()),
            batcher.loc);
    SmallVector<Value> lefts;
    for (size_t i = own; i < inputs.size(); ++i)
      lefts.push_back(block->getArgument(2 * i));
    SmallVector<Value> yielded =
        cloneBody(batcher, sort.getComparator().front(), block,
                  block->getArguments().take_front(2 * own), *captures, lefts);
    batcher.b.setInsertionPointToEnd(block);
    batcher.b.create<YieldOp>(batcher.loc, yielded);
    batcher.bind(op->getResults(), copy.getResults().take_front(own));
    return success();
  }
};

struct TopKBatching : BatchRule::ExternalModel<TopKBatching, TopKOp> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    auto top = cast<TopKOp>(op);
    SmallVector<Value> operands{batcher.batched(top.getOperand())};
    if (top.getK()) {
      FailureOr<Value> k = batcher.uniform(op, top.getK(), "sizes");
      if (failed(k))
        return failure();
      operands.push_back(*k);
    }
    auto copy = cast<TopKOp>(batcher.rebuild(op, operands));
    copy.setDim(copy.getDim() + 1);
    return success();
  }
};

/// Two values of one shape, compared as ordering ops do: NaN is above all
/// numbers and equals itself.
struct OrderBuilder {
  OpBuilder &b;
  Location loc;

  Value compare(CompareDirection direction, Value lhs, Value rhs) {
    return b.create<CompareOp>(loc, typeOf(lhs).clone(b.getI1Type()), direction,
                               lhs, rhs);
  }
  Value both(Value lhs, Value rhs) {
    return b.create<AndOp>(loc, lhs.getType(), lhs, rhs);
  }
  Value either(Value lhs, Value rhs) {
    return b.create<OrOp>(loc, lhs.getType(), lhs, rhs);
  }
  Value isNaN(Value value) {
    return compare(CompareDirection::ne, value, value);
  }
  static bool hasNaN(Value value) {
    return !typeOf(value).getElementType().isIntOrIndex();
  }
  Value below(Value lhs, Value rhs) {
    Value less = compare(CompareDirection::lt, lhs, rhs);
    if (!hasNaN(lhs))
      return less;
    Value isNumber = compare(CompareDirection::eq, lhs, lhs);
    return either(less, both(isNumber, isNaN(rhs)));
  }
  Value equal(Value lhs, Value rhs) {
    Value same = compare(CompareDirection::eq, lhs, rhs);
    if (!hasNaN(lhs))
      return same;
    return either(same, both(isNaN(lhs), isNaN(rhs)));
  }
};

/// `value` with its dimensions at `mapping` of a shape that `shape` and `sizes`
/// give.
Value spread(OpBuilder &b, Location loc, Value value, ArrayRef<int64_t> mapping,
             ArrayRef<int64_t> shape, ValueRange sizes) {
  return b.create<BroadcastOp>(loc, typeOf(value).clone(shape), value, mapping,
                               sizes);
}

/// Lists that vary: each query is compared with every element of its list.
struct SearchSortedBatching
    : BatchRule::ExternalModel<SearchSortedBatching, SearchSortedOp> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    auto search = cast<SearchSortedOp>(op);
    if (!batcher.varies(search.getList())) {
      batcher.rebuild(op, {batcher.mapped(search.getList()),
                           batcher.batched(search.getQueries())});
      return success();
    }
    return batcher.runFormula(op, [&](OpBuilder &b) -> SmallVector<Value> {
      Location loc = op->getLoc();
      Value list = search.getList(), queries = search.getQueries();
      SmallVector<int64_t> shape(typeOf(queries).getShape());
      int64_t rank = typeOf(queries).getRank();
      shape.push_back(typeOf(list).getDimSize(0));
      SmallVector<Value> sizes = dynamicDimsOf(b, loc, queries);
      llvm::append_range(sizes, dynamicDimsOf(b, loc, list));
      Value elements = spread(b, loc, list, {rank}, shape, sizes);
      Value asked =
          spread(b, loc, queries, llvm::to_vector(llvm::seq<int64_t>(0, rank)),
                 shape, sizes);
      OrderBuilder order{b, loc};
      Value counts = order.below(elements, asked);
      if (search.getRight())
        counts = order.either(counts, order.equal(elements, asked));
      RankedTensorType wide = typeOf(counts).clone(b.getI64Type());
      Value numbers = b.create<ConvertOp>(loc, wide, counts);
      return {b.create<ReduceOp>(loc, search.getType(), ReduceKind::sum,
                                 numbers, ArrayRef<int64_t>{rank})};
    });
  }
};

/// Rows of all rows at once where the set is one; else each is compared with
/// every row of its set.
struct IsInBatching : BatchRule::ExternalModel<IsInBatching, IsInOp> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    auto isIn = cast<IsInOp>(op);
    if (batcher.varies(isIn.getSet()))
      return batcher.runFormula(op, [&](OpBuilder &b) -> SmallVector<Value> {
        return {compared(b, isIn)};
      });
    Value operand = batcher.mapped(isIn.getOperand());
    Value flat = mergedDims(batcher, operand, 0, 2);
    Value mask = batcher.b.create<IsInOp>(
        batcher.loc,
        RankedTensorType::get({typeOf(flat).getDimSize(0)},
                              batcher.b.getI1Type()),
        flat, batcher.mapped(isIn.getSet()));
    batcher.bind(isIn.getResult(),
                 splitDim(batcher, mask, 0,
                          {batcher.size, sizeOf(batcher, operand, 1)}));
    return success();
  }

  static Value compared(OpBuilder &b, IsInOp op) {
    Location loc = op.getLoc();
    Value rows = op.getOperand(), set = op.getSet();
    SmallVector<int64_t> shape{typeOf(rows).getDimSize(0)}, inSet{1}, inRows{0};
    llvm::append_range(shape, typeOf(set).getShape());
    SmallVector<Value> sizes;
    if (typeOf(rows).isDynamicDim(0))
      sizes.push_back(b.create<DimOp>(loc, rows, int64_t(0)));
    llvm::append_range(sizes, dynamicDimsOf(b, loc, set));
    SmallVector<int64_t> elements;
    for (int64_t dim = 1; dim < typeOf(rows).getRank(); ++dim) {
      inSet.push_back(dim + 1);
      inRows.push_back(dim + 1);
      elements.push_back(dim + 1);
    }
    Value equal =
        OrderBuilder{b, loc}.equal(spread(b, loc, rows, inRows, shape, sizes),
                                   spread(b, loc, set, inSet, shape, sizes));
    auto pairs =
        RankedTensorType::get(ArrayRef(shape).take_front(2), b.getI1Type());
    if (!elements.empty())
      equal = b.create<ReduceOp>(loc, pairs, ReduceKind::all, equal, elements);
    return b.create<ReduceOp>(loc, op.getType(), ReduceKind::any, equal,
                              ArrayRef<int64_t>{1});
  }
};

/// Rows of all rows at once.
struct HashBatching : BatchRule::ExternalModel<HashBatching, HashOp> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    auto hash = cast<HashOp>(op);
    Value operand = batcher.mapped(hash.getOperand());
    Value flat = mergedDims(batcher, operand, 0, 2);
    RankedTensorType type = typeOf(hash.getResult());
    Value hashes = batcher.b.create<HashOp>(
        batcher.loc,
        RankedTensorType::get({typeOf(flat).getDimSize(0), type.getDimSize(1)},
                              type.getElementType()),
        hash.getKind(), flat, hash.getSeedAttr());
    batcher.bind(hash.getResult(),
                 splitDim(batcher, hashes, 0,
                          {batcher.size, sizeOf(batcher, operand, 1)}));
    return success();
  }
};

template <typename Op>
struct RaggedBatching : RefusedBatching<RaggedBatching<Op>, Op> {
  StringRef refusal(Operation *) const {
    return "gives as many rows as its data has: another number for each row of "
           "the batch";
  }
};

} // namespace

void attachOrderingBatching(MLIRContext *context) {
  SortOp::attachInterface<SortBatching>(*context);
  SortWithOp::attachInterface<SortWithBatching>(*context);
  TopKOp::attachInterface<TopKBatching>(*context);
  SearchSortedOp::attachInterface<SearchSortedBatching>(*context);
  IsInOp::attachInterface<IsInBatching>(*context);
  HashOp::attachInterface<HashBatching>(*context);
  attachAll<RaggedBatching, UniqueOp, CompactOp, NonMaxSuppressionOp>(context);
}

} // namespace zenith::batching
