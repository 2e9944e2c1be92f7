// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites dimensions of intermediate values as dimensions of arguments.

#include "ir/DimScalars.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_RESOLVEDIMSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::fusion {

static void resolveDims(func::FuncOp function) {
  DimAnalysis dims;
  DimScalars scalars(function, dims);
  SmallVector<std::pair<DimOp, Value>> resolved;
  for (auto dim : function.getBody().front().getOps<DimOp>())
    if (!isa<BlockArgument>(dim.getOperand()))
      if (Value value = scalars.materialize(dims.scalar(dim.getResult())))
        resolved.push_back({dim, value});
  for (auto [dim, value] : resolved) {
    dim.getResult().replaceAllUsesWith(value);
    dim.erase();
  }
}

namespace {

struct ResolveDimsPass : impl::ResolveDimsPassBase<ResolveDimsPass> {
  using ResolveDimsPassBase::ResolveDimsPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.getBody().hasOneBlock())
      resolveDims(function);
  }
};

} // namespace
} // namespace zenith::fusion
