// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of each phase, and the table made of Phases.def.

#include "ir/GraphOps.h"
#include "ir/SearchOps.h"
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
  // Patterns of algebra compare sizes, and leave sizes of values that are gone.
  passes.addNestedPass<func::FuncOp>(createSimplifySizesPass());
  passes.addNestedPass<func::FuncOp>(createSimplifyAlgebraPass());
  passes.addNestedPass<func::FuncOp>(createSimplifySizesPass());
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
  // Attention was given the sizes of values that are gone.
  passes.addNestedPass<func::FuncOp>(createSimplifySizesPass());
  passes.addNestedPass<func::FuncOp>(createSplitComplexPass());
  addTidy(passes);
  auto keys = optionsOf<ChooseStateKeysPassOptions>(options);
  keys.without = options.withoutWords;
  passes.addNestedPass<func::FuncOp>(createChooseStateKeysPass(keys));
  addTidy(passes);
  passes.addPass(createSymbolDCEPass());
}

static void buildOutline(OpPassManager &passes, const PhaseOptions &options) {
  passes.addNestedPass<func::FuncOp>(
      createHoistLoopInvariantsPass({options.panelWidth}));
  passes.addPass(createOutlineRegionsPass());
}

static void addQuantization(OpPassManager &passes) {
  passes.addNestedPass<func::FuncOp>(createLowerQDQPass());
  passes.addNestedPass<func::FuncOp>(createLowerBlockwiseScalesPass());
  passes.addNestedPass<func::FuncOp>(createKeepIntegerWeightsPass());
}

static void addLayouts(OpPassManager &passes) {
  passes.addNestedPass<func::FuncOp>(createChooseLayoutsPass());
  passes.addNestedPass<func::FuncOp>(createSplitDilatedInputsPass());
  passes.addNestedPass<func::FuncOp>(createSinkTransposesPass());
  passes.addNestedPass<func::FuncOp>(createSplitWindowsPass());
}

/// Winograd filters and narrow types of weights.
static void addWeightForms(OpPassManager &passes, const PhaseOptions &options) {
  auto transformFilters = [&] {
    if (options.winograd)
      passes.addNestedPass<func::FuncOp>(createTransformWinogradFiltersPass(
          {options.panelWidth, options.lanes}));
  };
  // Winograd in f32 beats widening narrow weights, but may lose to native dot
  // products of pairs: on targets that have these it runs after the lowering.
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
}

static void addPacking(OpPassManager &passes, const PhaseOptions &options) {
  int64_t panel = options.panelWidth, group = options.integerGroup;
  bool hasInt8Dots = group == 4;
  if (hasInt8Dots)
    passes.addNestedPass<func::FuncOp>(createLowerInt8MatmulsPass());
  passes.addNestedPass<func::FuncOp>(
      createLowerInt16MatmulsPass({/*keepInt8=*/hasInt8Dots}));
  if (hasInt8Dots)
    passes.addNestedPass<func::FuncOp>(createNarrowDepthwiseFiltersPass());
  passes.addNestedPass<func::FuncOp>(createReduceSingleColumnsPass());
  passes.addNestedPass<func::FuncOp>(createPackBatchedMatmulsPass({panel}));
  passes.addNestedPass<func::FuncOp>(createPackMatmulsPass({panel, group}));
  passes.addNestedPass<func::FuncOp>(createPackFewOutputsPass({panel}));
  passes.addNestedPass<func::FuncOp>(createPackGroupsPass({panel}));
  passes.addNestedPass<func::FuncOp>(createPackFiltersPass({panel, group}));
  passes.addNestedPass<func::FuncOp>(createPackTablesPass({panel}));
}

static void buildLayout(OpPassManager &passes, const PhaseOptions &options) {
  addQuantization(passes);
  addLayouts(passes);
  passes.addNestedPass<func::FuncOp>(
      createFoldBatchNormPass({options.integerGroup}));
  passes.addNestedPass<func::FuncOp>(
      createDecomposeCompositesPass({{"batch_norm"}}));
  // Small statistics are constants, and so is what folding left of them.
  addSimplification(passes);
  addTidy(passes);
  addWeightForms(passes, options);
  addPacking(passes, options);
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
  passes.addPass(createAssignBuffersPass());
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
  registry.insert<graph::GraphDialect, search::SearchDialect, host::HostDialect,
                  func::FuncDialect>();
  cpu::registerKernelDialects(registry);
}

} // namespace zenith::pipeline
