// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules of the command line, then names for the arguments that they add.

#include "tools/model/DeriveModel.h"

#include "frontends/models/Diagnostics.h"
#include "frontends/models/EntrySignature.h"
#include "frontends/models/LoadModel.h"
#include "ir/LLVMError.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "passes/autodiff/DeriveModule.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;

static llvm::Expected<SmallVector<autodiff::Transformation>>
parseAll(ArrayRef<std::string> texts) {
  SmallVector<autodiff::Transformation> rules;
  for (const std::string &text : texts) {
    Result<autodiff::Transformation> rule = autodiff::parseTransformation(text);
    if (!rule)
      return makeError(rule.error());
    rules.push_back(std::move(*rule));
  }
  return rules;
}

llvm::Expected<std::string> zenith::tools::deriveModel(
    models::LoadedModel &model, ArrayRef<std::string> texts,
    const std::string &entry, models::Diagnostics &diagnostics,
    int64_t budgetBytes) {
  auto rules = parseAll(texts);
  if (!rules)
    return rules.takeError();
  ModuleOp module = *model.module;
  if (rules->empty() && !autodiff::needsDerivation(module))
    return entry;
  std::string from = entry;
  unsigned arguments = 0;
  if (!rules->empty()) {
    auto function = models::findFunction(module, entry);
    if (!function)
      return function.takeError();
    from = function->getSymName().str();
    arguments = function->getNumArguments();
  }
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        return diagnostics.handle(diagnostic, model.folder);
      });
  auto run = [&](autodiff::BuildPasses build) {
    PassManager passes(module.getContext());
    build(passes);
    return passes.run(module);
  };
  llvm::Expected<std::string> made =
      autodiff::deriveModule(module, from, *rules, run, budgetBytes);
  if (!made || rules->empty())
    return made;
  auto function = models::findFunction(module, *made);
  if (!function)
    return function.takeError();
  // A rule of another entry leaves none of the arguments that were named.
  if (llvm::any_of(*rules, [](const autodiff::Transformation &rule) {
        return !rule.entry.empty();
      })) {
    arguments = 0;
    model.inputNames.clear();
  }
  const auto named = models::argumentsOf(*function);
  for (const models::ArgumentInfo &argument :
       ArrayRef(named).drop_front(arguments))
    model.inputNames.push_back(argument.name);
  return made;
}
