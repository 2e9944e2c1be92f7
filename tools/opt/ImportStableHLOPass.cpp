// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces the functions of a module by what the frontend makes of them.

#include "tools/opt/ImportStableHLOPass.h"

#include "frontends/stablehlo/ImportStableHLO.h"
#include "frontends/stablehlo/bytecode/NewerText.h"
#include "ir/GraphDialect.h"
#include "ir/SearchOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace zenith;

namespace {
class ImportStableHLOPass
    : public PassWrapper<ImportStableHLOPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ImportStableHLOPass)

  StringRef getArgument() const override {
    return tools::importStableHLOArgument;
  }
  StringRef getDescription() const override {
    return "StableHLO to GraphIR; other modules stay as they are";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<graph::GraphDialect, search::SearchDialect,
                    func::FuncDialect>();
  }
  void runOnOperation() override;
};
} // namespace

/// True for modules that hold an op of a StableHLO dialect.
static bool isStableHLO(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        std::string name = op->getName().getStringRef().str();
        return stablehlo::stableHLODialectIn(name).empty()
                   ? WalkResult::advance()
                   : WalkResult::interrupt();
      })
      .wasInterrupted();
}

void ImportStableHLOPass::runOnOperation() {
  ModuleOp module = getOperation();
  if (!isStableHLO(module))
    return markAllAnalysesPreserved();
  llvm::Expected<stablehlo::ImportedProgram> program =
      stablehlo::importStableHLO(module);
  if (!program) {
    module.emitError() << llvm::toString(program.takeError());
    return signalPassFailure();
  }
  module->setAttrs(program->module->getOperation()->getAttrDictionary());
  module.getBodyRegion().takeBody(program->module->getBodyRegion());
}

void zenith::tools::registerImportStableHLOPass() {
  PassRegistration<ImportStableHLOPass>();
}
