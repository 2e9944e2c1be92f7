// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives each returned value a buffer of its own.

#include "ir/matchers/HostScalars.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_COPYRETURNEDVALUESPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::fusion {

static void copyReturnedValues(func::FuncOp function) {
  Operation *end = function.getBody().front().getTerminator();
  HostScalars host(function.getBody().front());
  llvm::DenseSet<Value> returned;
  for (OpOperand &operand : end->getOpOperands()) {
    Value value = operand.get();
    // The host writes its scalars itself.
    if (host.contains(value))
      continue;
    if (value.getDefiningOp<FusionOp>() && returned.insert(value).second)
      continue;
    OpBuilder builder(end);
    auto copy = builder.create<FusionOp>(value.getLoc(), value.getType(),
                                         FusionKind::copy, value);
    Block *body = builder.createBlock(&copy.getBody(), {}, value.getType(),
                                      value.getLoc());
    builder.create<YieldOp>(value.getLoc(), body->getArguments());
    operand.set(copy.getResult(0));
  }
}

namespace {

struct CopyReturnedValuesPass
    : impl::CopyReturnedValuesPassBase<CopyReturnedValuesPass> {
  using CopyReturnedValuesPassBase::CopyReturnedValuesPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.getBody().hasOneBlock())
      copyReturnedValues(function);
  }
};

} // namespace
} // namespace zenith::fusion
