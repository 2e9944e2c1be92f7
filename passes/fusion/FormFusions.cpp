// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: sizes in terms of the signature first, then plan, then regions.

#include "ir/CompositeFormulas.h"
#include "ir/dims/DimScalars.h"
#include "ir/remarks/Remark.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/cost/CostRule.h"
#include "passes/fusion/FusionPlan.h"
#include "passes/fusion/NarrowOperands.h"
#include "passes/fusion/OutlineFusions.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_FORMFUSIONSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::fusion {

/// Rows of queries and of sums wait in memory of a task, so their lengths are
/// known and not too large.
static bool hasKernel(AttentionOp attention) {
  constexpr int64_t most = 512;
  auto isFew = [](Value value) {
    int64_t size = cast<RankedTensorType>(value.getType()).getShape().back();
    return !ShapedType::isDynamic(size) && size > 0 && size <= most;
  };
  Type element = cast<RankedTensorType>(attention.getType()).getElementType();
  return element.getIntOrFloatBitWidth() >= 16 && isFew(attention.getQuery()) &&
         isFew(attention.getValue());
}

/// Attention that no kernel takes whole becomes its formula.
static void writeAttentionOut(Block &block, bool all, bool explain) {
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

/// A size that asks a value which will live inside a region only would keep it
/// in memory; one that asks an argument doesn't.
static void rebuildSizes(func::FuncOp function) {
  DimAnalysis dims;
  DimScalars scalars(function, dims);
  SmallVector<std::pair<DimOp, Value>> rebuilt;
  for (auto dim : function.getBody().front().getOps<DimOp>())
    if (!isa<BlockArgument>(dim.getOperand()))
      if (Value value = scalars.materialize(dims.scalar(dim.getResult())))
        rebuilt.push_back({dim, value});
  for (auto [dim, value] : rebuilt) {
    dim.getResult().replaceAllUsesWith(value);
    dim.erase();
  }
}

/// Products read bytes as they are, whoever else wants them wider: memory holds
/// the bytes then, and others widen them on their own.
static void keepInt8Operands(Block &block) {
  for (auto convert : llvm::make_early_inc_range(block.getOps<ConvertOp>())) {
    SmallVector<OpOperand *> products;
    for (OpOperand &use : convert.getResult().getUses())
      if (readsInt8(use))
        products.push_back(&use);
    if (products.empty() ||
        llvm::hasNItems(convert->getUses(), products.size()))
      continue;
    Operation *own = OpBuilder(convert).clone(*convert);
    for (OpOperand *use : products)
      use->set(own->getResult(0));
  }
}

/// Every op of the graph dialect has a rule, or is refused.
static LogicalResult checkRules(Block &block) {
  for (Operation &op : block)
    if (isa<GraphDialect>(op.getDialect()) && !isa<FusionRule>(op))
      return op.emitError()
             << "fusion: no fusion rule for '" << op.getName() << "'";
  return success();
}

static void eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

namespace {

struct FormFusionsPass : impl::FormFusionsPassBase<FormFusionsPass> {
  using FormFusionsPassBase::FormFusionsPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    FormFusionsPassBase::getDependentDialects(registry);
    cost::registerCostRules(registry);
    registerFusionRules(registry);
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    if (!function.getBody().hasOneBlock()) {
      function.emitError() << "fusion: got "
                           << function.getBody().getBlocks().size()
                           << " blocks, expected one";
      return signalPassFailure();
    }
    Block &block = function.getBody().front();
    writeAttentionOut(block, /*all=*/!attention, explain);
    readKVSegments(block);
    sinkScales(block);
    keepInt8Operands(block);
    rebuildSizes(function);
    eraseDeadOps(block);
    if (failed(checkRules(block)))
      return signalPassFailure();
    DimAnalysis dims;
    FusionGraph graph(function, dims);
    PlanOptions options;
    options.explain = explain;
    options.maxReads = maxReads;
    FusionPlan(graph, options).build();
    outlineFusions(function, graph);
    recomputeResults(function, explain);
    copyReturnedValues(function);
  }
};

} // namespace
} // namespace zenith::fusion
