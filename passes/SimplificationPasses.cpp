// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of simplifications.

#include "passes/SimplificationPasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"

using namespace mlir;

namespace zenith {

void addTidy(OpPassManager &passes) {
  passes.addPass(createCanonicalizePass());
  passes.addNestedPass<func::FuncOp>(createMergeEqualOpsPass());
}

void addSimplification(OpPassManager &passes, bool keepsProducts) {
  passes.addNestedPass<func::FuncOp>(createFoldConstantsPass());
  // Patterns of algebra compare sizes, and leave sizes of values that are gone.
  passes.addNestedPass<func::FuncOp>(createSimplifySizesPass());
  // The options only refer to their words.
  static const std::string products[] = {"outer-products"};
  SimplifyAlgebraPassOptions algebra;
  if (keepsProducts)
    algebra.without = products;
  passes.addNestedPass<func::FuncOp>(createSimplifyAlgebraPass(algebra));
  passes.addNestedPass<func::FuncOp>(createSimplifySizesPass());
}

} // namespace zenith
