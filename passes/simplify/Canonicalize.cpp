// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Canonical forms: the patterns that each op registers for itself.

#include "ir/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/RewriteGreedily.h"

using namespace mlir;

namespace zenith {
#define GEN_PASS_DEF_CANONICALIZEPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::simplify {
namespace {

struct CanonicalizePass : impl::CanonicalizePassBase<CanonicalizePass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet all(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(all);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      op.getCanonicalizationPatterns(all, context);
    patterns = std::move(all);
    return success();
  }

  void runOnOperation() override {
    // Patterns that don't come to an end leave a program of the same meaning.
    (void)rewriteGreedily(getOperation(), patterns);
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace
} // namespace zenith::simplify
