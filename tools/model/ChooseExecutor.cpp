// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The executor that a target names, and what the interpreter runs under a
// policy.

#include "ir/GraphDialect.h"
#include "lowering/pipeline/Compile.h"
#include "lowering/pipeline/PhaseBoundary.h"
#include "tools/model/CompiledModel.h"
#include "tools/model/Executor.h"
#include "tools/model/RunOptions.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;

llvm::Error zenith::tools::applyPolicy(ModuleOp module,
                                       const std::string &folder,
                                       const RunOptions &options,
                                       Diagnostics *diagnostics) {
  auto phase = module->getAttrOfType<StringAttr>(pipeline::phaseAttrName);
  bool isApplied = phase && phase == "precision";
  if (isApplied || (options.compile.mixedPrecision.empty() &&
                    !module->hasAttr(graph::precisionAttrName)))
    return llvm::Error::success();
  pipeline::CompileOptions compile;
  if (diagnostics)
    compile = compileOptions(options, *diagnostics);
  else
    compile = options.compile;
  compile.target = "cpu"; // of which no phase so far makes use
  compile.folder = folder;
  std::optional<RemarkPrinter> printer;
  if (diagnostics)
    printer.emplace(module.getContext(), options, *diagnostics);
  return pipeline::lowerTo("precision", module, compile);
}

llvm::Expected<std::unique_ptr<Executor>> zenith::tools::makeExecutor(
    OwningOpRef<ModuleOp> module, const std::string &folder,
    const RunOptions &options, Diagnostics &diagnostics) {
  if (options.isInterpreted()) {
    if (llvm::Error error = applyPolicy(*module, folder, options, &diagnostics))
      return std::move(error);
    return makeInterpreter(std::move(module), folder, options, &diagnostics);
  }
  return makeCompiled(std::move(module), folder, options, diagnostics);
}
