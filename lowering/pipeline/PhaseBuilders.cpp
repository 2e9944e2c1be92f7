// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of each phase, and the table made of Phases.def.

#include "ir/GraphOps.h"
#include "ir/SearchOps.h"
#include "lowering/LoweringPasses.h"
#include "lowering/cpu/ConvertKernelsToLLVM.h"
#include "lowering/decisions/Schedules.h"
#include "lowering/elements/ElementRule.h"
#include "lowering/host/HostDialect.h"
#include "lowering/pipeline/PhaseContracts.h"
#include "lowering/pipeline/Phases.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/GraphPasses.h"
#include "passes/SimplificationPasses.h"
#include "passes/autodiff/DerivationPasses.h"
#include "passes/autodiff/GradientRule.h"
#include "passes/batching/BatchRule.h"
#include "passes/fusion/FusionRule.h"
#include "passes/precision/PrecisionPasses.h"
#include "passes/precision/PrecisionRule.h"
#include "passes/search/states/SplitSearchLoop.h"
#include "passes/sharding/ShardingPasses.h"
#include "passes/sharding/ShardingRule.h"
#include "passes/sharding/partition/PartitionPasses.h"

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

/// What the target lacks. The passes after it must not make any of it.
static void addLegalization(OpPassManager &passes,
                            const PhaseOptions &options) {
  if (options.lackingWords.empty())
    return;
  passes.addNestedPass<func::FuncOp>(createLegalizeTypesPass(
      {options.lackingWords, zenith::options::wordOf(options.f64As).str()}));
  addTidy(passes);
}

/// The mode that Default stands for.
static RematMode rematModeOf(const CompileOptions &options) {
  if (options.remat != RematMode::Default)
    return options.remat;
  return options.budgetBytes > 0 ? RematMode::Auto : RematMode::Policy;
}

static void buildClean(OpPassManager &passes, const PhaseOptions &options) {
  passes.addPass(createDerivePass(optionsOf<DerivePassOptions>(options)));
  passes.addPass(createInlineCallsPass());
  // Before anything folds: the rule of an op that goes stays an assertion.
  passes.addNestedPass<func::FuncOp>(createInsertSizeChecksPass());
  addTidy(passes);
  addSimplification(passes, !options.mixedPrecision.empty());
  // Equal ops are merged by now, and composites are raised across what is left
  // out.
  passes.addNestedPass<func::FuncOp>(createRaiseCheckpointsPass(
      {zenith::options::wordOf(rematModeOf(options)).str(),
       options.offloadRate > 0, options.explain}));
  addTidy(passes);
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
  addSimplification(passes, !options.mixedPrecision.empty());
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
  // Lists of rows are partitioned, those with room aren't.
  if (options.meshDevices <= 1)
    passes.addNestedPass<func::FuncOp>(createGrowListsPass());
  // The rewrites above look at a loop, which a step has no more.
  passes.addPass(search::createSplitSearchLoopPass());
  addTidy(passes);
  passes.addPass(createSymbolDCEPass());
  passes.addNestedPass<func::FuncOp>(createRecomputeCheapStacksPass());
}

static void buildPropagate(OpPassManager &passes, const PhaseOptions &options) {
  if (options.meshDevices <= 1) {
    passes.addPass(createIgnoreShardingsPass());
    return;
  }
  auto propagation = optionsOf<PropagateShardingsPassOptions>(options);
  propagation.strategy = zenith::options::wordOf(options.propagation).str();
  passes.addPass(createPropagateShardingsPass(propagation));
}

static void buildPartition(OpPassManager &passes, const PhaseOptions &options) {
  if (options.meshDevices <= 1)
    return;
  passes.addPass(createPartitionPass(optionsOf<PartitionPassOptions>(options)));
  passes.addPass(createUnrollDevicesPass());
  addTidy(passes);
}

static void addPolicy(OpPassManager &passes, const PhaseOptions &options) {
  if (options.mixedPrecision.empty())
    return;
  // Weights are scaled before they are rounded.
  passes.addNestedPass<func::FuncOp>(createFoldBatchNormPass());
  passes.addPass(createAssignPrecisionPass(
      {options.mixedPrecision, options.keptOps, options.precisionChoices,
       /*marks=*/false, options.explain}));
  addSimplification(passes, !options.mixedPrecision.empty());
  addTidy(passes);
}

static void buildPrecision(OpPassManager &passes, const PhaseOptions &options) {
  addPolicy(passes, options);
  addLegalization(passes, options);
}

static void buildOutline(OpPassManager &passes, const PhaseOptions &options) {
  passes.addNestedPass<func::FuncOp>(createHoistLoopInvariantsPass());
  passes.addPass(createOutlineRegionsPass());
}

static void addQuantization(OpPassManager &passes,
                            const PhaseOptions &options) {
  passes.addNestedPass<func::FuncOp>(createLowerQDQPass());
  // Elsewhere panels of codes serve one row as well.
  if (!options.coreCaches)
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
  // Winograd takes operands in f32, those too that are widened.
  if (!options.mixedPrecision.empty())
    passes.addNestedPass<func::FuncOp>(createLowerPrecisionPass(
        optionsOf<LowerPrecisionPassOptions>(options)));
  passes.addNestedPass<func::FuncOp>(createTransformWinogradFiltersPass());
}

