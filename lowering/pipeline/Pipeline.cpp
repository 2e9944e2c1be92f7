// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop over the phases, and the check and the dump at each boundary.

#include "lowering/pipeline/Pipeline.h"

#include "ir/LLVMError.h"
#include "ir/target/CPUTarget.h"
#include "ir/target/TargetModel.h"
#include "lowering/builder/KernelPlan.h"
#include "lowering/host/HostDialect.h"
#include "lowering/pipeline/DeviceProgram.h"
#include "lowering/pipeline/OptionText.h"
#include "lowering/pipeline/Phases.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "runtime/Stopwatch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

namespace zenith::pipeline {

// The columns of CompileOptions.def.
using namespace options;

namespace {

/// Writes the target into the module, where passes of all phases find it. A
/// module that was read back keeps the model that its dump has for this target,
/// as far as the machine has the instructions that the model counts on.
class SetTargetPass
    : public PassWrapper<SetTargetPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SetTargetPass)
  SetTargetPass(std::string text, const target::TargetModel &model)
      : text(std::move(text)), model(model) {}
  void getDependentDialects(DialectRegistry &registry) const override {
    registerPhaseDialects(registry);
  }
  void runOnOperation() override {
    ModuleOp module = getOperation();
    markAllAnalysesPreserved();
    auto recorded =
        module->getAttrOfType<graph::TargetAttr>(target::targetAttrName);
    if (!recorded || recorded.getText() != text) {
      module->setAttr(target::targetAttrName,
                      graph::TargetAttr::get(&getContext(), text, model));
      return;
    }
    StringRef missing = target::missingFrom(model, recorded.getModel());
    if (missing.empty())
      return;
    module.emitError() << target::targetAttrName << " counts on '" << missing
                       << "', which target '" << text << "' lacks";
    signalPassFailure();
  }

private:
  std::string text;
  target::TargetModel model;
};

/// Checks the contract of a phase: names the op that leaked and the phase that
/// owed its removal.
class VerifyPhasePass
    : public PassWrapper<VerifyPhasePass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyPhasePass)
  explicit VerifyPhasePass(const Phase &phase) : phase(phase) {}
  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      if (phase.allows(op))
        return WalkResult::advance();
      const Phase *owing = owedBy(op);
      op->emitOpError("is left after phase '")
          << phase.name << "'; phase '" << (owing ? owing->name : phase.name)
          << "' owed its removal";
      signalPassFailure();
      return WalkResult::interrupt();
    });
    markAllAnalysesPreserved();
  }

private:
  const Phase &phase;
};

/// Writes the IR to a file that parses again.
class DumpPhasePass
    : public PassWrapper<DumpPhasePass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DumpPhasePass)
  explicit DumpPhasePass(std::string path) : path(std::move(path)) {}
  void runOnOperation() override {
    std::error_code error =
        llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path));
    if (!error) {
      llvm::ToolOutputFile file(path, error, llvm::sys::fs::OF_None);
      if (!error) {
        getOperation()->print(file.os(),
                              OpPrintingFlags().enableDebugInfo(true, false));
        file.keep();
      }
    }
    if (error) {
      getOperation()->emitError("cannot write ")
          << path << ": " << error.message();
      signalPassFailure();
    }
    markAllAnalysesPreserved();
  }

private:
  std::string path;
};

/// Stands for a pipeline that could not be built.
class ReportErrorPass
    : public PassWrapper<ReportErrorPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReportErrorPass)
  explicit ReportErrorPass(std::string reason) : reason(std::move(reason)) {}
  void runOnOperation() override {
    getOperation()->emitError(reason);
    signalPassFailure();
  }

private:
  std::string reason;
};

} // namespace

static llvm::Expected<int> findPhase(StringRef name, int otherwise) {
  if (name.empty())
    return otherwise;
  int index = phaseIndex(name);
  if (index >= 0)
    return index;
  std::string known;
  for (const Phase &phase : phases())
    known += (known.empty() ? "" : ", ") + phase.name.str();
  return makeError(ErrorCode::Usage,
                   ("unknown phase '" + name + "'; there are " + known).str());
}

/// The machine that "cpu", "cpu:NAME", "opencl" or "opencl:N" stands for.
static llvm::Expected<target::TargetModel> modelFor(StringRef text) {
  if (target::OpenCLTarget::isTargetName(text)) {
    llvm::Expected<target::OpenCLTarget> device = deviceTarget(text);
    if (!device)
      return device.takeError();
    return device->model();
  }
  llvm::Expected<target::CPUTarget> processor = target::CPUTarget::parse(text);
  if (!processor)
    return processor.takeError();
  return processor->model();
}

static PhaseOptions phaseOptionsFor(const CompileOptions &options,
                                    const target::TargetModel &model) {
  PhaseOptions forPhases(options);
  forPhases.bf16Pairs = model.bf16Pairs;
  forPhases.int8Dots = model.kInterleave == 4;
  return forPhases;
}

