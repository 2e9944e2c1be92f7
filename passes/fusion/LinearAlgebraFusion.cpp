// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fusion of factorisations and transforms: each calls a routine on plain
// memory.

#include "passes/fusion/FusionRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::fusion {
namespace {

template <typename Op>
struct LinearAlgebraFusion
    : FusionRule::ExternalModel<LinearAlgebraFusion<Op>, Op> {
  Role role(Operation *, DimAnalysis &) const { return Role::Opaque; }
  std::optional<FusionKind> kernelKind(Operation *) const {
    return FusionKind::routine;
  }
  SmallVector<Value> memoryOperands(Operation *op, DimAnalysis &) const {
    return SmallVector<Value>(op->getOperands());
  }
};

} // namespace

void attachLinearAlgebraFusion(MLIRContext *context) {
  attachAll<LinearAlgebraFusion,
#define GET_OP_LIST
#include "ir/LinearAlgebra.cpp.inc"
            >(context);
}

} // namespace zenith::fusion
