// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fusion of reductions: rows with what they are computed from, windows with
// their epilogue, scans and reductions by a region on plain memory.

#include "passes/fusion/FusionRule.h"
#include "passes/fusion/NarrowOperands.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::fusion {
namespace {

template <typename Op>
struct RowReductionFusion
    : FusionRule::ExternalModel<RowReductionFusion<Op>, Op> {
  Role role(Operation *, DimAnalysis &) const { return Role::Reduction; }
  std::optional<FusionKind> kernelKind(Operation *) const {
    return FusionKind::reduction;
  }
  SmallVector<int64_t> reducedDims(Operation *op) const {
    if constexpr (std::is_same_v<Op, ReduceOp>)
      return SmallVector<int64_t>(cast<ReduceOp>(op).getDims());
    else
      return {int64_t(cast<Op>(op).getDim())};
  }
};

struct ReduceWindowFusion
    : FusionRule::ExternalModel<ReduceWindowFusion, ReduceWindowOp> {
  Role role(Operation *, DimAnalysis &) const { return Role::Window; }
  std::optional<FusionKind> kernelKind(Operation *) const {
    return FusionKind::window;
  }
  SmallVector<Value> memoryOperands(Operation *op, DimAnalysis &) const {
    SmallVector<Value> needed(op->getOperands());
    if (auto input = int8InputOf(op))
      needed.front() = input->source;
    return needed;
  }
};

struct ScanFusion : FusionRule::ExternalModel<ScanFusion, CumulativeOp> {
  Role role(Operation *, DimAnalysis &) const { return Role::Scan; }
  std::optional<FusionKind> kernelKind(Operation *) const {
    return FusionKind::reduction;
  }
  SmallVector<Value> memoryOperands(Operation *op, DimAnalysis &) const {
    return SmallVector<Value>(op->getOperands());
  }
};

template <typename Op>
struct RegionReductionFusion
    : FusionRule::ExternalModel<RegionReductionFusion<Op>, Op> {
  Role role(Operation *, DimAnalysis &) const { return Role::Opaque; }
  std::optional<FusionKind> kernelKind(Operation *) const {
    return std::is_same_v<Op, ReduceWithOp> ? FusionKind::reduction
                                            : FusionKind::window;
  }
  /// The arrays; initial values are scalars, which the kernel may compute.
  SmallVector<Value> memoryOperands(Operation *op, DimAnalysis &) const {
    return SmallVector<Value>(
        op->getOperands().take_front(op->getNumOperands() / 2));
  }
};

} // namespace

void attachReductionFusion(MLIRContext *context) {
  attachAll<RowReductionFusion, ReduceOp, ArgReduceOp>(context);
  ReduceWindowOp::attachInterface<ReduceWindowFusion>(*context);
  CumulativeOp::attachInterface<ScanFusion>(*context);
  attachAll<RegionReductionFusion, ReduceWithOp, ReduceWindowWithOp>(context);
}

} // namespace zenith::fusion
