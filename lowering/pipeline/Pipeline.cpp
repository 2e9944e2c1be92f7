// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop over the phases, and the same as a pass of zenith-opt, which looks
// at the module to know where to begin.

#include "lowering/pipeline/Pipeline.h"

#include "ir/GraphDialect.h"
#include "ir/LLVMError.h"
#include "ir/LocationText.h"
#include "ir/program/ProgramChecks.h"
#include "ir/target/TargetModel.h"
#include "lowering/LoweringPasses.h"
#include "lowering/memory/CheckBuffers.h"
#include "lowering/pipeline/OptionText.h"
#include "lowering/pipeline/PhaseBoundary.h"
#include "lowering/pipeline/Phases.h"
#include "lowering/pipeline/TargetChoice.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "passes/GraphPasses.h"
#include "passes/autodiff/DerivationPasses.h"
#include "passes/precision/KeptOps.h"
#include "passes/precision/PrecisionChoices.h"
#include "passes/precision/PrecisionPasses.h"
#include "passes/precision/PrecisionPolicy.h"
#include "passes/search/states/SplitSearchLoop.h"
#include "passes/sharding/ShardingPasses.h"
#include "passes/sharding/partition/PartitionPasses.h"
#include "runtime/Stopwatch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <mutex>

using namespace mlir;

namespace zenith::pipeline {

// The columns of CompileOptions.def.
using namespace options;

static PhaseOptions phaseOptionsFor(const CompileOptions &options,
                                    const target::TargetModel &model) {
  PhaseOptions forPhases(options);
  forPhases.bf16Pairs = model.bf16Pairs;
  forPhases.int8Dots = model.kInterleave == 4;
  forPhases.coreCaches = model.coreCaches;
  return forPhases;
}

llvm::Expected<PhaseOptions> phaseOptions(const CompileOptions &options) {
  llvm::Expected<TargetChoice> target = chooseTarget(options);
  if (!target)
    return target.takeError();
  return phaseOptionsFor(options, target->model);
}

/// The last phase to run, of those that begin with `from`.
static llvm::Expected<int> lastPhase(const CompileOptions &options, int from) {
  llvm::Expected<int> last = findPhase(options.toPhase, phases().size() - 1);
  // A module may have left the last phase to run; an option may not.
  if (!last || from <= *last || options.fromPhase.empty())
    return last;
  return makeError(ErrorCode::Usage,
                   "--from=" + phases()[from].name +
                       " comes after --to=" + phases()[*last].name);
}

static void addPhase(OpPassManager &passes, int index,
                     const PhaseOptions &options) {
  const Phase &phase = phases()[index];
  phase.build(passes, options);
  passes.addPass(createFinishPhasePass(phase));
  if (phase.name == "schedule" && !options.dumpSchedules.empty())
    passes.addPass(createDumpSchedulesPass(options.dumpSchedules));
  if (options.dumpDir.empty())
    return;
  SmallString<128> path(options.dumpDir);
  llvm::sys::path::append(
      path, llvm::formatv("{0,0+2}-{1}.mlir", index, phase.name).str());
  passes.addPass(createDumpPhasePass(path.str().str(), options.folder));
}

llvm::Error buildPipeline(OpPassManager &passes,
                          const CompileOptions &options) {
  llvm::Expected<int> from = findPhase(options.fromPhase, 0);
  if (!from)
    return from.takeError();
  llvm::Expected<int> to = lastPhase(options, *from);
  if (!to)
    return to.takeError();
  llvm::Expected<TargetChoice> target = chooseTarget(options);
  if (!target)
    return target.takeError();
  const PhaseOptions forPhases = phaseOptionsFor(options, target->model);
  passes.addPass(createSettleTargetPass(target->text, target->model));
  for (int index = *from; index <= *to; ++index)
    addPhase(passes, index, forPhases);
  return llvm::Error::success();
}

/// Failures up to the layout phase are the compiler's, but for control flow
/// that cannot be outlined; from fusion on they say that something has no
/// lowering. Types that the target is said to lack are refused where they are
/// legalized.
static ErrorCode codeOfFailure(StringRef phase, const CompileOptions &options) {
  bool legalizes = phase == "precision" && !options.withoutTypes.empty();
  bool lowers = phaseIndex(phase) >= phaseIndex("fuse") &&
                phaseIndex(phase) <= phaseIndex("kernels");
  return lowers || legalizes || phase == "outline" ? ErrorCode::Unsupported
                                                   : ErrorCode::Internal;
}

/// Checks the contract of the phase before `from`; what enters the first phase
/// is what may leave it.
static llvm::Error checkContract(ModuleOp module, int from) {
  const Phase &phase = phases()[std::max(from - 1, 0)];
  llvm::Error found = llvm::Error::success();
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (phase.allows(op))
      return WalkResult::advance();
    found =
        llvm::joinErrors(std::move(found),
                         makeError(ErrorCode::Invalid,
                                   "'" + op->getName().getStringRef() +
                                       "' op: " + "after phase '" + phase.name +
                                       "' a module has " + phase.exit,
                                   graph::placeOf(op->getLoc())));
    return WalkResult::interrupt();
  });
  return found;
}

