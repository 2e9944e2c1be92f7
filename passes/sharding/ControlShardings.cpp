// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors of what passes values on, and of routines known by name. Branches,
// loops and regions are edges of the flow of data (DataFlowEdges.h).

#include "passes/sharding/ShardingRule.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::sharding {
namespace {

template <typename Op>
struct IdentitySharding
    : ShardingRule::ExternalModel<IdentitySharding<Op>, Op> {
  FactorMapping factorMapping(Operation *op, bool) const {
    return pointwiseMapping(op);
  }
};

template <typename Op>
struct EdgeSharding : RefusedSharding<EdgeSharding<Op>, Op> {
  StringRef refusal(Operation *) const {
    return "is an edge of the flow of data";
  }
};

struct CheckpointSharding : RefusedSharding<CheckpointSharding, CheckpointOp> {
  StringRef refusal(Operation *) const {
    return "is a part of the program before shardings propagate";
  }
};

template <typename Op>
struct NoValueSharding : RefusedSharding<NoValueSharding<Op>, Op> {
  StringRef refusal(Operation *) const {
    return "takes or gives no value that could be dealt";
  }
};

// The leading dimensions that all operands and results have in common, without
// the last two of the first operand: the routine runs for each of a batch.
FactorMapping batchMapping(Operation *op) {
  if (op->getNumOperands() == 0)
    return {};
  ArrayRef<int64_t> first = shapeOf(op->getOperand(0));
  size_t batch = first.size() < 2 ? 0 : first.size() - 2;
  auto limit = [&](Value value) {
    ArrayRef<int64_t> shape = shapeOf(value);
    size_t equal = 0;
    while (equal < std::min(batch, shape.size()) &&
           shape[equal] == first[equal])
      ++equal;
    batch = equal;
  };
  llvm::for_each(op->getOperands(), limit);
  llvm::for_each(op->getResults(), limit);
  MappingBuilder builder(op);
  for (size_t dim = 0; dim < batch; ++dim) {
    builder.factor(first[dim]);
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      builder.operand(i, dim);
    builder.results(dim);
  }
  return builder.take();
}

// Eigenvalues have the last dimension of the matrices, vectors all of them.
FactorMapping eighMapping(Operation *op) {
  ArrayRef<int64_t> matrix = shapeOf(op->getOperand(0));
  if (op->getNumOperands() != 1 || matrix.size() < 2)
    return {};
  MappingBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(matrix)) {
    builder.factor(size).operand(0, dim);
    for (auto [i, result] : llvm::enumerate(op->getResults())) {
      size_t rank = shapeOf(result).size();
      if (rank == matrix.size())
        builder.result(i, dim);
      else if (rank + 1 == matrix.size() && dim + 2 != matrix.size())
        builder.result(i, dim + 1 == matrix.size() ? dim - 1 : dim);
    }
  }
  return builder.take();
}

// Factors of matrices and of the vectors beside them, all of which a routine
// needs whole.
FactorMapping reflectorMapping(Operation *op) {
  ArrayRef<int64_t> matrix = shapeOf(op->getOperand(0));
  if (matrix.size() < 2)
    return {};
  size_t batch = matrix.size() - 2;
  MappingBuilder builder(op);
  auto place = [&](size_t rank, int64_t dim) {
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      if (shapeOf(operand).size() == rank)
        builder.operand(i, dim);
    for (auto [i, result] : llvm::enumerate(op->getResults()))
      if (shapeOf(result).size() == rank)
        builder.result(i, dim);
  };
  for (auto [dim, size] : llvm::enumerate(matrix)) {
    builder.factor(size, dim < batch ? FactorKind::PassThrough
                                     : FactorKind::NeedReplication);
    place(matrix.size(), dim);
    if (dim < batch)
      place(matrix.size() - 1, dim);
  }
  builder.factor(matrix.back(), FactorKind::NeedReplication);
  place(matrix.size() - 1, batch);
  return builder.take();
}

// Results that are shorter than the first operand along a dimension.
FactorMapping selectionMapping(Operation *op, bool shares) {
  ArrayRef<int64_t> from = shapeOf(op->getOperand(0)),
                    to = shapeOf(op->getResult(0));
  if (from.size() != to.size())
    return {};
  MappingBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(from)) {
    bool isWhole = size == to[dim];
    bool isOne = isWhole || shares;
    builder
        .factor(size,
                isWhole || !shares ? FactorKind::PassThrough
                                   : FactorKind::NeedReplication,
                !isWhole && shares)
        .operandsOfRank(from.size(), dim);
    if (!isOne)
      builder.factor(to[dim], FactorKind::NeedReplication, /*blocked=*/true);
    builder.results(dim);
  }
  return builder.take();
}

// Of the operands' shape, element by element.
FactorMapping elementwiseCall(Operation *op) {
  bool isSound = op->getNumResults() == 1 &&
                 llvm::all_of(op->getOperands(), [&](Value operand) {
                   return shapeOf(operand) == shapeOf(op->getResult(0));
                 });
  if (!isSound)
    return {};
  FactorMapping mapping = pointwiseMapping(op);
  // The state of a generator is a handful of words that stay whole.
  if (llvm::any_of(op->getUsers(), llvm::IsaPred<RandomBitsOp>))
    for (Factor &factor : mapping.factors)
      factor = {factor.size, FactorKind::NeedReplication, /*blocked=*/true};
  return mapping;
}

struct CustomCallSharding
    : ShardingRule::ExternalModel<CustomCallSharding, CustomCallOp> {
  FactorMapping factorMapping(Operation *op, bool) const {
    StringRef target = cast<CustomCallOp>(op).getTarget();
    if (op->getNumOperands() == 0 || op->getNumResults() == 0)
      return {};
    if (target.starts_with("lapack_"))
      return batchMapping(op);
    if (target == "Eigh")
      return eighMapping(op);
    if (target == "Qr" || target == "ProductOfElementaryHouseholderReflectors")
      return reflectorMapping(op);
    if (target == "mhlo.topk")
      return selectionMapping(op, /*shares=*/true);
    if (target == "ApproxTopK" || target == "PartialReduce")
      return selectionMapping(op, /*shares=*/false);
    bool isElementwise =
        llvm::StringSwitch<bool>(target)
            .Cases("CompactWyHelper", "X64Combine", "X64SplitHigh",
                   "X64SplitLow", "Cholesky", "mhlo.erf", true)
            .Cases("xla.megascale.provide_metadata", "MoveToHost",
                   "MoveToDevice", "InspectSharding", true)
            .Default(false);
    return isElementwise ? elementwiseCall(op) : FactorMapping();
  }
};

} // namespace

void attachControlShardings(MLIRContext *context) {
  attachAll<IdentitySharding, NamedOp, PlaceOp, ShardOp, ReshardOp,
            ShardBarrierOp, StopGradientOp>(context);
  attachAll<EdgeSharding, IfOp, CaseOp, WhileOp, BarrierOp, FusionOp, YieldOp,
            ManualOp>(context);
  attachAll<NoValueSharding, ParamOp, DerivedParamOp, GetParamOp, HostReadOp,
            AssertOp, MeshOp, ShardGroupOp>(context);
  CheckpointOp::attachInterface<CheckpointSharding>(*context);
  CustomCallOp::attachInterface<CustomCallSharding>(*context);
}

} // namespace zenith::sharding