static void addPacking(OpPassManager &passes, const PhaseOptions &options) {
  if (options.int8Dots)
    passes.addNestedPass<func::FuncOp>(createLowerInt8MatmulsPass());
  passes.addNestedPass<func::FuncOp>(
      createLowerInt16MatmulsPass({/*keepInt8=*/options.int8Dots}));
  if (options.int8Dots)
    passes.addNestedPass<func::FuncOp>(createNarrowDepthwiseFiltersPass());
  passes.addNestedPass<func::FuncOp>(createTabulateBytesPass());
  // Tables of constants alone are constants.
  passes.addNestedPass<func::FuncOp>(createFoldConstantsPass());
  passes.addNestedPass<func::FuncOp>(createReduceSingleColumnsPass());
  passes.addNestedPass<func::FuncOp>(createPackBlockCodesPass());
  passes.addNestedPass<func::FuncOp>(createPackBatchedMatmulsPass());
  passes.addNestedPass<func::FuncOp>(createPackMatmulsPass());
  passes.addNestedPass<func::FuncOp>(createPackFewOutputsPass());
  passes.addNestedPass<func::FuncOp>(createPackGroupsPass());
  passes.addNestedPass<func::FuncOp>(createPackFiltersPass());
  passes.addNestedPass<func::FuncOp>(createPackTablesPass());
}

static void buildLayout(OpPassManager &passes, const PhaseOptions &options) {
  addQuantization(passes, options);
  addLayouts(passes);
  passes.addNestedPass<func::FuncOp>(createFoldBatchNormPass());
  passes.addNestedPass<func::FuncOp>(
      createDecomposeCompositesPass({{"batch_norm"}}));
  // Small statistics are constants, and so is what folding left of them.
  addSimplification(passes, !options.mixedPrecision.empty());
  addTidy(passes);
  addWeightForms(passes, options);
  addPacking(passes, options);
  // Weights that several matmuls read are packed once.
  passes.addNestedPass<func::FuncOp>(createMergeEqualOpsPass());
  passes.addPass(createHoistPreparePass());
  // Canonicalisation from here on could undo the packing that kernels match, so
  // unused ops are removed by merging.
  passes.addNestedPass<func::FuncOp>(createMergeEqualOpsPass());
}

static void buildFuse(OpPassManager &passes, const PhaseOptions &options) {
  passes.addNestedPass<func::FuncOp>(createFetchScalarsPass());
  passes.addNestedPass<func::FuncOp>(createDecomposeAttentionPass(
      optionsOf<DecomposeAttentionPassOptions>(options)));
  // Forms of operands that fusion looks for.
  passes.addNestedPass<func::FuncOp>(createReadKVSegmentsPass());
  passes.addNestedPass<func::FuncOp>(createSinkScalesPass());
  passes.addNestedPass<func::FuncOp>(createKeepInt8OperandsPass());
  // After the rewrites above: each may leave dimensions of values that become
  // part of a kernel.
  passes.addNestedPass<func::FuncOp>(createResolveDimsPass());
  auto forming = optionsOf<FormFusionsPassOptions>(options);
  passes.addNestedPass<func::FuncOp>(createFormFusionsPass(forming));
  // Once more: a value that others are computed from again lives as long as
  // these did.
  for (int round = 0; round < 2; ++round) {
    passes.addNestedPass<func::FuncOp>(
        createKeepNarrowValuesPass({options.explain}));
    passes.addNestedPass<func::FuncOp>(
        createCheapRematerializationPass({options.explain}));
  }
  // Rematerialization may leave a returned value to another kernel.
  passes.addNestedPass<func::FuncOp>(createCopyReturnedValuesPass());
}

static void buildSchedule(OpPassManager &passes, const PhaseOptions &options) {
  passes.addPass(createScheduleKernelsPass(
      optionsOf<ScheduleKernelsPassOptions>(options)));
}

static void buildRemat(OpPassManager &passes, const PhaseOptions &options) {
  passes.addPass(createOrderStepsPass({options.explain}));
  RematerializePassOptions budget =
      optionsOf<RematerializePassOptions>(options);
  budget.mode = zenith::options::wordOf(rematModeOf(options)).str();
  passes.addPass(createRematerializePass(budget));
  if (options.offloadRate > 0)
    passes.addPass(
        createOffloadValuesPass(optionsOf<OffloadValuesPassOptions>(options)));
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
  for (LackingType type : options.withoutTypes)
    lackingWords.push_back(zenith::options::wordOf(type).str());
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
  autodiff::registerGradientRules(registry);
  batching::registerBatchRules(registry);
  decisions::registerSchedules(registry);
  fusion::registerFusionRules(registry);
  kernels::registerElementRules(registry);
  precision::registerPrecisionRules(registry);
  sharding::registerShardingRules(registry);
}

} // namespace zenith::pipeline
