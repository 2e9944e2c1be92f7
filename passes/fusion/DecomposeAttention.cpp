// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces attention that no kernel computes whole by its formula.

#include "ir/ops/CompositeFormulas.h"
#include "ir/remarks/Remark.h"
#include "ir/target/TargetModel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_DECOMPOSEATTENTIONPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::fusion {

/// A task keeps one query and one accumulator row on its stack, so head sizes
/// must be static and not too large.
static bool hasKernel(AttentionOp attention) {
  constexpr int64_t maxHeadSize = 512;
  auto fits = [](Value value) {
    int64_t size = cast<RankedTensorType>(value.getType()).getShape().back();
    return !ShapedType::isDynamic(size) && size > 0 && size <= maxHeadSize;
  };
  Type element = cast<RankedTensorType>(attention.getType()).getElementType();
  return element.getIntOrFloatBitWidth() >= 16 && fits(attention.getQuery()) &&
         fits(attention.getValue());
}

static void decomposeAttention(Block &block, bool all, bool explain) {
  for (auto attention :
       llvm::make_early_inc_range(block.getOps<AttentionOp>())) {
    if (!all && hasKernel(attention))
      continue;
    if (explain)
      remarks::emit(
          attention, remarks::Code::FUS204,
          {all ? "the target has no kernel for it"
               : "its features are too many, or known only when it runs"});
    OpBuilder builder(attention);
    attention.getResult().replaceAllUsesWith(buildFormula(builder, attention));
    attention.erase();
  }
}

namespace {

struct DecomposeAttentionPass
    : impl::DecomposeAttentionPassBase<DecomposeAttentionPass> {
  using DecomposeAttentionPassBase::DecomposeAttentionPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.getBody().hasOneBlock())
      decomposeAttention(function.getBody().front(),
                         all || !target::modelOf(function).stackArrays,
                         explain);
  }
};

} // namespace
} // namespace zenith::fusion
