// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass that compiled programs begin with, alone.

#include "frontends/models/StateSizes.h"

#include "ir/LLVMError.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "passes/GraphPasses.h"

using namespace mlir;
using namespace zenith;

llvm::Error zenith::models::stateSizes(ModuleOp module) {
  PassManager passes(module.getContext());
  passes.addNestedPass<func::FuncOp>(createInsertSizeChecksPass());
  if (failed(passes.run(module)))
    return makeError(ErrorCode::Internal, "sizes cannot be checked");
  return llvm::Error::success();
}
