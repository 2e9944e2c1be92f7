// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a module to an executable: options by the tools' names, remarks and
// progress to the listener.

#include "frontends/c/Executable.h"

#include "frontends/c/CompileSettings.h"
#include "frontends/c/StructReading.h"
#include "frontends/models/DeviceOptions.h"
#include "frontends/models/EntrySignature.h"
#include "frontends/models/StateSizes.h"
#include "frontends/models/TargetNames.h"
#include "ir/LLVMError.h"
#include "ir/program/Shardings.h"
#include "lowering/pipeline/Phases.h"
#include "passes/precision/PrecisionPolicy.h"

using namespace zenith;
using namespace zenith::c;

/// Listens to one compilation.
static void listen(pipeline::CompileOptions &options,
                   const zenith_compile_options &given,
                   zenith_executable &executable) {
  options.remark = [&](const pipeline::Remark &remark) {
    executable.remarks.push_back(pipeline::toJSON(remark));
    recordRemark(*executable.context, remark);
  };
  options.interrupted = [cancel = given.cancel, deadline = given.deadline] {
    return interruptionError(cancel, deadline);
  };
}

/// Phases that have ended, for the listener.
static void recordPhases(zenith_executable &executable) {
  int64_t done = 0, total = int64_t(executable.times.eachPhase.size());
  for (const auto &[phase, ms] : executable.times.eachPhase)
    recordProgress(*executable.context, phase.c_str(), ++done, total);
}

/// A budget that the peak of a run exceeds whatever its inputs are.
static zenith_status *checkBudget(const zenith_executable &executable) {
  if (!executable.maxMemory)
    return nullptr;
  for (const Entry &entry : executable.entries)
    if (int64_t peak = peakBytes(planFor(executable, entry, {}), entry, {});
        peak > executable.maxMemory)
      return failure(ZENITH_OUT_OF_MEMORY, ZENITH_REASON_BUDGET,
                     "a run takes " + std::to_string(peak) +
                         " bytes at its peak, the budget is " +
                         std::to_string(executable.maxMemory),
                     entry.info->name);
  return nullptr;
}

/// Words of a policy that nothing has, whatever the program is.
static zenith_status *checkPolicy(const std::string &text,
                                  mlir::MLIRContext *mlir) {
  if (text.empty())
    return nullptr;
  auto policy = precision::parsePolicy(text, mlir);
  if (policy)
    return nullptr;
  const Error &why = policy.error();
  return why.code == ErrorCode::Usage
             ? usage(ZENITH_REASON_UNKNOWN_NAME, why.text, why.location)
             : failure(why, ZENITH_REASON_NONE);
}

/// The program of all devices that the options name, in place.
static llvm::Error dealOverDevices(mlir::ModuleOp module,
                                   const pipeline::CompileOptions &options) {
  llvm::Expected<mlir::Operation *> entry = models::findEntry(module, "");
  llvm::StringRef name;
  if (entry)
    name = mlir::SymbolTable::getSymbolName(*entry);
  else // none of several functions is the one that --shard speaks of
    llvm::consumeError(entry.takeError());
  return sharding::shardProgram(module, models::shardOptions(options, name));
}

/// The program that an interpreted executable runs: it states what its ops
/// require of sizes, and dealt over devices it is another one.
static llvm::Expected<std::shared_ptr<Program>>
interpretedProgram(zenith_module &module,
                   const pipeline::CompileOptions &options) {
  std::shared_ptr<Program> program = copyOf(*module.program);
  if (!program)
    return makeError(ErrorCode::Internal, "the module cannot be copied");
  if (options.meshDevices > 1) {
    if (llvm::Error error = dealOverDevices(*program->module, options))
      return std::move(error);
  } else if (!options.mesh.empty() || !options.shards.empty() ||
             graph::hasMesh(*program->module)) {
    // One device runs the whole program; what is said of meshes is checked.
    mlir::OwningOpRef<mlir::ModuleOp> dealt(program->module->clone());
    if (llvm::Error error = dealOverDevices(*dealt, options))
      return std::move(error);
  }
  if (llvm::Error error = models::stateSizes(*program->module))
    return std::move(error);
  return program;
}

static zenith_status *compileProgram(zenith_module &module,
                                     const zenith_compile_options &given,
                                     zenith_executable &executable) {
  pipeline::CompileOptions options;
  if (zenith_status *status =
          readCompileOptions(*module.context, given, options))
    return status;
  listen(options, given, executable);
  options.folder = module.program->folder;
  executable.folder = options.folder;
  executable.target = options.target;
  executable.maxMemory = given.max_memory;
  options.budgetBytes = given.max_memory;
  auto failed = [&](llvm::Error error) {
    return recorded(*module.context,
                    failureOf(std::move(error), given.cancel, given.deadline,
                              ZENITH_REASON_NONE));
  };
  // Uniquing in the module's context is not safe for threads.
  std::unique_lock<std::mutex> lock(module.program->mutex);
  if (zenith_status *status =
          checkPolicy(options.mixedPrecision, module.program->mlir.get()))
    return status;
  if (options.target == "interp") {
    lock.unlock();
    auto program = interpretedProgram(module, options);
    if (!program)
      return failed(program.takeError());
    executable.interpreted = *program;
    std::lock_guard<std::mutex> guard((*program)->mutex);
    executable.program = describeInterpreted(*(*program)->module);
    return nullptr;
  }
  mlir::OwningOpRef<mlir::ModuleOp> copy(module.program->module->clone());
  if (llvm::Error error = dealOverDevices(*copy, options))
    return failed(std::move(error));
  auto compiled =
      pipeline::compile(std::move(copy), options, &executable.times);
  if (!compiled)
    return failed(compiled.takeError());
  executable.program = std::move(*compiled);
  return nullptr;
}

zenith_status *zenith_compile(zenith_module *module,
                              const zenith_compile_options *given,
                              zenith_executable **executable) noexcept {
  return guarded([&]() -> zenith_status * {
    if (executable)
      *executable = nullptr;
    if (!module || !executable)
      return nullPointer(module ? "executable" : "module");
    zenith_compile_options options;
    if (zenith_status *status = readStruct(given, options))
      return status;
    if (zenith_status *status = interruption(options.cancel, options.deadline))
      return status;
    auto made = Ref<zenith_executable>::taking(
        create<zenith_executable>(*module->context, *module->context));
    if (zenith_status *status = compileProgram(*module, options, *made))
      return status;
    describeValues(*made);
    if (zenith_status *status = checkBudget(*made))
      return status;
    ++module->context->compilations;
    module->context->cacheHits += made->times.cached;
    recordPhases(*made);
    *executable = made.take();
    return nullptr;
  });
}
