// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors of folds: over dimensions, over windows, and running ones.

#include "passes/sharding/ShardingRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::sharding {
namespace {

ArrayRef<int64_t> foldedDims(ReduceOp op) { return op.getDims(); }
ArrayRef<int64_t> foldedDims(ReduceWithOp op) { return op.getDims(); }
SmallVector<int64_t> foldedDims(ArgReduceOp op) {
  return {int64_t(op.getDim())};
}

/// Folded dimensions are in the operands only.
template <typename Op>
struct FoldSharding : ShardingRule::ExternalModel<FoldSharding<Op>, Op> {
  FactorMapping factorMapping(Operation *op, bool) const {
    if (op->getNumOperands() == 0)
      return {};
    auto folded = foldedDims(cast<Op>(op));
    MappingBuilder builder(op);
    ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
    int64_t out = 0;
    for (auto [dim, size] : llvm::enumerate(shape)) {
      bool isFolded = llvm::is_contained(folded, int64_t(dim));
      builder
          .factor(size,
                  isFolded ? FactorKind::Reduction : FactorKind::PassThrough)
          .operandsOfRank(shape.size(), dim);
      if (!isFolded)
        builder.results(out++);
    }
    return builder.take();
  }
};

/// Windows of more than one element, or that move, need neighbours.
template <typename Op>
struct WindowSharding : ShardingRule::ExternalModel<WindowSharding<Op>, Op> {
  FactorMapping factorMapping(Operation *op, bool conservative) const {
    auto fold = cast<Op>(op);
    MappingBuilder builder(op);
    ArrayRef<int64_t> to = shapeOf(op->getResult(0));
    for (auto [dim, size] : llvm::enumerate(to)) {
      bool isPlain = fold.getWindow()[dim] == 1 &&
                     fold.getStrides()[dim] == 1 && fold.getLow()[dim] == 0 &&
                     fold.getHigh()[dim] == 0 &&
                     fold.getBaseDilation()[dim] == 1;
      builder
          .factor(size,
                  isPlain ? FactorKind::PassThrough : FactorKind::Permutation,
                  !isPlain && conservative)
          .operandsOfRank(to.size(), dim)
          .results(dim);
    }
    return builder.take();
  }
};

struct CumulativeSharding
    : ShardingRule::ExternalModel<CumulativeSharding, CumulativeOp> {
  FactorMapping factorMapping(Operation *op, bool conservative) const {
    int64_t folded = cast<CumulativeOp>(op).getDim();
    MappingBuilder builder(op);
    for (auto [dim, size] : llvm::enumerate(shapeOf(op->getResult(0)))) {
      bool isFolded = int64_t(dim) == folded;
      builder
          .factor(size,
                  isFolded ? FactorKind::Permutation : FactorKind::PassThrough,
                  isFolded && conservative)
          .operand(0, dim)
          .result(0, dim);
    }
    return builder.take();
  }
};

} // namespace

void attachReductionShardings(MLIRContext *context) {
  attachAll<FoldSharding, ReduceOp, ReduceWithOp, ArgReduceOp>(context);
  attachAll<WindowSharding, ReduceWindowOp, ReduceWindowWithOp>(context);
  CumulativeOp::attachInterface<CumulativeSharding>(*context);
}

} // namespace zenith::sharding
