// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors of sorts and searches in lists: what is ordered must be whole.

#include "passes/sharding/ShardingRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::sharding {
namespace {

/// Along a dimension that is alone, a sharding would only be undone again.
FactorMapping sortMapping(Operation *op, int64_t sorted,
                          ArrayRef<int64_t> shape) {
  bool isAlone = true;
  for (auto [dim, size] : llvm::enumerate(shape))
    isAlone &= int64_t(dim) == sorted || size == 1;
  MappingBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(shape)) {
    bool isSorted = int64_t(dim) == sorted;
    builder
        .factor(size,
                isSorted ? FactorKind::NeedReplication
                         : FactorKind::PassThrough,
                isSorted && isAlone)
        .operandsOfRank(shape.size(), dim)
        .results(dim);
  }
  return builder.take();
}

template <typename Op>
struct SortSharding : ShardingRule::ExternalModel<SortSharding<Op>, Op> {
  FactorMapping factorMapping(Operation *op, bool) const {
    if (op->getNumOperands() == 0)
      return {};
    return sortMapping(op, cast<Op>(op).getDim(), shapeOf(op->getOperand(0)));
  }
};

/// The largest of a part are no part of the largest.
struct TopKSharding : ShardingRule::ExternalModel<TopKSharding, TopKOp> {
  FactorMapping factorMapping(Operation *op, bool) const {
    int64_t sorted = cast<TopKOp>(op).getDim();
    MappingBuilder builder(op);
    for (auto [dim, size] : llvm::enumerate(shapeOf(op->getOperand(0)))) {
      bool isSorted = int64_t(dim) == sorted;
      builder
          .factor(size,
                  isSorted ? FactorKind::NeedReplication
                           : FactorKind::PassThrough,
                  isSorted)
          .operand(0, dim)
          .results(dim);
    }
    return builder.take();
  }
};

struct SearchSortedSharding
    : ShardingRule::ExternalModel<SearchSortedSharding, SearchSortedOp> {
  FactorMapping factorMapping(Operation *op, bool) const {
    MappingBuilder builder(op);
    for (auto [dim, size] : llvm::enumerate(shapeOf(op->getOperand(1))))
      builder.factor(size).operand(1, dim).result(0, dim);
    builder
        .factor(shapeOf(op->getOperand(0)).front(), FactorKind::NeedReplication)
        .operand(0, 0);
    return builder.take();
  }
};

struct IsInSharding : ShardingRule::ExternalModel<IsInSharding, IsInOp> {
  FactorMapping factorMapping(Operation *op, bool) const {
    ArrayRef<int64_t> rows = shapeOf(op->getOperand(0)),
                      set = shapeOf(op->getOperand(1));
    MappingBuilder builder(op);
    builder.factor(rows.front()).operand(0, 0).result(0, 0);
    builder.factor(set.front(), FactorKind::NeedReplication).operand(1, 0);
    for (size_t dim = 1; dim < rows.size(); ++dim)
      builder.factor(rows[dim], FactorKind::NeedReplication)
          .operand(0, dim)
          .operand(1, dim);
    return builder.take();
  }
};

struct HashSharding : ShardingRule::ExternalModel<HashSharding, HashOp> {
  FactorMapping factorMapping(Operation *op, bool) const {
    ArrayRef<int64_t> rows = shapeOf(op->getOperand(0)),
                      hashes = shapeOf(op->getResult(0));
    MappingBuilder builder(op);
    builder.factor(rows[0]).operand(0, 0).result(0, 0);
    builder.factor(rows[1], FactorKind::NeedReplication).operand(0, 1);
    builder.factor(hashes[1], FactorKind::NeedReplication).result(0, 1);
    return builder.take();
  }
};

template <typename Op>
struct CountedSharding : RefusedSharding<CountedSharding<Op>, Op> {
  StringRef refusal(Operation *) const {
    return "gives as many rows as the data has";
  }
};

} // namespace

void attachOrderingShardings(MLIRContext *context) {
  attachAll<SortSharding, SortOp, SortWithOp>(context);
  TopKOp::attachInterface<TopKSharding>(*context);
  SearchSortedOp::attachInterface<SearchSortedSharding>(*context);
  IsInOp::attachInterface<IsInSharding>(*context);
  HashOp::attachInterface<HashSharding>(*context);
  attachAll<CountedSharding, UniqueOp, CompactOp, NonMaxSuppressionOp>(context);
}

} // namespace zenith::sharding
