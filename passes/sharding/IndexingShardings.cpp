// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors of reads and writes at positions given by data.

#include "passes/sharding/ShardingRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::sharding {
namespace {

constexpr FactorKind pass = FactorKind::PassThrough,
                     whole = FactorKind::NeedReplication,
                     fold = FactorKind::Reduction;

/// Positions of `list` in `dims`; -1 where `dim` is not there.
int64_t indexIn(ArrayRef<int64_t> dims, int64_t dim) {
  const int64_t *found = llvm::find(dims, dim);
  return found == dims.end() ? -1 : found - dims.begin();
}

struct GatherSharding : ShardingRule::ExternalModel<GatherSharding, GatherOp> {
  FactorMapping factorMapping(Operation *op, bool) const {
    auto gather = cast<GatherOp>(op);
    GatherDimsAttr dims = gather.getDims();
    ArrayRef<int64_t> table = shapeOf(gather.getOperand()),
                      indices = shapeOf(gather.getStartIndices()),
                      result = shapeOf(gather.getResult());
    MappingBuilder builder(op);
    // Dimensions of the indices, one of which may be a batch of the table.
    int64_t out = 0;
    for (auto [dim, size] : llvm::enumerate(indices)) {
      if (int64_t(dim) == dims.getIndexVectorDim())
        continue;
      while (llvm::is_contained(dims.getOffsetDims(), out))
        ++out;
      builder.factor(size).operand(1, dim).result(0, out++);
      int64_t batch = indexIn(dims.getStartIndicesBatchingDims(), dim);
      if (batch >= 0)
        builder.operand(0, dims.getOperandBatchingDims()[batch]);
    }
    // Dimensions of slices.
    auto offset = dims.getOffsetDims().begin();
    for (auto [dim, size] : llvm::enumerate(table)) {
      if (llvm::is_contained(dims.getCollapsedSliceDims(), int64_t(dim)) ||
          llvm::is_contained(dims.getOperandBatchingDims(), int64_t(dim)))
        continue;
      int64_t at = *offset++, taken = gather.getSliceSizes()[dim];
      bool isWhole = taken == size || taken == -1;
      if (isWhole) {
        builder.factor(size).operand(0, dim).result(0, at);
      } else if (taken == 1) {
        // Each device looks up what it has; the rows are summed.
        builder.factor(size, fold).operand(0, dim);
        builder.factor(result[at], whole).result(0, at);
      } else {
        builder.factor(size, whole, /*blocked=*/true)
            .operand(0, dim)
            .result(0, at);
      }
    }
    for (int64_t dim : dims.getCollapsedSliceDims())
      builder.factor(table[dim], fold).operand(0, dim);
    if (dims.getIndexVectorDim() < int64_t(indices.size()))
      builder.factor(indices[dims.getIndexVectorDim()], whole)
          .operand(1, dims.getIndexVectorDim());
    return builder.take();
  }
};

/// Operands, then the indices, then the updates of each operand.
FactorMapping scatterMapping(Operation *op, ScatterDimsAttr dims) {
  unsigned inputs = op->getNumResults(), indicesAt = inputs;
  if (op->getNumOperands() != 2 * inputs + 1)
    return {};
  ArrayRef<int64_t> input = shapeOf(op->getOperand(0)),
                    indices = shapeOf(op->getOperand(indicesAt)),
                    updates = shapeOf(op->getOperand(inputs + 1));
  MappingBuilder builder(op);
  auto inInputs = [&](int64_t dim) {
    for (unsigned i = 0; i < inputs; ++i)
      builder.operand(i, dim);
    builder.results(dim);
  };
  auto inUpdates = [&](int64_t dim) {
    for (unsigned i = 0; i < inputs; ++i)
      builder.operand(indicesAt + 1 + i, dim);
  };
  // Updates of different positions may meet the same elements.
  int64_t out = 0;
  for (auto [dim, size] : llvm::enumerate(indices)) {
    if (int64_t(dim) == dims.getIndexVectorDim())
      continue;
    while (llvm::is_contained(dims.getUpdateWindowDims(), out))
      ++out;
    int64_t batch = indexIn(dims.getIndicesBatchingDims(), dim);
    builder.factor(size, batch >= 0 ? pass : fold).operand(indicesAt, dim);
    inUpdates(out++);
    if (batch >= 0)
      inInputs(dims.getInputBatchingDims()[batch]);
  }
  auto window = dims.getUpdateWindowDims().begin();
  for (auto [dim, size] : llvm::enumerate(input)) {
    if (llvm::is_contained(dims.getInsertedWindowDims(), int64_t(dim)) ||
        llvm::is_contained(dims.getInputBatchingDims(), int64_t(dim)))
      continue;
    int64_t at = *window++;
    bool isWhole = updates[at] == size;
    builder.factor(size, isWhole ? pass : whole);
    inInputs(dim);
    if (!isWhole)
      builder.factor(updates[at], whole);
    inUpdates(at);
  }
  for (int64_t dim : dims.getInsertedWindowDims()) {
    builder.factor(input[dim]);
    inInputs(dim);
  }
  if (dims.getIndexVectorDim() < int64_t(indices.size()))
    builder.factor(indices[dims.getIndexVectorDim()], whole)
        .operand(indicesAt, dims.getIndexVectorDim());
  return builder.take();
}

template <typename Op>
struct ScatterSharding : ShardingRule::ExternalModel<ScatterSharding<Op>, Op> {
  FactorMapping factorMapping(Operation *op, bool) const {
    return scatterMapping(op, cast<Op>(op).getDims());
  }
};

struct DynamicSliceSharding
    : ShardingRule::ExternalModel<DynamicSliceSharding, DynamicSliceOp> {
  FactorMapping factorMapping(Operation *op, bool) const {
    MappingBuilder builder(op);
    ArrayRef<int64_t> to = shapeOf(op->getResult(0));
    for (auto [dim, size] : llvm::enumerate(shapeOf(op->getOperand(0)))) {
      bool isWhole = size == to[dim];
      builder.factor(size, isWhole ? pass : whole, !isWhole)
          .operand(0, dim)
          .result(0, dim);
    }
    return builder.take();
  }
};

struct DynamicUpdateSliceSharding
    : ShardingRule::ExternalModel<DynamicUpdateSliceSharding,
                                  DynamicUpdateSliceOp> {
  FactorMapping factorMapping(Operation *op, bool) const {
    MappingBuilder builder(op);
    ArrayRef<int64_t> update = shapeOf(op->getOperand(1));
    for (auto [dim, size] : llvm::enumerate(shapeOf(op->getOperand(0)))) {
      bool isWhole = size == update[dim] && !ShapedType::isDynamic(size);
      builder.factor(size).operand(0, dim).result(0, dim);
      if (!isWhole)
        builder.factor(update[dim], whole);
      builder.operand(1, dim);
    }
    return builder.take();
  }
};

} // namespace

void attachIndexingShardings(MLIRContext *context) {
  GatherOp::attachInterface<GatherSharding>(*context);
  attachAll<ScatterSharding, ScatterOp, ScatterWithOp>(context);
  DynamicSliceOp::attachInterface<DynamicSliceSharding>(*context);
  DynamicUpdateSliceOp::attachInterface<DynamicUpdateSliceSharding>(*context);
}

} // namespace zenith::sharding
