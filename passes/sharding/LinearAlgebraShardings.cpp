// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors of factorisations, solves and transforms: matrices must be whole.

#include "passes/sharding/ShardingRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::sharding {
namespace {

constexpr FactorKind whole = FactorKind::NeedReplication;

struct CholeskySharding
    : ShardingRule::ExternalModel<CholeskySharding, CholeskyOp> {
  FactorMapping factorMapping(Operation *op, bool) const {
    MappingBuilder builder(op);
    ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
    for (auto [dim, size] : llvm::enumerate(shape))
      builder
          .factor(size,
                  dim + 2 >= shape.size() ? whole : FactorKind::PassThrough)
          .operand(0, dim)
          .result(0, dim);
    return builder.take();
  }
};

struct TriangularSolveSharding
    : ShardingRule::ExternalModel<TriangularSolveSharding, TriangularSolveOp> {
  FactorMapping factorMapping(Operation *op, bool) const {
    auto solve = cast<TriangularSolveOp>(op);
    ArrayRef<int64_t> b = shapeOf(solve.getB());
    int64_t row = int64_t(b.size()) - 2, column = row + 1;
    MappingBuilder builder(op);
    for (int64_t dim = 0; dim < row; ++dim)
      builder.factor(b[dim]).operand(0, dim).operand(1, dim).result(0, dim);
    // op(a) has the dimension of b that it meets, and that of x.
    int64_t met = solve.getLeft() ? row : column;
    bool isTurned = solve.getForm() != MatrixForm::plain;
    int64_t ofB = solve.getLeft() != isTurned ? row : column,
            ofX = ofB == row ? column : row;
    for (int64_t dim : {row, column}) {
      builder.factor(b[dim], whole).operand(1, dim);
      if (dim == met)
        builder.operand(0, ofB);
      else
        builder.result(0, dim);
    }
    builder.factor(b[met], whole).operand(0, ofX).result(0, met);
    return builder.take();
  }
};

struct FourierSharding
    : ShardingRule::ExternalModel<FourierSharding, FourierOp> {
  FactorMapping factorMapping(Operation *op, bool) const {
    auto fourier = cast<FourierOp>(op);
    ArrayRef<int64_t> from = shapeOf(fourier.getOperand()),
                      to = shapeOf(fourier.getResult());
    size_t batch = from.size() - fourier.getLength().size();
    MappingBuilder builder(op);
    for (auto [dim, size] : llvm::enumerate(from))
      builder
          .factor(size, dim < batch ? FactorKind::PassThrough : whole,
                  size != to[dim])
          .operand(0, dim)
          .result(0, dim);
    return builder.take();
  }
};

} // namespace

void attachLinearAlgebraShardings(MLIRContext *context) {
  CholeskyOp::attachInterface<CholeskySharding>(*context);
  TriangularSolveOp::attachInterface<TriangularSolveSharding>(*context);
  FourierOp::attachInterface<FourierSharding>(*context);
}

} // namespace zenith::sharding