/// A program's own @prepare, which the layout phase would make a second time. A
/// private function is inlined before.
static llvm::Error checkReservedName(ModuleOp module, int from) {
  Operation *own =
      SymbolTable::lookupSymbolIn(module, graph::prepareFunctionName);
  auto symbol = dyn_cast_or_null<SymbolOpInterface>(own);
  if (!symbol || (isa<func::FuncOp>(own) && symbol.isPrivate()) ||
      from > phaseIndex("layout"))
    return llvm::Error::success();
  return makeError(ErrorCode::Unsupported,
                   "@" + graph::prepareFunctionName +
                       ": a program has no function or parameter of this name, "
                       "which the function that prepares parameters gets",
                   graph::placeOf(own->getLoc()));
}

/// The buffers of a planned module: whoever reads a dump of it may have edited
/// them.
static llvm::Error checkPlan(ModuleOp module, int from) {
  if (from != phaseIndex("kernels"))
    return llvm::Error::success();
  if (std::optional<Error> error = memory::checkBuffers(module))
    return makeError(std::move(*error));
  return llvm::Error::success();
}

/// What must hold before the phase `from`.
static llvm::Error checkInput(ModuleOp module, int from,
                              const CompileOptions &options) {
  if (failed(verify(module)))
    return makeError(ErrorCode::Invalid, "the module is invalid");
  if (!options.dumpDir.empty())
    if (std::error_code error =
            llvm::sys::fs::create_directories(options.dumpDir))
      return makeError(ErrorCode::Invalid,
                       "cannot create the folder: " + error.message(),
                       options.dumpDir);
  if (llvm::Error error = checkContract(module, from))
    return error;
  if (auto error = graph::checkCalls(module))
    return makeError(std::move(*error));
  if (llvm::Error error = checkReservedName(module, from))
    return error;
  llvm::Expected<TargetChoice> target = chooseTarget(options);
  if (!target)
    return target.takeError();
  if (llvm::Error error = settleTarget(module, target->text, target->model))
    return error;
  return checkPlan(module, from);
}

/// The policy of the options, else of the module; checks it.
static llvm::Error settlePrecision(ModuleOp module, CompileOptions &options) {
  auto own = module->getAttrOfType<StringAttr>(graph::precisionAttrName);
  if (own && options.mixedPrecision.empty())
    options.mixedPrecision = own.str();
  if (options.mixedPrecision.empty())
    return llvm::Error::success();
  auto policy =
      precision::parsePolicy(options.mixedPrecision, module.getContext());
  return policy ? llvm::Error::success() : makeError(policy.error());
}

/// What the precision phase would refuse without a code, or overlook.
static llvm::Error checkNames(ModuleOp module, const CompileOptions &options) {
  if (auto error = precision::checkKeepPatterns(module, options.keptOps))
    return makeError(std::move(*error));
  if (options.precisionChoices.empty())
    return llvm::Error::success();
  auto policy =
      precision::parsePolicy(options.mixedPrecision, module.getContext());
  auto choices = precision::parseChoices(options.precisionChoices);
  if (!policy || !choices)
    return makeError(policy ? choices.error() : policy.error());
  if (auto error = precision::checkChoices(module, *policy, *choices))
    return makeError(std::move(*error));
  return llvm::Error::success();
}

/// What the target says that it lacks is legalized or refused like what
/// --without-types names. Types that a device lacks arithmetic of, but not
/// storage, its printer computes in f32 with the same bits.
static void settleLackingTypes(ModuleOp module, CompileOptions &options) {
  if (!target::modelOf(module).fp64 &&
      !llvm::is_contained(options.withoutTypes, LackingType::F64))
    options.withoutTypes.push_back(LackingType::F64);
}

llvm::Error runPhases(ModuleOp module, const CompileOptions &given) {
  CompileOptions options = given;
  if (llvm::Error error = settlePrecision(module, options))
    return error;
  llvm::Expected<int> from = firstPhase(module, options.fromPhase);
  if (!from)
    return from.takeError();
  llvm::Expected<int> to = lastPhase(options, *from);
  if (!to)
    return to.takeError();
  if (llvm::Error error = checkInput(module, *from, options))
    return error;
  settleLackingTypes(module, options);
  // One manager per phase: a failure is then a phase's.
  for (int index = *from; index <= *to; ++index) {
    if (options.interrupted)
      if (std::optional<Error> why = options.interrupted())
        return makeError(std::move(*why));
    if (phases()[index].name == "precision")
      if (llvm::Error error = checkNames(module, options))
        return error;
    CompileOptions one = options;
    one.fromPhase = one.toPhase = phases()[index].name.str();
    PassManager passes(module.getContext(), ModuleOp::getOperationName(),
                       PassManager::Nesting::Explicit);
#ifdef NDEBUG
    passes.enableVerifier(false);
#endif
    if (llvm::Error error = buildPipeline(passes, one))
      return error;
    runtime::Stopwatch watch;
    if (failed(passes.run(module)))
      return makeError(codeOfFailure(one.toPhase, options),
                       "phase '" + one.toPhase + "' failed");
    if (options.timed)
      options.timed(one.toPhase, watch.ms());
  }
  return llvm::Error::success();
}

