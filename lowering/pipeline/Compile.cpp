// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Phases, objects, link.

#include "lowering/pipeline/Compile.h"

#include "ir/GraphOps.h"
#include "ir/program/EraseNests.h"
#include "ir/program/ParameterFiles.h"
#include "ir/target/OpenCLTarget.h"
#include "lowering/host/HostDialect.h"
#include "lowering/memory/FunctionPlans.h"
#include "lowering/pipeline/CachedCompile.h"
#include "lowering/pipeline/OptionText.h"
#include "lowering/pipeline/Phases.h"
#include "lowering/pipeline/Pipeline.h"
#include "lowering/pipeline/TargetChoice.h"
#include "lowering/program/LowerHostProgram.h"
#include "mlir/IR/AsmState.h"
#include "runtime/Stopwatch.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

namespace zenith::pipeline {

using runtime::Stopwatch;

void budgetSearches(CompileOptions &options, std::optional<int64_t> maxMemory,
                    bool spills) {
  // Bit sets pay off while a layer passes through them quickly. Of a cap, an
  // eighth is left to files.
  constexpr int64_t mostIndexBytes = int64_t(1) << 30;
  options.denseBytes =
      maxMemory ? std::min(mostIndexBytes, *maxMemory / 8 * 7) : mostIndexBytes;
  // Without files the lists that a step starts from and ends with count, too.
  options.memoryBytes = maxMemory.value_or(0) / (spills ? 1 : 2);
}

/// The phases that `options` name, as zenith-opt reads them.
static std::string pipelineText(const CompileOptions &options) {
  using namespace zenith::options;
  std::string text = "builtin.module(zenith-phases{";
  auto add = [&](const OptionRow &row, const std::string &value,
                 const std::string &initial) {
    if (row.tools.takes(Opt) && value != initial)
      text += row.name().str() + "=" + value + " ";
  };
#define ZENITH_COMPILE_OPTION(field, type, initial, spelling, unit, tools,     \
                              cache, help)                                     \
  add({spelling, unit, tools, CacheUse::cache, help},                          \
      optionText(options.field), optionText(type(initial)));
#include "lowering/pipeline/CompileOptions.def"
  return text + "})";
}

/// Saves a module with the phases that it was to go through; returns the path,
/// or an empty string.
static std::string writeReproducer(ModuleOp module,
                                   const CompileOptions &options) {
  SmallString<128> path;
  int descriptor = -1;
  if (llvm::sys::fs::createTemporaryFile("zenith-reproducer", "mlir",
                                         descriptor, path))
    return "";
  llvm::raw_fd_ostream file(descriptor, /*shouldClose=*/true);
  graph::relocateFiles(module, options.folder,
                       llvm::sys::path::parent_path(path));
  OpPrintingFlags flags;
  AsmState state(module, flags.assumeVerified().enableDebugInfo(true, false));
  state.attachResourcePrinter(
      "mlir_reproducer", [&](Operation *, AsmResourceBuilder &builder) {
        builder.buildString("pipeline", pipelineText(options));
        builder.buildBool("disable_threading", true);
        builder.buildBool("verify_each", true);
      });
  module->print(file, state);
  file << "\n";
  return path.str().str();
}

namespace {
/// The phases of one module, and what an error says of them.
class PhaseRun {
public:
  /// Keeps a copy of `module` for a reproducer.
  PhaseRun(ModuleOp module, const CompileOptions &options)
      : module(module), original(module.clone()), options(options),
        diagnostics(module.getContext(), options.remark) {}
  ~PhaseRun() { graph::eraseInside(*original); }

  /// Runs the phases up to options.toPhase.
  llvm::Error run() {
    llvm::Error error = runPhases(module, options);
    return error ? explain(std::move(error)) : std::move(error);
  }

  /// The error of a failed step with the text of the diagnostics, which says
  /// more than the name of the phase.
  llvm::Error explain(llvm::Error error) {
    if (options.interrupted)
      if (std::optional<Error> stopped = options.interrupted()) {
        llvm::consumeError(std::move(error));
        return makeError(std::move(*stopped));
      }
    Error why = errorOf(std::move(error));
    bool isInternal = why.code == ErrorCode::Internal;
    if (diagnostics.hasErrors()) {
      why.text = isInternal ? why.text + ": " + diagnostics.errorText()
                            : diagnostics.errorText();
      why.location = diagnostics.firstLocation();
    }
    if (isInternal)
      if (std::string path = writeReproducer(*original, options); !path.empty())
        why.text += "\nnote: the module is in " + path +
                    "; zenith-opt --run-reproducer repeats its phases, and "
                    "the same command on this file the error";
    return makeError(std::move(why));
  }

private:
  ModuleOp module;
  OwningOpRef<ModuleOp> original;
  const CompileOptions &options;
  DiagnosticCollector diagnostics;
};
} // namespace

