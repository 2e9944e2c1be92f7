// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs of ops that compare, and of random bits: comparisons per element.

#include "ir/SearchOps.h"
#include "passes/cost/CostRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::cost {
namespace {

/// Comparisons that an element takes part in: the binary logarithm of the row
/// for sorts and searches, a few where a hash table answers.
unsigned comparisons(Operation *op) {
  auto log2Length = [](Value value, int64_t dim) -> unsigned {
    constexpr int64_t unknownLength = 1024;
    int64_t length = cast<RankedTensorType>(value.getType()).getDimSize(dim);
    if (ShapedType::isDynamic(length))
      length = unknownLength;
    return 1 + llvm::Log2_64_Ceil(uint64_t(std::max<int64_t>(1, length)));
  };
  if (auto sort = dyn_cast<SortOp>(op))
    return log2Length(sort.getInputs().front(), sort.getDim());
  if (auto sort = dyn_cast<SortWithOp>(op))
    return 4 * log2Length(sort.getInputs().front(), sort.getDim());
  if (auto search = dyn_cast<SearchSortedOp>(op))
    return log2Length(search.getList(), 0);
  if (auto hash = dyn_cast<HashOp>(op)) {
    constexpr int64_t opsOfProduct = 4;
    return unsigned(opsOfProduct * hash.getResult().getType().getDimSize(1));
  }
  constexpr unsigned tableLookup = 8;
  return tableLookup;
}

template <typename Op>
struct OrderingCost : CostRule::ExternalModel<OrderingCost<Op>, Op> {
  unsigned elementCost(Operation *op) const { return comparisons(op); }
  DimExpr flops(Operation *op, DimAnalysis &dims) const {
    return dims.elementCount(op->getOperand(0)) * DimExpr(comparisons(op));
  }
};

template <typename Op>
struct RandomCost : CostRule::ExternalModel<RandomCost<Op>, Op> {
  /// Instructions of all rounds: additions, rotations and exclusive ors.
  static constexpr unsigned rounds = 60;
  unsigned elementCost(Operation *) const { return rounds; }
  DimExpr flops(Operation *op, DimAnalysis &dims) const {
    return dims.elementCount(op->getResult(0)) * DimExpr(rounds);
  }
};

} // namespace

void attachOrderingCosts(MLIRContext *context) {
  attachAll<OrderingCost,
#define GET_OP_LIST
#include "ir/Ordering.cpp.inc"
            >(context);
}

void attachSearchCosts(MLIRContext *context) {
  attachAll<OrderingCost,
#define GET_OP_LIST
#include "ir/Search.cpp.inc"
            >(context);
}

void attachRandomCosts(MLIRContext *context) {
  attachAll<RandomCost,
#define GET_OP_LIST
#include "ir/Random.cpp.inc"
            >(context);
}

} // namespace zenith::cost
