// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces composites by their formula, all of them or those that an option
// names.

#include "ir/GraphOps.h"
#include "ir/ops/CompositeFormulas.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_DECOMPOSECOMPOSITESPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::expand {
namespace {

struct DecomposeCompositesPass
    : impl::DecomposeCompositesPassBase<DecomposeCompositesPass> {
  using DecomposeCompositesPassBase::DecomposeCompositesPassBase;

  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (familyOf(op) != Family::Composite ||
          (!only.empty() &&
           !llvm::is_contained(only, op->getName().stripDialect())))
        return;
      OpBuilder builder(op);
      if (Value formula = buildFormula(builder, op)) {
        op->getResult(0).replaceAllUsesWith(formula);
        op->erase();
      }
    });
  }
};

} // namespace
} // namespace zenith::expand