/// The same options up to another phase.
static CompileOptions upTo(StringRef phase, const CompileOptions &options) {
  CompileOptions chosen = options;
  chosen.toPhase = phase.str();
  return chosen;
}

llvm::Error lowerTo(StringRef phase, ModuleOp module,
                    const CompileOptions &options) {
  CompileOptions part = upTo(phase, options);
  return PhaseRun(module, part).run();
}

/// Machine code of a module that is through the kernels phase.
static llvm::Expected<std::vector<cpu::EmittedFile>>
emitObjects(ModuleOp module, const TargetChoice &target, cpu::EmitKind kind,
            const CompileOptions &options) {
  cpu::KernelCompileOptions compileOptions;
  compileOptions.threads = options.compileThreads;
  compileOptions.emit = kind;
  if (options.interrupted)
    compileOptions.stopped = [&] { return options.interrupted().has_value(); };
  compileOptions.extraModule = [&](llvm::LLVMContext &context) {
    return lowerHostPrograms(module, target.processor, context);
  };
  auto kernels = module.lookupSymbol<ModuleOp>(host::kernelsModuleName);
  if (!kernels)
    return makeError(ErrorCode::Invalid,
                     "the module has not been through the kernels phase");
  if (!target.model.device)
    return cpu::compileKernels(kernels, target.processor, compileOptions);
  OwningOpRef<ModuleOp> onHost = kernelsFor(kernels, /*hostOnly=*/true);
  return cpu::compileKernels(*onHost, target.processor, compileOptions);
}

/// Prints the kernels of a module that is through the kernels phase. Errors are
/// LLVMErrors; 3 names the op that the printer or the device lacks.
static llvm::Expected<DeviceProgram>
printDeviceProgram(ModuleOp module, const TargetChoice &target) {
  auto kernels = module.lookupSymbol<ModuleOp>(host::kernelsModuleName);
  if (!kernels)
    return makeError(ErrorCode::Invalid,
                     "the module has not been through the kernels phase");
  OwningOpRef<ModuleOp> printed = kernelsFor(kernels, /*hostOnly=*/false);
  auto program =
      opencl::emitOpenCL(*printed, opencl::printOptionsFor(target.model));
  if (!program)
    return program.takeError();
  return DeviceProgram{std::move(*program),
                       opencl::buildOptionsFor(target.model), target.device};
}

/// True where no option is given that keeps a compilation from the cache.
static bool isCacheable(const CompileOptions &options) {
  using zenith::options::CacheUse;
  const CompileOptions none;
#define ZENITH_COMPILE_OPTION(field, type, initial, spelling, unit, tools,     \
                              cache, help)                                     \
  if (CacheUse::cache == CacheUse::SkipsCache && options.field != none.field)  \
    return false;
#include "lowering/pipeline/CompileOptions.def"
  return true;
}

/// Programs for devices are left out: their drivers compile and cache them.
static bool usesCache(const CompileOptions &options) {
  return !options.cacheDir.empty() && isCacheable(options) &&
         !target::OpenCLTarget::isTargetName(options.target);
}

/// Nullopt where the compilation uses no cache.
static llvm::Expected<std::optional<CachedCompile>>
openCache(ModuleOp module, const CompileOptions &options,
          const TargetChoice &target) {
  if (!usesCache(options))
    return std::optional<CachedCompile>();
  llvm::Expected<CachedCompile> opened =
      CachedCompile::open(module, options, target);
  if (!opened)
    return opened.takeError();
  return std::optional<CachedCompile>(std::move(*opened));
}

