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
#include "lowering/pipeline/Phases.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"
#include <chrono>

using namespace mlir;

namespace zenith::pipeline {

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

/// What kernels for `text` ("cpu", "cpu:NAME", "opencl", "opencl:N") are shaped
/// for.
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

llvm::Error buildPipeline(OpPassManager &passes,
                          const PipelineOptions &options) {
  llvm::Expected<int> from = findPhase(options.fromPhase, 0),
                      to = findPhase(options.toPhase, phases().size() - 1);
  if (!from || !to)
    return from ? to.takeError()
                : (llvm::consumeError(to.takeError()), from.takeError());
  llvm::Expected<target::TargetModel> target = modelFor(options.target);
  if (!target)
    return makeError(ErrorCode::Usage, llvm::toString(target.takeError()));
  PhaseOptions forPhases;
  forPhases.explain = options.explain;
  forPhases.denseIndexBytes = options.denseIndexBytes;
  forPhases.memoryBytes = options.memoryBytes;
  forPhases.withoutSearchForms = options.withoutSearchForms;
  if (!llvm::is_contained({"", "bf16", "fp16"}, options.mixedPrecision))
    return makeError(ErrorCode::Usage, "unknown precision '" +
                                           options.mixedPrecision +
                                           "'; there are bf16 and fp16");
  forPhases.mixedPrecision =
      options.mixedPrecision == "fp16" ? "f16" : options.mixedPrecision;
  forPhases.bf16Pairs = target->bf16Pairs;
  forPhases.int8Dots = target->kInterleave == 4;
  passes.addPass(std::make_unique<SetTargetPass>(options.target, *target));
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

llvm::Error runPhases(ModuleOp module, const PipelineOptions &options) {
  llvm::Expected<int> from = findPhase(options.fromPhase, 0),
                      to = findPhase(options.toPhase, phases().size() - 1);
  if (!from || !to)
    return from ? to.takeError()
                : (llvm::consumeError(to.takeError()), from.takeError());
  if (failed(verify(module)))
    return makeError(ErrorCode::Invalid, "the module is invalid");
  // One manager per phase: a failure is then a phase's.
  for (int index = *from; index <= *to; ++index) {
    PipelineOptions one = options;
    one.fromPhase = one.toPhase = phases()[index].name.str();
    PassManager passes(module.getContext(), ModuleOp::getOperationName(),
                       PassManager::Nesting::Explicit);
#ifdef NDEBUG
    passes.enableVerifier(false);
#endif
    if (llvm::Error error = buildPipeline(passes, one))
      return error;
    auto start = std::chrono::steady_clock::now();
    if (failed(passes.run(module)))
      return makeError(codeOfFailure(one.toPhase),
                       "phase '" + one.toPhase + "' failed");
    if (options.timed)
      options.timed(one.toPhase, std::chrono::duration<double, std::milli>(
                                     std::chrono::steady_clock::now() - start)
                                     .count());
  }
  return llvm::Error::success();
}

namespace {
struct PhasePipelineOptions : PassPipelineOptions<PhasePipelineOptions> {
  Option<std::string> target{*this, "target",
                             llvm::cl::desc("cpu, cpu:NAME, opencl"),
                             llvm::cl::init("cpu")};
  Option<std::string> from{*this, "from", llvm::cl::desc("first phase to run")};
  Option<std::string> to{*this, "to", llvm::cl::desc("last phase to run")};
  Option<std::string> dumpPhases{
      *this, "dump-phases",
      llvm::cl::desc("folder for the IR after each phase")};
  Option<bool> explain{*this, "explain", llvm::cl::desc("emit remarks"),
                       llvm::cl::init(false)};
  Option<int64_t> denseIndexBytes{
      *this, "dense-index-bytes",
      llvm::cl::desc("memory for sets of bits of a search"), llvm::cl::init(0)};
  Option<std::string> mixedPrecision{
      *this, "mixed-precision",
      llvm::cl::desc("bf16, fp16: narrow type of weights")};
};
} // namespace

void registerPhasePipeline() {
  static PassPipelineRegistration<PhasePipelineOptions> registration(
      "zenith-phases", "The phases from..to, with the contract of each checked",
      [](OpPassManager &passes, const PhasePipelineOptions &options) {
        PipelineOptions chosen;
        chosen.target = options.target;
        chosen.fromPhase = options.from;
        chosen.toPhase = options.to;
        chosen.dumpDir = options.dumpPhases;
        chosen.explain = options.explain;
        chosen.mixedPrecision = options.mixedPrecision;
        chosen.denseIndexBytes = options.denseIndexBytes;
        // The registry has no way to fail: a pass that reports the reason
        // stands for the pipeline.
        if (llvm::Error error = buildPipeline(passes, chosen))
          passes.addPass(std::make_unique<ReportErrorPass>(
              llvm::toString(std::move(error))));
      });
}

} // namespace zenith::pipeline
