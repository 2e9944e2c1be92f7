// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Phases, objects, link.

#include "lowering/pipeline/Compile.h"

#include "ir/target/CPUTarget.h"
#include "ir/target/OpenCLTarget.h"
#include "lowering/host/HostDialect.h"
#include "lowering/pipeline/CachedCompile.h"
#include "lowering/pipeline/Phases.h"
#include "lowering/pipeline/Pipeline.h"
#include "lowering/program/LowerHostProgram.h"
#include "runtime/Stopwatch.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

namespace zenith::pipeline {

using runtime::Stopwatch;

/// Saves the module of an internal error; returns the path, or an empty string.
static std::string writeReproducer(ModuleOp module) {
  SmallString<128> path;
  int descriptor = -1;
  if (llvm::sys::fs::createTemporaryFile("zenith-reproducer", "mlir",
                                         descriptor, path))
    return "";
  llvm::raw_fd_ostream file(descriptor, /*shouldClose=*/true);
  OpPrintingFlags flags;
  flags.assumeVerified().enableDebugInfo(true, false);
  module->print(file, flags);
  return path.str().str();
}

/// The error of a failed step with the text of the diagnostics, which says more
/// than the name of the phase.
static llvm::Error withDiagnostics(llvm::Error error,
                                   const DiagnosticCollector &diagnostics,
                                   ModuleOp module) {
  Error why = errorOf(std::move(error));
  bool isInternal = why.code == ErrorCode::Internal;
  if (diagnostics.hasErrors()) {
    why.text = isInternal ? why.text + ": " + diagnostics.errorText()
                          : diagnostics.errorText();
    why.location = diagnostics.firstLocation();
  }
  if (isInternal)
    if (std::string path = writeReproducer(module); !path.empty())
      why.text += "\nnote: the module is in " + path;
  return makeError(std::move(why));
}

/// The same options up to another phase.
static CompileOptions upTo(StringRef phase, const CompileOptions &options) {
  CompileOptions chosen = options;
  chosen.toPhase = phase.str();
  return chosen;
}

/// Machine code of a module that is through the kernels phase.
static llvm::Expected<std::vector<cpu::EmittedFile>>
emitObjects(ModuleOp module, const target::CPUTarget &target,
            cpu::EmitKind kind, const CompileOptions &options) {
  cpu::KernelCompileOptions compileOptions;
  compileOptions.threads = options.compileThreads;
  compileOptions.emit = kind;
  compileOptions.extraModule = [&](llvm::LLVMContext &context) {
    return lowerHostPrograms(module, target, context);
  };
  auto kernels = module.lookupSymbol<ModuleOp>(host::kernelsModuleName);
  if (!kernels)
    return makeError(ErrorCode::Invalid,
                     "the module has not been through the kernels phase");
  if (!target::OpenCLTarget::isTargetName(options.target))
    return cpu::compileKernels(kernels, target, compileOptions);
  OwningOpRef<ModuleOp> onHost = kernelsFor(kernels, /*hostOnly=*/true);
  return cpu::compileKernels(*onHost, target, compileOptions);
}

static llvm::Expected<target::CPUTarget>
processor(const CompileOptions &options) {
  // The host part of a program for a device runs on this machine.
  llvm::Expected<target::CPUTarget> target =
      target::OpenCLTarget::isTargetName(options.target)
          ? target::CPUTarget::host()
          : target::CPUTarget::parse(options.target);
  if (!target)
    return makeError(ErrorCode::Usage, llvm::toString(target.takeError()));
  return target;
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
          const target::CPUTarget &target) {
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
  llvm::Expected<target::CPUTarget> target = processor(options);
  if (!target)
    return target.takeError();
  DiagnosticCollector diagnostics(module->getContext(), options.remark);
  CompileTimes taken;
  Stopwatch cacheWatch;
  auto cache = openCache(*module, options, *target);
  if (!cache)
    return cache.takeError();
  if (auto image = *cache ? (*cache)->find(*module) : std::nullopt) {
    taken.cached = true;
    if (llvm::Error error = image->executable->link(image->objects, *target))
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
  if (llvm::Error error = runPhases(*module, toKernels))
    return withDiagnostics(std::move(error), diagnostics, *module);
  taken.phases = phasesWatch.ms();
  Stopwatch objectsWatch;
  auto objects = emitObjects(*module, *target, cpu::EmitKind::Object, options);
  if (!objects)
    return withDiagnostics(objects.takeError(), diagnostics, *module);
  taken.objects = objectsWatch.ms();
  Stopwatch linkWatch;
  std::shared_ptr<Executable> executable = describeExecutable(*module);
  if (llvm::Error error = executable->link(*objects, *target))
    return std::move(error);
  if (target::OpenCLTarget::isTargetName(options.target)) {
    auto program = printDeviceProgram(*module, options.target);
    if (!program)
      return withDiagnostics(program.takeError(), diagnostics, *module);
    executable->device = std::move(*program);
  }
  if (*cache)
    (*cache)->keep(*executable, *objects);
  taken.link = linkWatch.ms();
  if (times)
    *times = taken;
  return executable;
}

/// Objects of the executable that compile() keeps under the same key.
static llvm::Expected<std::vector<cpu::EmittedFile>>
emitCachedObjects(OwningOpRef<ModuleOp> module, const CompileOptions &options) {
  llvm::Expected<target::CPUTarget> target = processor(options);
  if (!target)
    return target.takeError();
  auto cache = openCache(*module, options, *target);
  if (!cache)
    return cache.takeError();
  if (auto image = (*cache)->find(*module))
    return std::move(image->objects);
  DiagnosticCollector diagnostics(module->getContext(), options.remark);
  if (llvm::Error error = runPhases(*module, upTo("kernels", options)))
    return withDiagnostics(std::move(error), diagnostics, *module);
  auto objects = emitObjects(*module, *target, cpu::EmitKind::Object, options);
  if (!objects)
    return withDiagnostics(objects.takeError(), diagnostics, *module);
  (*cache)->keep(*describeExecutable(*module), *objects);
  return objects;
}

llvm::Expected<std::vector<cpu::EmittedFile>>
emit(OwningOpRef<ModuleOp> module, EmitForm form, const CompileOptions &given) {
  if (form >= EmitForm::StaticLibrary)
    return makeError(ErrorCode::Unsupported,
                     "--emit=" + zenith::options::wordOf(form).str() +
                         " is not supported");
  CompileOptions options = given;
  if (form == EmitForm::OpenCL &&
      !target::OpenCLTarget::isTargetName(options.target))
    options.target = "opencl";
  if (form == EmitForm::Object && usesCache(options))
    return emitCachedObjects(std::move(module), options);
  DiagnosticCollector diagnostics(module->getContext(), options.remark);
  std::string to = form == EmitForm::GraphIR
                       ? (options.toPhase.empty() ? "fuse" : options.toPhase)
                       : "kernels";
  if (llvm::Error error = runPhases(*module, upTo(to, options)))
    return withDiagnostics(std::move(error), diagnostics, *module);
  if (form == EmitForm::GraphIR || form == EmitForm::Kernels) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream);
    return std::vector<cpu::EmittedFile>{{"module", std::move(text)}};
  }
  if (form == EmitForm::OpenCL) {
    auto program = printDeviceProgram(*module, options.target);
    if (!program)
      return withDiagnostics(program.takeError(), diagnostics, *module);
    return std::vector<cpu::EmittedFile>{
        {"kernels", std::move(program->program.source)}};
  }
  llvm::Expected<target::CPUTarget> target = processor(options);
  if (!target)
    return target.takeError();
  cpu::EmitKind kind = form == EmitForm::LLVM       ? cpu::EmitKind::LLVM
                       : form == EmitForm::Assembly ? cpu::EmitKind::Assembly
                                                    : cpu::EmitKind::Object;
  auto files = emitObjects(*module, *target, kind, options);
  if (!files)
    return withDiagnostics(files.takeError(), diagnostics, *module);
  return files;
}

} // namespace zenith::pipeline