llvm::Expected<std::shared_ptr<Executable>>
compile(OwningOpRef<ModuleOp> module, const CompileOptions &options,
        CompileTimes *times) {
  llvm::Expected<TargetChoice> target = chooseTargetToRun(options);
  if (!target)
    return target.takeError();
  CompileTimes taken;
  Stopwatch cacheWatch;
  auto cache = openCache(*module, options, *target);
  if (!cache)
    return cache.takeError();
  if (auto image = *cache ? (*cache)->find(*module) : std::nullopt) {
    taken.cached = true;
    if (llvm::Error error = image->executable->link(std::move(image->objects),
                                                    target->processor))
      return std::move(error);
    taken.link = cacheWatch.ms();
    if (times)
      *times = taken;
    return image->executable;
  }
  Stopwatch phasesWatch;
  CompileOptions toKernels = upTo("kernels", options);
  toKernels.timed = [&](StringRef phase, double ms) {
    taken.eachPhase.push_back({phase.str(), ms});
  };
  PhaseRun phases(*module, toKernels);
  if (llvm::Error error = phases.run())
    return std::move(error);
  taken.phases = phasesWatch.ms();
  Stopwatch objectsWatch;
  auto objects = emitObjects(*module, *target, cpu::EmitKind::Object, options);
  if (!objects)
    return phases.explain(objects.takeError());
  taken.objects = objectsWatch.ms();
  Stopwatch linkWatch;
  std::shared_ptr<Executable> executable = describeExecutable(*module);
  if (*cache)
    (*cache)->keep(*executable, *objects);
  if (llvm::Error error =
          executable->link(std::move(*objects), target->processor))
    return std::move(error);
  if (target->model.device) {
    auto program = printDeviceProgram(*module, *target);
    if (!program)
      return phases.explain(program.takeError());
    executable->device = std::move(*program);
  }
  taken.link = linkWatch.ms();
  if (times)
    *times = taken;
  return executable;
}

/// Objects of the executable that compile() keeps under the same key.
static llvm::Expected<std::vector<cpu::EmittedFile>>
emitCachedObjects(OwningOpRef<ModuleOp> module, const CompileOptions &options) {
  llvm::Expected<TargetChoice> target = chooseTarget(options);
  if (!target)
    return target.takeError();
  auto cache = openCache(*module, options, *target);
  if (!cache)
    return cache.takeError();
  if (auto image = (*cache)->find(*module))
    return std::move(image->objects);
  CompileOptions toKernels = upTo("kernels", options);
  PhaseRun phases(*module, toKernels);
  if (llvm::Error error = phases.run())
    return std::move(error);
  auto objects = emitObjects(*module, *target, cpu::EmitKind::Object, options);
  if (!objects)
    return phases.explain(objects.takeError());
  (*cache)->keep(*describeExecutable(*module), *objects);
  return objects;
}

llvm::Expected<std::vector<cpu::EmittedFile>>
emit(OwningOpRef<ModuleOp> module, EmitForm form, const CompileOptions &given) {
  bool isGraph = form == EmitForm::MemoryGraph;
  if (form >= EmitForm::StaticLibrary && !isGraph)
    return makeError(ErrorCode::Unsupported,
                     "--emit=" + zenith::options::wordOf(form).str() +
                         " is not supported");
  CompileOptions options = given;
  if (form == EmitForm::OpenCL &&
      !target::OpenCLTarget::isTargetName(options.target))
    options.target = "opencl";
  if (form == EmitForm::Object && usesCache(options))
    return emitCachedObjects(std::move(module), options);
  if (isGraph)
    options.toPhase = "schedule";
  else if (form != EmitForm::GraphIR)
    options.toPhase = "kernels";
  else if (options.toPhase.empty())
    options.toPhase = "fuse";
  PhaseRun phases(*module, options);
  if (llvm::Error error = phases.run())
    return std::move(error);
  if (isGraph) {
    std::string text = memory::memoryGraphText(*module);
    if (text.empty())
      return makeError(ErrorCode::Unsupported,
                       "--emit=memory-graph: the program has no single entry "
                       "whose memory can be planned");
    return std::vector<cpu::EmittedFile>{{"module", std::move(text)}};
  }
  if (form == EmitForm::GraphIR || form == EmitForm::Kernels) {
    graph::recordFiles(*module, options.folder);
    graph::relocateFiles(*module, options.folder, options.outputFolder);
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream);
    return std::vector<cpu::EmittedFile>{{"module", std::move(text)}};
  }
  llvm::Expected<TargetChoice> target = chooseTarget(options);
  if (!target)
    return target.takeError();
  if (form == EmitForm::OpenCL) {
    auto program = printDeviceProgram(*module, *target);
    if (!program)
      return phases.explain(program.takeError());
    return std::vector<cpu::EmittedFile>{
        {"kernels", std::move(program->program.source)}};
  }
  cpu::EmitKind kind = form == EmitForm::LLVM       ? cpu::EmitKind::LLVM
                       : form == EmitForm::Assembly ? cpu::EmitKind::Assembly
                                                    : cpu::EmitKind::Object;
  auto files = emitObjects(*module, *target, kind, options);
  if (!files)
    return phases.explain(files.takeError());
  return files;
}

} // namespace zenith::pipeline