namespace {
/// Stands for the option of the pass that zenith-opt does not take.
struct NoPassOption {
  template <typename... Arguments> explicit NoPassOption(Arguments &&...) {}
  std::string getValue() const { return ""; }
};

class PhasesPass : public PassWrapper<PhasesPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PhasesPass)
  PhasesPass() = default;
  PhasesPass(const PhasesPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "zenith-phases"; }
  StringRef getDescription() const override {
    return "The phases from..to, with the contract of each checked";
  }
  void getDependentDialects(DialectRegistry &registry) const override;
  void runOnOperation() override;

private:
  llvm::Expected<CompileOptions> read() const;
  llvm::Error runOn(ModuleOp module);

  template <bool taken>
  using TextOption =
      std::conditional_t<taken, Option<std::string>, NoPassOption>;
#define ZENITH_COMPILE_OPTION(field, type, initial, spelling, unit, tools,     \
                              cache, help)                                     \
  TextOption<(tools).takes(Opt)> field{                                        \
      *this, OptionRow{spelling, unit, tools, CacheUse::cache, help}.name(),   \
      llvm::cl::desc(help),                                                    \
      llvm::cl::init(options::optionText(type(initial)))};
#include "lowering/pipeline/CompileOptions.def"

public:
  Option<std::string> folder{
      *this, "folder",
      llvm::cl::desc("folder that relative paths of parameters start at")};
};
} // namespace

void PhasesPass::getDependentDialects(DialectRegistry &registry) const {
  OpPassManager passes(ModuleOp::getOperationName());
  llvm::cantFail(buildPipeline(passes, CompileOptions()));
  passes.getDependentDialects(registry);
}

/// The values, or what is wrong with a text.
llvm::Expected<CompileOptions> PhasesPass::read() const {
  CompileOptions chosen;
#define ZENITH_COMPILE_OPTION(field, type, initial, spelling, unit, tools,     \
                              cache, help)                                     \
  if (std::string text = field.getValue();                                     \
      (tools).takes(Opt) && text != options::optionText(chosen.field) &&       \
      !options::parseOption(text, unit, chosen.field))                         \
    return makeError(ErrorCode::Usage,                                         \
                     spelling " does not take '" + text + "'");
#include "lowering/pipeline/CompileOptions.def"
  chosen.folder = folder;
  return chosen;
}

llvm::Error PhasesPass::runOn(ModuleOp module) {
  llvm::Expected<CompileOptions> options = read();
  if (!options)
    return options.takeError();
  llvm::Expected<int> from = firstPhase(module, options->fromPhase);
  if (!from)
    return from.takeError();
  llvm::Expected<int> to = findPhase(options->toPhase, phases().size() - 1);
  if (!to)
    return to.takeError();
  if (auto error = graph::checkSignatures(module))
    return makeError(std::move(*error));
  // The module is as far as it was to come, or further.
  if (options->fromPhase.empty() && *from > *to)
    return llvm::Error::success();
  options->fromPhase = phases()[*from].name.str();
  if (llvm::Error error = settlePrecision(module, *options))
    return error;
  if (llvm::Error error = checkPlan(module, *from))
    return error;
  OpPassManager passes(ModuleOp::getOperationName());
  if (llvm::Error error = buildPipeline(passes, *options))
    return error;
  // Passes that fail have said why.
  if (failed(runPipeline(passes, module)))
    signalPassFailure();
  return llvm::Error::success();
}

void PhasesPass::runOnOperation() {
  llvm::Error error = runOn(getOperation());
  if (!error)
    return;
  getOperation().emitError() << llvm::toString(std::move(error));
  signalPassFailure();
}

void setPhasesFolder(OpPassManager &passes, StringRef folder) {
  for (Pass &pass : passes)
    if (pass.getTypeID() == TypeID::get<PhasesPass>())
      static_cast<PhasesPass &>(pass).folder = folder.str();
}

void registerAllPasses() {
  static std::once_flag once;
  std::call_once(once, [] {
    mlir::registerTransformsPasses();
    registerZenithPasses();
    registerZenithDerivationPasses();
    registerZenithPrecisionPasses();
    registerZenithShardingPasses();
    registerZenithPartitionPasses();
    registerZenithLoweringPasses();
    mlir::registerPass(search::createSplitSearchLoopPass);
    PassRegistration<PhasesPass>();
  });
}

} // namespace zenith::pipeline
