// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors of random values: each device computes the counters of its block from
// the whole key.

#include "passes/sharding/ShardingRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::sharding {
namespace {

// A key is a handful of words that every device needs.
void addKey(MappingBuilder &builder, Operation *op, unsigned operand) {
  builder
      .factor(shapeOf(op->getOperand(operand)).front(),
              FactorKind::NeedReplication, /*blocked=*/true)
      .operand(operand, 0);
}

struct RandomBitsSharding
    : ShardingRule::ExternalModel<RandomBitsSharding, RandomBitsOp> {
  FactorMapping factorMapping(Operation *op, bool) const {
    MappingBuilder builder(op);
    addKey(builder, op, 0);
    builder.result(0, 0);
    for (auto [dim, size] : llvm::enumerate(shapeOf(op->getResult(1))))
      builder.factor(size).result(1, dim);
    return builder.take();
  }
};

/// Samples of a shape of their own.
template <typename Op>
struct SampleSharding : ShardingRule::ExternalModel<SampleSharding<Op>, Op> {
  FactorMapping factorMapping(Operation *op, bool) const {
    MappingBuilder builder(op);
    addKey(builder, op, 0);
    for (auto [dim, size] : llvm::enumerate(shapeOf(op->getResult(0))))
      builder.factor(size).result(0, dim);
    return builder.take();
  }
};

struct CategoricalSharding
    : ShardingRule::ExternalModel<CategoricalSharding, RandomCategoricalOp> {
  FactorMapping factorMapping(Operation *op, bool) const {
    int64_t drawn = cast<RandomCategoricalOp>(op).getAxis(), out = 0;
    MappingBuilder builder(op);
    addKey(builder, op, 0);
    for (auto [dim, size] : llvm::enumerate(shapeOf(op->getOperand(1)))) {
      bool isDrawn = int64_t(dim) == drawn;
      builder
          .factor(size,
                  isDrawn ? FactorKind::Reduction : FactorKind::PassThrough)
          .operand(1, dim);
      if (!isDrawn)
        builder.result(0, out++);
    }
    return builder.take();
  }
};

struct DropoutSharding
    : ShardingRule::ExternalModel<DropoutSharding, DropoutOp> {
  FactorMapping factorMapping(Operation *op, bool) const {
    MappingBuilder builder(op);
    for (auto [dim, size] : llvm::enumerate(shapeOf(op->getResult(0))))
      builder.factor(size).operand(0, dim).result(0, dim);
    addKey(builder, op, 1);
    return builder.take();
  }
};

struct FoldInSharding : ShardingRule::ExternalModel<FoldInSharding, FoldInOp> {
  FactorMapping factorMapping(Operation *op, bool) const {
    MappingBuilder builder(op);
    addKey(builder, op, 0);
    return builder.result(0, 0).take();
  }
};

} // namespace

void attachRandomShardings(MLIRContext *context) {
  RandomBitsOp::attachInterface<RandomBitsSharding>(*context);
  attachAll<SampleSharding, SplitKeyOp, RandomUniformOp, RandomNormalOp,
            RandomTruncatedNormalOp, RandomBernoulliOp, RandomPermutationOp>(
      context);
  RandomCategoricalOp::attachInterface<CategoricalSharding>(*context);
  DropoutOp::attachInterface<DropoutSharding>(*context);
  FoldInOp::attachInterface<FoldInSharding>(*context);
}

} // namespace zenith::sharding
