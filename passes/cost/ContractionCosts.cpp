// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs of contractions: two operations for each product that is summed.

#include "passes/cost/CostRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::cost {
namespace {

/// Products summed into one element of the result.
DimExpr depthOf(Operation *op, DimAnalysis &dims) {
  DimExpr depth(1);
  if (auto dot = dyn_cast<DotGeneralOp>(op)) {
    for (int64_t d : dot.getDims().getLhsContracting())
      depth = depth * dims.dimOf(dot.getLhs(), d);
    return depth;
  }
  if (auto fourier = dyn_cast<FourierOp>(op)) {
    // A butterfly of two per bit of each length.
    for (int64_t length : fourier.getLength())
      depth = depth + DimExpr(2 * llvm::Log2_64_Ceil(length + 1));
    return depth;
  }
  if (isa<CholeskyOp, TriangularSolveOp>(op)) {
    // Half of a row meets half of a column.
    auto type = cast<RankedTensorType>(op->getOperand(0).getType());
    return DimExpr::ceilDiv(dims.dimOf(op->getOperand(0), type.getRank() - 1),
                            DimExpr(2));
  }
  auto convolution = cast<ConvolutionOp>(op);
  for (int64_t d : convolution.getDims().getKernelSpatial())
    depth = depth * dims.dimOf(convolution.getKernel(), d);
  return depth * dims.dimOf(convolution.getKernel(),
                            convolution.getDims().getKernelInput());
}

template <typename Op>
struct ContractionCost : CostRule::ExternalModel<ContractionCost<Op>, Op> {
  unsigned elementCost(Operation *op) const {
    DimAnalysis dims;
    constexpr int64_t unknownDepth = 256;
    return 2 *
           std::min<int64_t>(
               depthOf(op, dims).constant().value_or(unknownDepth), INT32_MAX);
  }
  DimExpr flops(Operation *op, DimAnalysis &dims) const {
    return dims.elementCount(op->getResult(0)) * depthOf(op, dims) * DimExpr(2);
  }
};

} // namespace

void attachContractionCosts(MLIRContext *context) {
  attachAll<ContractionCost,
#define GET_OP_LIST
#include "ir/Contraction.cpp.inc"
            >(context);
}

void attachLinearAlgebraCosts(MLIRContext *context) {
  attachAll<ContractionCost,
#define GET_OP_LIST
#include "ir/LinearAlgebra.cpp.inc"
            >(context);
}

} // namespace zenith::cost
