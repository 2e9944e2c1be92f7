// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of derivations, and the passes around them.

#include "passes/autodiff/DeriveModule.h"
#include "ir/GraphOps.h"
#include "ir/LLVMError.h"
#include "ir/LocationText.h"
#include "ir/ShapeChecks.h"
#include "ir/program/ProgramChecks.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "passes/GraphPasses.h"
#include "passes/SimplificationPasses.h"
#include "passes/autodiff/Differentiate.h"
#include "passes/autodiff/RuleBuilder.h"
#include "passes/autodiff/sweeps/CheckpointRegions.h"
#include "passes/autodiff/sweeps/CustomRules.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

bool needsDerivation(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        auto function = dyn_cast<func::FuncOp>(op);
        bool found = isa<StopGradientOp, CheckpointOp>(op) ||
                     (function && keepsCalls(function));
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// What the clean phase does before composites are raised, and raising them.
static void buildPreparation(OpPassManager &passes) {
  passes.addPass(createInlineCallsPass());
  addTidy(passes);
  addSimplification(passes);
  addTidy(passes);
  passes.addNestedPass<func::FuncOp>(createSimplifyControlPass());
  passes.addNestedPass<func::FuncOp>(createRaiseRegionsPass());
  addTidy(passes);
  addSimplification(passes);
  addTidy(passes);
  passes.addNestedPass<func::FuncOp>(createRaiseCompositesPass());
  passes.addNestedPass<func::FuncOp>(createSimplifySizesPass());
  addTidy(passes);
}

namespace {

/// Derivations of one module.
class ModuleDerivation {
public:
  ModuleDerivation(ModuleOp module, RunPasses runPasses, int64_t budgetBytes)
      : module(module), runPasses(runPasses), budgetBytes(budgetBytes) {}

  llvm::Error prepare() { return run(buildPreparation); }
  llvm::Error fillAll();
  llvm::Expected<func::FuncOp>
  apply(func::FuncOp function, const Transformation &transformation,
        std::optional<FunctionType> declared = std::nullopt);
  llvm::Expected<func::FuncOp> find(StringRef name);
  void finish(func::FuncOp made, func::FuncOp from);

private:
  llvm::Error run(BuildPasses build);
  llvm::Error fill(func::FuncOp function, SmallVector<StringRef> path);
  llvm::Error fillCallees(func::FuncOp function, SmallVector<StringRef> path);
  llvm::Error replaceBody(func::FuncOp function, func::FuncOp made);

  ModuleOp module;
  RunPasses runPasses;
  int64_t budgetBytes;
};

} // namespace

llvm::Error ModuleDerivation::run(BuildPasses build) {
  if (succeeded(runPasses(build)))
    return llvm::Error::success();
  return reportedError(ErrorCode::Unsupported,
                       "the program cannot be simplified before derivation");
}

llvm::Expected<func::FuncOp> ModuleDerivation::find(StringRef name) {
  auto function = module.lookupSymbol<func::FuncOp>(name);
  if (function && !function.isExternal())
    return function;
  return makeError(ErrorCode::Usage,
                   "the program has no function '" + name + "' to derive from");
}

static DictionaryAttr derivationOf(func::FuncOp function) {
  return function->getAttrOfType<DictionaryAttr>(deriveAttrName);
}

/// Functions that are called are filled, and their calls inlined.
llvm::Error ModuleDerivation::fillCallees(func::FuncOp function,
                                          SmallVector<StringRef> path) {
  SmallVector<func::FuncOp> callees;
  function.walk([&](func::CallOp call) {
    func::FuncOp callee = calleeOf(call);
    if (callee && !llvm::is_contained(callees, callee))
      callees.push_back(callee);
  });
  for (func::FuncOp callee : callees)
    if (llvm::Error error = derivationOf(callee) ? fill(callee, path)
                                                 : fillCallees(callee, path))
      return error;
  return llvm::Error::success();
}

llvm::Error ModuleDerivation::fill(func::FuncOp function,
                                   SmallVector<StringRef> path) {
  bool isCycle = llvm::is_contained(path, function.getSymName());
  path.push_back(function.getSymName());
  if (isCycle)
    return makeError(ErrorCode::Invalid,
                     "derivations need each other: @" +
                         llvm::join(path, " -> @"),
                     placeOf(function.getLoc()));
  DictionaryAttr derivation = derivationOf(function);
  auto options = derivation.getAs<StringAttr>("options");
  Result<Transformation> transformation =
      parseTransformation(derivation.getAs<StringAttr>("rule").getValue(),
                          options ? options.getValue() : StringRef());
  if (!transformation)
    return makeError(ErrorCode::Invalid,
                     "graph.derive of @" + function.getSymName() + ": " +
                         transformation.error().text,
                     placeOf(function.getLoc()));
  auto of = module.lookupSymbol<func::FuncOp>(
      derivation.getAs<FlatSymbolRefAttr>("of").getValue());
  if (derivationOf(of)) {
    if (llvm::Error error = fill(of, path))
      return error;
    of = module.lookupSymbol<func::FuncOp>(
        derivation.getAs<FlatSymbolRefAttr>("of").getValue());
  }
  if (of.isExternal())
    return makeError(ErrorCode::Invalid,
                     "graph.derive of @" + function.getSymName() + ": @" +
                         of.getSymName() + " has no body",
                     placeOf(function.getLoc()));
  if (llvm::Error error = fillCallees(of, path))
    return error;
  llvm::Expected<func::FuncOp> made =
      apply(of, *transformation, function.getFunctionType());
  if (!made)
    return made.takeError();
  return replaceBody(function, *made);
}

/// The function made takes the place of its declaration.
llvm::Error ModuleDerivation::replaceBody(func::FuncOp function,
                                          func::FuncOp made) {
  if (made.getFunctionType() != function.getFunctionType())
    return makeError(ErrorCode::Invalid,
                     "graph.derive of @" + function.getSymName() + ": got " +
                         typeText(function.getFunctionType()) +
                         ", expected the derived function's type " +
                         typeText(made.getFunctionType()),
                     placeOf(function.getLoc()));
  StringAttr name = function.getSymNameAttr();
  function.erase();
  made.setSymNameAttr(name);
  return llvm::Error::success();
}

llvm::Error ModuleDerivation::fillAll() {
  while (true) {
    func::FuncOp open;
    for (auto function : module.getOps<func::FuncOp>())
      if (!open && derivationOf(function))
        open = function;
    if (!open)
      return llvm::Error::success();
    if (llvm::Error error = fill(open, {}))
      return error;
  }
}

/// Calls that were kept for functions which have a body by now are inlined
/// before, and what was made is simplified.
llvm::Expected<func::FuncOp>
ModuleDerivation::apply(func::FuncOp function,
                        const Transformation &transformation,
                        std::optional<FunctionType> declared) {
  StringAttr name = function.getSymNameAttr();
  if (llvm::Error error = run([](OpPassManager &passes) {
        passes.addPass(createInlineCallsPass());
      }))
    return std::move(error);
  auto made = applyTransformation(module.lookupSymbol<func::FuncOp>(name),
                                  transformation, declared, budgetBytes);
  if (!made)
    return made;
  StringAttr madeName = (*made).getSymNameAttr();
  if (llvm::Error error = run([](OpPassManager &passes) {
        addTidy(passes);
        addSimplification(passes);
        addTidy(passes);
      }))
    return std::move(error);
  return module.lookupSymbol<func::FuncOp>(madeName);
}

/// Nothing of derivation is left.
void ModuleDerivation::finish(func::FuncOp made, func::FuncOp from) {
  module.walk(
      [](Operation *op) { op->removeAttr(RuleBuilder::singularAttrName); });
  inlineCheckpoints(module);
  module.walk([](StopGradientOp op) {
    op.replaceAllUsesWith(op.getOperand());
    op.erase();
  });
  for (auto function : module.getOps<func::FuncOp>())
    for (StringRef name : {customJvpAttrName, customVjpAttrName})
      function->removeAttr(name);
  if (!made)
    return;
  from.setPrivate();
  made.setPublic();
}

llvm::Expected<std::string>
deriveModule(ModuleOp module, StringRef entry,
             ArrayRef<Transformation> transformations, RunPasses runPasses,
             int64_t budgetBytes) {
  ModuleDerivation derivation(module, runPasses, budgetBytes);
  if (llvm::Error error = derivation.prepare())
    return std::move(error);
  if (llvm::Error error = derivation.fillAll())
    return std::move(error);
  std::string name = entry.str(), first;
  for (const Transformation &transformation : transformations) {
    if (!transformation.entry.empty())
      name = transformation.entry;
    auto function = derivation.find(name);
    if (!function)
      return function.takeError();
    if (first.empty())
      first = name;
    auto made = derivation.apply(*function, transformation);
    if (!made)
      return made.takeError();
    name = (*made).getSymName().str();
  }
  auto none = func::FuncOp();
  derivation.finish(
      first.empty() ? none : module.lookupSymbol<func::FuncOp>(name),
      first.empty() ? none : module.lookupSymbol<func::FuncOp>(first));
  return name;
}

} // namespace zenith::autodiff
