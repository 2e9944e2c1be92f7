// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives each int8 matmul its own widening convert, so that memory keeps the
// int8 value even if other users need it widened.

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/fusion/NarrowOperands.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_KEEPINT8OPERANDSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::fusion {

static void keepInt8Operands(Block &block) {
  for (auto convert : llvm::make_early_inc_range(block.getOps<ConvertOp>())) {
    SmallVector<OpOperand *> matmuls;
    for (OpOperand &use : convert.getResult().getUses())
      if (readsInt8(use))
        matmuls.push_back(&use);
    if (matmuls.empty() || llvm::hasNItems(convert->getUses(), matmuls.size()))
      continue;
    Operation *own = OpBuilder(convert).clone(*convert);
    for (OpOperand *use : matmuls)
      use->set(own->getResult(0));
  }
}

namespace {

struct KeepInt8OperandsPass
    : impl::KeepInt8OperandsPassBase<KeepInt8OperandsPass> {
  using KeepInt8OperandsPassBase::KeepInt8OperandsPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.getBody().hasOneBlock())
      keepInt8Operands(function.getBody().front());
  }
};

} // namespace
} // namespace zenith::fusion