llvm::Expected<PhaseOptions> phaseOptions(const CompileOptions &options) {
  llvm::Expected<target::TargetModel> model = modelFor(options.target);
  if (!model)
    return makeError(ErrorCode::Usage, llvm::toString(model.takeError()));
  return phaseOptionsFor(options, *model);
}

llvm::Error buildPipeline(OpPassManager &passes,
                          const CompileOptions &options) {
  llvm::Expected<int> from = findPhase(options.fromPhase, 0),
                      to = findPhase(options.toPhase, phases().size() - 1);
  if (!from || !to)
    return from ? to.takeError()
                : (llvm::consumeError(to.takeError()), from.takeError());
  llvm::Expected<target::TargetModel> model = modelFor(options.target);
  if (!model)
    return makeError(ErrorCode::Usage, llvm::toString(model.takeError()));
  const PhaseOptions forPhases = phaseOptionsFor(options, *model);
  passes.addPass(std::make_unique<SetTargetPass>(options.target, *model));
  for (int index = *from; index <= *to; ++index) {
    const Phase &phase = phases()[index];
    phase.build(passes, forPhases);
    passes.addPass(std::make_unique<VerifyPhasePass>(phase));
    if (options.dumpDir.empty())
      continue;
    SmallString<128> path(options.dumpDir);
    llvm::sys::path::append(
        path, llvm::formatv("{0,0+2}-{1}.mlir", index, phase.name).str());
    passes.addPass(std::make_unique<DumpPhasePass>(path.str().str()));
  }
  return llvm::Error::success();
}

/// Failures up to the layout phase are the compiler's; from fusion on they say
/// that something has no lowering.
static ErrorCode codeOfFailure(StringRef phase) {
  return phaseIndex(phase) >= phaseIndex("fuse") &&
                 phaseIndex(phase) <= phaseIndex("kernels")
             ? ErrorCode::Unsupported
             : ErrorCode::Internal;
}

llvm::Error runPhases(ModuleOp module, const CompileOptions &options) {
  llvm::Expected<int> from = findPhase(options.fromPhase, 0),
                      to = findPhase(options.toPhase, phases().size() - 1);
  if (!from || !to)
    return from ? to.takeError()
                : (llvm::consumeError(to.takeError()), from.takeError());
  if (failed(verify(module)))
    return makeError(ErrorCode::Invalid, "the module is invalid");
  // One manager per phase: a failure is then a phase's.
  for (int index = *from; index <= *to; ++index) {
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
      return makeError(codeOfFailure(one.toPhase),
                       "phase '" + one.toPhase + "' failed");
    if (options.timed)
      options.timed(one.toPhase, watch.ms());
  }
  return llvm::Error::success();
}

namespace {
/// Stands for the option of a pipeline that zenith-opt does not take.
struct NoPipelineOption {
  template <typename... Arguments> explicit NoPipelineOption(Arguments &&...) {}
  std::string getValue() const { return ""; }
};

/// The rows of CompileOptions.def as texts.
struct PhasePipelineOptions : PassPipelineOptions<PhasePipelineOptions> {
  template <bool taken>
  using TextOption =
      std::conditional_t<taken, Option<std::string>, NoPipelineOption>;
#define ZENITH_COMPILE_OPTION(field, type, initial, spelling, unit, tools,     \
                              cache, help)                                     \
  TextOption<(tools).takes(Opt)> field{                                        \
      *this, OptionRow{spelling, unit, tools, CacheUse::cache, help}.name(),   \
      llvm::cl::desc(help),                                                    \
      llvm::cl::init(options::optionText(type(initial)))};
#include "lowering/pipeline/CompileOptions.def"

  /// The values, or what is wrong with a text.
  llvm::Expected<CompileOptions> read() const {
    CompileOptions chosen;
#define ZENITH_COMPILE_OPTION(field, type, initial, spelling, unit, tools,     \
                              cache, help)                                     \
  if (std::string text = field.getValue();                                     \
      (tools).takes(Opt) && text != options::optionText(chosen.field) &&       \
      !options::parseOption(text, unit, chosen.field))                         \
    return makeError(ErrorCode::Usage,                                         \
                     spelling " does not take '" + text + "'");
#include "lowering/pipeline/CompileOptions.def"
    return chosen;
  }
};
} // namespace

void registerPhasePipeline() {
  static PassPipelineRegistration<PhasePipelineOptions> registration(
      "zenith-phases", "The phases from..to, with the contract of each checked",
      [](OpPassManager &passes, const PhasePipelineOptions &given) {
        llvm::Expected<CompileOptions> options = given.read();
        llvm::Error error =
            options ? buildPipeline(passes, *options) : options.takeError();
        // The registry has no way to fail: a pass that reports the reason
        // stands for the pipeline.
        if (error)
          passes.addPass(std::make_unique<ReportErrorPass>(
              llvm::toString(std::move(error))));
      });
}

} // namespace zenith::pipeline
