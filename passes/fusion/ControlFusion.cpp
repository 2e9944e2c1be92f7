// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fusion of control: it stays in the function, between kernels. Custom calls
// are routines on plain memory.

#include "ir/CollectiveOps.h"
#include "passes/fusion/OpaqueCallFusion.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::fusion {
namespace {

/// The rule of an op that stays in the function.
template <typename Op>
struct OutsideFusion : FusionRule::ExternalModel<OutsideFusion<Op>, Op> {
  Role role(Operation *, DimAnalysis &) const { return Role::Outside; }
  std::optional<FusionKind> kernelKind(Operation *) const {
    return std::nullopt;
  }
};

template <typename Op>
using ControlFusion =
    std::conditional_t<std::is_same_v<Op, CustomCallOp>, OpaqueCallFusion<Op>,
                       OutsideFusion<Op>>;

} // namespace

void attachControlFusion(MLIRContext *context) {
  attachAll<ControlFusion,
#define GET_OP_LIST
#include "ir/Control.cpp.inc"
            >(context);
  attachAll<OutsideFusion,
#define GET_OP_LIST
#include "ir/Sharding.cpp.inc"
            >(context);
  attachAll<OutsideFusion,
#define GET_OP_LIST
#include "ir/Collective.cpp.inc"
            >(context);
}

} // namespace zenith::fusion
