// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of each phase, and the table made of Phases.def.

#include "ir/GraphOps.h"
#include "lowering/LoweringPasses.h"
#include "lowering/cpu/ConvertKernelsToLLVM.h"
#include "lowering/host/HostDialect.h"
#include "lowering/pipeline/PhaseContracts.h"
#include "lowering/pipeline/Phases.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/GraphPasses.h"

using namespace mlir;

namespace zenith::pipeline {

// fill_NAME assigns to the option NAME of a pass where the pass has one.
#define ZENITH_COMPILE_OPTION(field, type, initial, spelling, unit, tools,     \
                              cache, help)                                     \
  template <typename PassOptions, typename Value>                              \
  static auto fill_##field(PassOptions &own, const Value &value, int)          \
      ->decltype(own.field = value, void()) {                                  \
    own.field = value;                                                         \
  }                                                                            \
  template <typename PassOptions, typename Value>                              \
  static void fill_##field(PassOptions &, const Value &, long) {}
#include "lowering/pipeline/CompileOptions.def"

static void buildNothing(OpPassManager &, const PhaseOptions &) {}

/// Options of a pass, filled from the options of the same name in
/// CompileOptions.def.
template <typename PassOptions>
static PassOptions optionsOf(const CompileOptions &options) {
  PassOptions own;
#define ZENITH_COMPILE_OPTION(field, type, initial, spelling, unit, tools,     \
                              cache, help)                                     \
  fill_##field(own, options.field, 0);
#include "lowering/pipeline/CompileOptions.def"
  return own;
}

/// Simplification that leaves no dead or equal ops behind.
static void addTidy(OpPassManager &passes) {
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
}

static void addSimplification(OpPassManager &passes) {
  passes.addNestedPass<func::FuncOp>(createFoldConstantsPass());
  passes.addNestedPass<func::FuncOp>(createSimplifyAlgebraPass());
}

static void buildClean(OpPassManager &passes, const PhaseOptions &options) {
  passes.addPass(createInlineCallsPass());
  addTidy(passes);
  addSimplification(passes);
  // simplify-control cleans up the loop that score-first leaves.
  auto scoring = optionsOf<ScoreFirstPassOptions>(options);
  scoring.without = options.withoutWords;
  passes.addNestedPass<func::FuncOp>(createScoreFirstPass(scoring));
  passes.addNestedPass<func::FuncOp>(createSimplifyControlPass());
  passes.addNestedPass<func::FuncOp>(createRaiseRegionsPass());
  passes.addNestedPass<func::FuncOp>(createDecomposeRandomPass());
  // Loop-carried values turned into captures, and expanded random bits, may now
  // be constant.
  addTidy(passes);
  addSimplification(passes);
  // Raising matches the simplest spelling of a formula, so it runs on
  // simplified graphs.
  passes.addNestedPass<func::FuncOp>(createRaiseCompositesPass(
      optionsOf<RaiseCompositesPassOptions>(options)));
  passes.addNestedPass<func::FuncOp>(createSplitComplexPass());
  addTidy(passes);
  auto keys = optionsOf<ChooseStateKeysPassOptions>(options);
  keys.without = options.withoutWords;
  passes.addNestedPass<func::FuncOp>(createChooseStateKeysPass(keys));
  addTidy(passes);
  passes.addPass(createSymbolDCEPass());
}

static void buildOutline(OpPassManager &passes, const PhaseOptions &) {
  passes.addPass(createOutlineRegionsPass());
}

static void buildLayout(OpPassManager &passes, const PhaseOptions &options) {
  passes.addNestedPass<func::FuncOp>(createLowerQDQPass());
  passes.addNestedPass<func::FuncOp>(createChooseLayoutsPass());
  passes.addNestedPass<func::FuncOp>(
      createFoldBatchNormPass({options.integerGroup}));
  passes.addNestedPass<func::FuncOp>(
      createDecomposeCompositesPass({{"batch_norm"}}));
  // Small statistics are constants, so what batch-norm folding computes from
  // them is constant too.
  passes.addNestedPass<func::FuncOp>(createFoldConstantsPass());
  passes.addNestedPass<func::FuncOp>(createSimplifyAlgebraPass());
  addTidy(passes);
  auto transformFilters = [&] {
    if (options.winograd)
      passes.addNestedPass<func::FuncOp>(createTransformWinogradFiltersPass(
          {options.panelWidth, options.lanes}));
  };
  // Winograd in f32 beats widening bf16 weights, but may lose to native bf16
  // dot products, so it runs after precision lowering on such targets.
  if (!options.narrowProducts)
    transformFilters();
  if (options.mixedPrecision != MixedPrecision::None) {
    auto lowering = optionsOf<LowerPrecisionPassOptions>(options);
    lowering.type =
        options.mixedPrecision == MixedPrecision::FP16 ? "f16" : "bf16";
    lowering.activations = options.narrowProducts;
    passes.addNestedPass<func::FuncOp>(createLowerPrecisionPass(lowering));
  }
  if (options.narrowProducts)
    transformFilters();
  PackParametersPassOptions packing;
  packing.panel = options.panelWidth;
  packing.group = options.integerGroup;
  passes.addNestedPass<func::FuncOp>(createPackParametersPass(packing));
  // Weights that several matmuls read are packed once.
  passes.addPass(createCSEPass());
  passes.addPass(createHoistPreparePass());
  // Canonicalisation from here on could undo the packing that kernels match, so
  // unused ops are removed by CSE.
  passes.addPass(createCSEPass());
}

static void buildFuse(OpPassManager &passes, const PhaseOptions &options) {
  passes.addNestedPass<func::FuncOp>(createFetchScalarsPass());
  auto forming = optionsOf<FormFusionsPassOptions>(options);
  forming.attention = options.attention;
  passes.addNestedPass<func::FuncOp>(createFormFusionsPass(forming));
}

static void buildPlan(OpPassManager &passes, const PhaseOptions &) {
  passes.addPass(createPlanPlacesPass());
}

static void buildKernels(OpPassManager &passes, const PhaseOptions &options) {
  passes.addPass(createBuildHostProgramPass(
      optionsOf<BuildHostProgramPassOptions>(options)));
}

static void buildCPU(OpPassManager &passes, const PhaseOptions &) {
  passes.addPass(createConvertKernelsToLLVMPass());
}

PhaseOptions::PhaseOptions(const CompileOptions &options)
    : CompileOptions(options) {
  for (SearchForm form : options.without)
    withoutWords.push_back(zenith::options::wordOf(form).str());
}

llvm::ArrayRef<Phase> phases() {
  static const Phase table[] = {
#define ZENITH_PHASE(name, sentence, builder, contract, exit)                  \
  {#name, sentence, builder, contract, exit},
#include "lowering/pipeline/Phases.def"
  };
  return table;
}

int phaseIndex(StringRef name) {
  for (auto [index, phase] : llvm::enumerate(phases()))
    if (phase.name == name)
      return index;
  return -1;
}

const Phase *owedBy(Operation *op) {
  for (const Phase &phase : phases())
    if (!phase.allows(op))
      return &phase;
  return nullptr;
}

void registerPhaseDialects(DialectRegistry &registry) {
  registry.insert<graph::GraphDialect, host::HostDialect, func::FuncDialect>();
  cpu::registerKernelDialects(registry);
}

} // namespace zenith::pipeline
