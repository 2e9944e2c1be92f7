// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Propagation with what is done before and after it.

#include "passes/sharding/PropagateShardings.h"

#include "ir/program/Shardings.h"
#include "passes/sharding/ShardingPasses.h"
#include "passes/sharding/ShardingRule.h"
#include "passes/sharding/SplitSharedValues.h"
#include "passes/sharding/StatedShardings.h"

namespace zenith {
#define GEN_PASS_DEF_PROPAGATESHARDINGSPASS
#include "passes/sharding/ShardingPasses.h.inc"
} // namespace zenith

using namespace mlir;
using namespace zenith::graph;

namespace zenith::sharding {

LogicalResult propagateShardings(ModuleOp module,
                                 const PropagationOptions &options) {
  bool isFull = options.strategy == Strategy::Full;
  SharedValues shared;
  dropSingleAxes(module);
  completeManualAxes(module);
  if (isFull) {
    shared.splitCalls(module);
    shared.splitConstants(module);
  }
  applyConstraints(module);
  if (failed(unifyGroups(module)))
    return failure();
  PropagationGraph graph(module, options.conservative,
                         /*throughCalls=*/isFull);
  Propagator propagator(graph, options.strategy, options.conservative);
  propagator.run();
  if (options.explain)
    propagator.explainStops();
  graph.write();
  if (isFull) {
    dropUnevenAxes(module);
    closeShardings(module);
    shared.merge(module);
  }
  return success();
}

namespace {
struct PropagateShardings
    : impl::PropagateShardingsPassBase<PropagateShardings> {
  using PropagateShardingsPassBase::PropagateShardingsPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    PropagateShardingsPassBase::getDependentDialects(registry);
    registerShardingRules(registry);
  }

  void runOnOperation() override {
    std::optional<Strategy> known = strategyOf(this->strategy);
    if (!known) {
      getOperation().emitError()
          << "strategy: got '" << this->strategy
          << "', expected basic, aggressive, op-priority, user-priority or "
             "full";
      return signalPassFailure();
    }
    if (!hasMesh(getOperation()))
      return markAllAnalysesPreserved();
    if (failed(
            propagateShardings(getOperation(), {*known, conservativePropagation,
                                                /*explain=*/true})))
      signalPassFailure();
  }
};
} // namespace

} // namespace zenith::sharding
