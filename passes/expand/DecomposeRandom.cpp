// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces random ops by their formulas.

#include "ir/GraphOps.h"
#include "ir/random/RandomFormulas.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_DECOMPOSERANDOMPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::expand {
namespace {

struct DecomposeRandomPass
    : impl::DecomposeRandomPassBase<DecomposeRandomPass> {
  using DecomposeRandomPassBase::DecomposeRandomPassBase;

  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (familyOf(op) != Family::Random)
        return;
      OpBuilder builder(op);
      SmallVector<Value> formula = buildRandomFormula(builder, op);
      op->replaceAllUsesWith(formula);
      op->erase();
    });
  }
};

} // namespace
} // namespace zenith::expand
