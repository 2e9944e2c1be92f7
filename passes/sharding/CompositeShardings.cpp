// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors of composites. What a formula folds and uses again must be whole as
// long as it is one op; its decomposition needs less.

#include "passes/sharding/ShardingRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::sharding {
namespace {

constexpr FactorKind pass = FactorKind::PassThrough,
                     whole = FactorKind::NeedReplication;

template <typename Op>
struct SoftmaxSharding : ShardingRule::ExternalModel<SoftmaxSharding<Op>, Op> {
  FactorMapping factorMapping(Operation *op, bool) const {
    MappingBuilder builder(op);
    for (auto [dim, size] : llvm::enumerate(shapeOf(op->getResult(0))))
      builder
          .factor(size, llvm::is_contained(cast<Op>(op).getDims(), int64_t(dim))
                            ? whole
                            : pass)
          .operand(0, dim)
          .result(0, dim);
    return builder.take();
  }
};

/// Norms over the dimensions from an axis on, which scale and bias have.
template <typename Op>
struct NormSharding : ShardingRule::ExternalModel<NormSharding<Op>, Op> {
  FactorMapping factorMapping(Operation *op, bool) const {
    int64_t axis = cast<Op>(op).getAxis();
    MappingBuilder builder(op);
    for (auto [i, size] : llvm::enumerate(shapeOf(op->getResult(0)))) {
      int64_t dim = i;
      builder.factor(size, dim < axis ? pass : whole)
          .operand(0, dim)
          .result(0, dim);
      for (unsigned side = 1; dim >= axis && side < op->getNumOperands();
           ++side)
        builder.operand(side, dim - axis);
    }
    return builder.take();
  }
};

struct BatchNormSharding
    : ShardingRule::ExternalModel<BatchNormSharding, BatchNormOp> {
  FactorMapping factorMapping(Operation *op, bool) const {
    int64_t channels = cast<BatchNormOp>(op).getDim();
    MappingBuilder builder(op);
    for (auto [dim, size] : llvm::enumerate(shapeOf(op->getResult(0)))) {
      builder.factor(size).operand(0, dim).result(0, dim);
      for (unsigned side = 1;
           int64_t(dim) == channels && side < op->getNumOperands(); ++side)
        builder.operand(side, 0);
    }
    return builder.take();
  }
};

struct GeluSharding : ShardingRule::ExternalModel<GeluSharding, GeluOp> {
  FactorMapping factorMapping(Operation *op, bool) const {
    return pointwiseMapping(op);
  }
};

struct AttentionSharding
    : ShardingRule::ExternalModel<AttentionSharding, AttentionOp> {
  FactorMapping factorMapping(Operation *op, bool) const {
    auto attention = cast<AttentionOp>(op);
    ArrayRef<int64_t> query = shapeOf(attention.getQuery()),
                      value = shapeOf(attention.getValue());
    bool hasMask = bool(attention.getMask());
    int64_t row = int64_t(query.size()) - 2, column = row + 1;
    MappingBuilder builder(op);
    auto inMask = [&](int64_t dim) {
      if (hasMask)
        builder.operand(3, dim);
    };
    for (int64_t dim = 0; dim < row; ++dim) {
      builder.factor(query[dim])
          .operand(0, dim)
          .operand(1, dim)
          .operand(2, dim);
      inMask(dim);
      builder.result(0, dim);
    }
    builder.factor(query[row]).operand(0, row).result(0, row);
    inMask(row);
    builder.factor(value[column]).operand(2, column).result(0, column);
    builder.factor(value[row], whole).operand(1, row).operand(2, row);
    inMask(column);
    builder.factor(query[column], whole).operand(0, column).operand(1, column);
    return builder.take();
  }
};

} // namespace

void attachCompositeShardings(MLIRContext *context) {
  attachAll<SoftmaxSharding, SoftmaxOp, LogSoftmaxOp>(context);
  attachAll<NormSharding, LayerNormOp, RmsNormOp>(context);
  BatchNormOp::attachInterface<BatchNormSharding>(*context);
  GeluOp::attachInterface<GeluSharding>(*context);
  AttentionOp::attachInterface<AttentionSharding>(*context);
}

} // namespace zenith::sharding
