// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: plans which ops become one kernel, then outlines the regions.

#include "ir/program/SizeChecks.h"
#include "ir/remarks/Remark.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/cost/CostRule.h"
#include "passes/fusion/EraseDeadOps.h"
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

/// Every op of the graph dialect has a rule, or is refused.
static LogicalResult checkRules(Block &block) {
  for (Operation &op : block)
    if (isa<GraphDialect>(op.getDialect()) && !isa<FusionRule>(op))
      return op.emitError()
             << "fusion: no fusion rule for '" << op.getName() << "'";
  return success();
}

/// Says what the run checks of sizes, and which dimensions it broadcasts.
static void remarkSizes(func::FuncOp function) {
  DimAnalysis dims;
  function.walk([&](AssertOp check) {
    if (auto condition = statedBy(check, dims))
      remarks::emit(check, remarks::Code::SIZ001, {condition->key()});
  });
  function.walk([&](ExpandOp expand) {
    for (auto [d, size] : llvm::enumerate(dims.dimsOf(expand.getOperand())))
      if (const DimExpr &to = dims.dimOf(expand.getResult(), d);
          size != to && !size.isConstant(1))
        remarks::emit(expand, remarks::Code::SIZ002,
                      {int64_t(d), size.str(), to.str()});
  });
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
    // A dead op would become a kernel.
    eraseDeadOps(block);
    if (explain)
      remarkSizes(function);
    if (failed(checkRules(block)))
      return signalPassFailure();
    DimAnalysis dims;
    FusionGraph graph(function, dims);
    PlanOptions options;
    options.explain = explain;
    options.maxReads = maxReads;
    FusionPlan(graph, options).build();
    outlineFusions(function, graph);
  }
};

} // namespace
} // namespace zenith::fusion
