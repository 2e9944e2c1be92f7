// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of each phase, and the table made of Phases.def.

#include "ir/GraphOps.h"
#include "lowering/LoweringPasses.h"
#include "lowering/cpu/ConvertKernelsToLLVM.h"
#include "lowering/elements/ElementRule.h"
#include "lowering/host/HostDialect.h"
#include "lowering/pipeline/PhaseContracts.h"
#include "lowering/pipeline/Phases.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/GraphPasses.h"
#include "passes/fusion/FusionRule.h"

using namespace mlir;

namespace zenith::pipeline {

static void buildNothing(OpPassManager &, const PhaseOptions &) {}

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
  // What it leaves of steps, simplification of control takes apart.
  passes.addNestedPass<func::FuncOp>(
      createScoreFirstPass({options.explain, options.withoutSearchForms}));
  passes.addNestedPass<func::FuncOp>(createSimplifyControlPass());
  passes.addNestedPass<func::FuncOp>(createRaiseRegionsPass());
  passes.addNestedPass<func::FuncOp>(createDecomposeRandomPass());
  // Carried values that became captures may be constants, and so may bits.
  addTidy(passes);
  addSimplification(passes);
  // Raising looks for the plainest spelling, so it runs on simplified graphs.
  passes.addNestedPass<func::FuncOp>(
      createRaiseCompositesPass({options.explain}));
  passes.addNestedPass<func::FuncOp>(createSplitComplexPass());
  addTidy(passes);
  ChooseStateKeysPassOptions keys;
  keys.explain = options.explain;
  keys.denseBytes = options.denseIndexBytes;
  keys.memoryBytes = options.memoryBytes;
  keys.without = options.withoutSearchForms;
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
  // Small statistics are constants: what folding left of them is one too.
  passes.addNestedPass<func::FuncOp>(createFoldConstantsPass());
  passes.addNestedPass<func::FuncOp>(createSimplifyAlgebraPass());
  addTidy(passes);
  auto transformFilters = [&] {
    if (options.winograd)
      passes.addNestedPass<func::FuncOp>(createTransformWinogradFiltersPass(
          {options.panelWidth, options.lanes}));
  };
  // Fewer f32 multiplications are faster than as many as ever of numbers to be
  // widened, but not known to be faster than products of pairs.
  if (!options.narrowProducts)
    transformFilters();
  if (!options.mixedPrecision.empty()) {
    LowerPrecisionPassOptions lowering;
    lowering.type = options.mixedPrecision;
    lowering.activations = options.narrowProducts;
    lowering.explain = options.explain;
    passes.addNestedPass<func::FuncOp>(createLowerPrecisionPass(lowering));
  }
  if (options.narrowProducts)
    transformFilters();
  PackParametersPassOptions packing;
  packing.panel = options.panelWidth;
  packing.group = options.integerGroup;
  passes.addNestedPass<func::FuncOp>(createPackParametersPass(packing));
  // Weights that several products read are packed once.
  passes.addPass(createCSEPass());
  passes.addPass(createHoistPreparePass());
  // Canonicalisation from here on could undo the packing that kernels look for;
  // unused ops go by CSE.
  passes.addPass(createCSEPass());
}

static void buildFuse(OpPassManager &passes, const PhaseOptions &options) {
  passes.addNestedPass<func::FuncOp>(createFetchScalarsPass());
  DecomposeAttentionPassOptions decomposing;
  decomposing.all = !options.attention;
  decomposing.explain = options.explain;
  passes.addNestedPass<func::FuncOp>(createDecomposeAttentionPass(decomposing));
  // Forms of operands that fusion looks for.
  passes.addNestedPass<func::FuncOp>(createReadKVSegmentsPass());
  passes.addNestedPass<func::FuncOp>(createSinkScalesPass());
  passes.addNestedPass<func::FuncOp>(createKeepInt8OperandsPass());
  // After the rewrites above: each may leave dimensions of values that become
  // part of a kernel.
  passes.addNestedPass<func::FuncOp>(createResolveDimsPass());
  FormFusionsPassOptions forming;
  forming.explain = options.explain;
  passes.addNestedPass<func::FuncOp>(createFormFusionsPass(forming));
  passes.addNestedPass<func::FuncOp>(
      createCheapRematerializationPass({options.explain}));
  // Rematerialization may leave a returned value to another kernel.
  passes.addNestedPass<func::FuncOp>(createCopyReturnedValuesPass());
}

static void buildPlan(OpPassManager &passes, const PhaseOptions &) {
  passes.addPass(createPlanPlacesPass());
}

static void buildKernels(OpPassManager &passes, const PhaseOptions &options) {
  BuildHostProgramPassOptions building;
  building.explain = options.explain;
  passes.addPass(createBuildHostProgramPass(building));
}

static void buildCPU(OpPassManager &passes, const PhaseOptions &) {
  passes.addPass(createConvertKernelsToLLVMPass());
}

llvm::ArrayRef<Phase> phases() {
  static const Phase table[] = {
#define ZENITH_PHASE(name, sentence, builder, contract)                        \
  {#name, sentence, builder, contract},
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
  fusion::registerFusionRules(registry);
  kernels::registerElementRules(registry);
}

} // namespace zenith::pipeline
