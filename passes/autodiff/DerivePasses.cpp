// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivation as passes: what the program says, and one rule at a time.

#include "ir/GraphOps.h"
#include "ir/LLVMError.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "passes/autodiff/DerivationPasses.h"
#include "passes/autodiff/DeriveModule.h"
#include "passes/autodiff/GradientRule.h"

using namespace mlir;

namespace zenith {
#define GEN_PASS_DEF_DERIVEPASS
#define GEN_PASS_DEF_VJPPASS
#define GEN_PASS_DEF_JVPPASS
#define GEN_PASS_DEF_GRADPASS
#define GEN_PASS_DEF_VMAPPASS
#include "passes/autodiff/DerivationPasses.h.inc"
} // namespace zenith

namespace zenith::autodiff {

/// The only public function, else @main.
static std::string entryOf(ModuleOp module) {
  std::string name = "main";
  unsigned publics = 0;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal() && ++publics == 1)
      name = function.getSymName().str();
  return publics == 1 ? name : "main";
}

static LogicalResult report(ModuleOp module, llvm::Error error) {
  Error why = errorOf(std::move(error));
  if (!why.reported)
    module.emitError() << why.message();
  return failure();
}

static LogicalResult derive(ModuleOp module,
                            ArrayRef<Transformation> transformations,
                            RunPasses runPasses, int64_t budgetBytes = 0) {
  auto entry = deriveModule(module, entryOf(module), transformations, runPasses,
                            budgetBytes);
  return entry ? success() : report(module, entry.takeError());
}

namespace {

struct DerivePass : impl::DerivePassBase<DerivePass> {
  using DerivePassBase::DerivePassBase;
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto run = [&](BuildPasses build) {
      OpPassManager passes(ModuleOp::getOperationName());
      build(passes);
      return runPipeline(passes, module);
    };
    if (needsDerivation(module) && failed(derive(module, {}, run, budgetBytes)))
      signalPassFailure();
  }
};

/// What the passes of one rule each share; `Base` has the options.
template <typename Base, Transformation::Rule rule> struct RulePass : Base {
  using Base::Base;
  void runWith(Transformation transformation) {
    transformation.rule = rule;
    transformation.entry = this->entry;
    transformation.name = this->name;
    ModuleOp module = this->getOperation();
    if (failed(derive(module, transformation, [&](BuildPasses build) {
          OpPassManager passes(ModuleOp::getOperationName());
          build(passes);
          return this->runPipeline(passes, module);
        })))
      this->signalPassFailure();
  }
};

template <typename List> std::vector<std::string> listOf(const List &list) {
  return {list.begin(), list.end()};
}

template <typename Base, Transformation::Rule rule>
struct ReversePass : RulePass<Base, rule> {
  using RulePass<Base, rule>::RulePass;
  void runOnOperation() override {
    Transformation transformation;
    transformation.wrt = listOf(this->wrt);
    transformation.of = listOf(this->of);
    if (this->tape != "store" && this->tape != "sqrt") {
      this->getOperation().emitError()
          << "tape: got '" << this->tape << "', expected store or sqrt";
      return this->signalPassFailure();
    }
    if (this->tape == "sqrt")
      transformation.tape = TapeForm::Sqrt;
    this->runWith(transformation);
  }
};

using Rule = Transformation::Rule;
struct VjpPass : ReversePass<impl::VjpPassBase<VjpPass>, Rule::Vjp> {
  using ReversePass::ReversePass;
};
struct GradPass : ReversePass<impl::GradPassBase<GradPass>, Rule::Grad> {
  using ReversePass::ReversePass;
};
struct JvpPass : RulePass<impl::JvpPassBase<JvpPass>, Rule::Jvp> {
  using RulePass::RulePass;
  void runOnOperation() override {
    Transformation transformation;
    transformation.wrt = listOf(wrt);
    transformation.of = listOf(of);
    runWith(transformation);
  }
};
struct VmapPass : RulePass<impl::VmapPassBase<VmapPass>, Rule::Vmap> {
  using RulePass::RulePass;
  void runOnOperation() override {
    Transformation transformation;
    transformation.in = listOf(in);
    transformation.out = listOf(out);
    runWith(transformation);
  }
};

} // namespace
} // namespace zenith::autodiff
