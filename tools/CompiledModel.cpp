// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled code as an executor.

#include "tools/CompiledModel.h"

#include "lowering/pipeline/CacheStore.h"
#include "lowering/pipeline/Session.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tools/CommandLine.h"
#include "tools/Diagnostics.h"
#include "tools/EntrySignature.h"
#include "tools/Executor.h"
#include "tools/ParamFiles.h"
#include "tools/RunOptions.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;

llvm::Error zenith::tools::toolError(llvm::Error error) {
  return llvm::handleErrors(std::move(error), [](const CompileError &e) {
    return failure(ExitCode(e.code()), e.text(), e.location());
  });
}

namespace {
class CompiledExecutor : public Executor {
public:
  CompiledExecutor(std::shared_ptr<const pipeline::Executable> program,
                   const pipeline::EntryInfo *entry,
                   std::unique_ptr<pipeline::Session> session,
                   pipeline::CompileTimes times, MLIRContext *context)
      : program(std::move(program)), entry(entry), session(std::move(session)),
        times(std::move(times)), context(context) {}

  llvm::Expected<std::vector<Tensor>> run(ArrayRef<Tensor> arguments) override {
    llvm::Expected<std::vector<Tensor>> results =
        session->run(*entry, arguments, context);
    if (!results)
      return toolError(results.takeError());
    return results;
  }

  ~CompiledExecutor() override {
    for (zenith_tensor &buffer : buffers)
      session->runContext().release(buffer);
  }

  llvm::Error runOnly(ArrayRef<Tensor> arguments) override;
  std::string
  memoryReport(const std::map<std::string, int64_t> &dims) override {
    return memory::toJSON(
        entry->memory, [&](const std::string &name) -> std::optional<int64_t> {
          auto known = dims.find(name);
          return known == dims.end() ? std::nullopt
                                     : std::optional<int64_t>(known->second);
        });
  }
  void onProgress(
      std::function<void(int64_t, ArrayRef<int64_t>)> progress) override {
    session->runContext().setProgress(
        [progress = std::move(progress)](int64_t loop, const int64_t *numbers,
                                         int64_t count) {
          progress(loop, ArrayRef(numbers, count));
        });
  }
  int64_t arenaBytes() override {
    return session->runContext().memoryUse().arenaBytes;
  }
  int64_t transientBytes() override {
    // What outlives a run, beside the arena, is room for results.
    runtime::MemoryUse use = session->runContext().memoryUse();
    return use.peakBytes - (use.liveBytes - use.arenaBytes);
  }
  int64_t spilledBytes() override {
    return session->runContext().memoryUse().spilledPeakBytes;
  }
  llvm::Expected<std::vector<KernelFigures>>
  kernelFigures(ArrayRef<Tensor> arguments,
                const std::map<std::string, int64_t> &dims) override;
  const pipeline::CompileTimes *compileTimes() override { return &times; }
  double prepareMs() override { return session->prepareMilliseconds(); }

private:
  std::shared_ptr<const pipeline::Executable> program;
  const pipeline::EntryInfo *entry;
  std::unique_ptr<pipeline::Session> session;
  pipeline::CompileTimes times;
  MLIRContext *context;
  std::vector<zenith_tensor> buffers; ///< where timed runs put their results
};
} // namespace

// The first run allocates room for the results, by their largest sizes where
// data decides; later ones write there, so that they allocate nothing.
llvm::Error CompiledExecutor::runOnly(ArrayRef<Tensor> arguments) {
  std::vector<zenith_tensor> given;
  for (const Tensor &argument : arguments)
    given.push_back(pipeline::viewTensor(argument));
  if (buffers.empty()) {
    zenith_tensor empty = {};
    empty.struct_size = sizeof(empty);
    buffers.resize(entry->results.size(), empty);
  }
  return toolError(session->run(*entry, given, buffers));
}

/// Profiled runs of which each kernel's fastest counts.
static constexpr unsigned profiledRuns = 3;

namespace {
/// A kernel in one run: loops launch it several times.
struct MeasuredKernel {
  double ms = 0;
  std::map<int64_t, int64_t> callsOfTasks; ///< by the number of tasks
};
using MeasuredRun = std::map<int64_t, MeasuredKernel>;
} // namespace

/// What a kernel did in a run. Launches are told apart by their tasks; those
/// with the same count as the mean of them.
static KernelFigures
figuresOf(const MeasuredKernel &measured,
          ArrayRef<const pipeline::LaunchInfo *> of,
          function_ref<std::optional<int64_t>(const std::string &)> valueOf) {
  KernelFigures figures;
  figures.ms = measured.ms;
  for (const auto &[tasks, calls] : measured.callsOfTasks) {
    SmallVector<const pipeline::LaunchInfo *> same;
    for (const pipeline::LaunchInfo *launch : of)
      if (launch->tasks.evaluate(valueOf) == tasks)
        same.push_back(launch);
    // Sizes that only the run knows.
    if (same.empty())
      llvm::append_range(same, of);
    for (const pipeline::LaunchInfo *launch : same) {
      double share = double(calls) / double(same.size());
      figures.flops +=
          share * double(launch->flops.evaluate(valueOf).value_or(0));
      figures.bytes +=
          share * double(launch->bytes.evaluate(valueOf).value_or(0));
    }
    figures.calls += calls;
  }
  return figures;
}

llvm::Expected<std::vector<KernelFigures>>
CompiledExecutor::kernelFigures(ArrayRef<Tensor> arguments,
                                const std::map<std::string, int64_t> &dims) {
  MeasuredRun best;
  for (unsigned turn = 0; turn < profiledRuns; ++turn) {
    MeasuredRun run;
    session->runContext().setProfile([&](const zenith_profile_event &event) {
      // Copies to and from a device count arguments and results, not kernels.
      if (event.kind != ZENITH_EVENT_KERNEL &&
          event.kind != ZENITH_EVENT_DEVICE_KERNEL)
        return;
      MeasuredKernel &kernel = run[event.kernel_index];
      ++kernel.callsOfTasks[event.tasks];
      kernel.ms += double(event.ns) * 1e-6;
    });
    llvm::Error error = runOnly(arguments);
    session->runContext().setProfile({});
    if (error)
      return std::move(error);
    for (const auto &[index, kernel] : run)
      if (auto [known, fresh] = best.try_emplace(index, kernel);
          !fresh && kernel.ms < known->second.ms)
        known->second = kernel;
  }
  auto valueOf = [&](const std::string &name) -> std::optional<int64_t> {
    auto known = dims.find(name);
    return known == dims.end() ? std::nullopt
                               : std::optional<int64_t>(known->second);
  };
  std::map<int64_t, SmallVector<const pipeline::LaunchInfo *>> launches;
  for (const pipeline::LaunchInfo &launch : entry->launches)
    launches[launch.kernel].push_back(&launch);
  std::vector<KernelFigures> kernels;
  for (const auto &[index, measured] : best) {
    kernels.push_back(figuresOf(measured, launches[index], valueOf));
    bool known = index >= 0 && size_t(index) < program->kernels.size();
    kernels.back().name = known ? program->kernels[size_t(index)] : "?";
  }
  return kernels;
}

pipeline::CompileOptions
zenith::tools::compileOptions(const RunOptions &options,
                              Diagnostics &diagnostics) {
  pipeline::CompileOptions compile;
  compile.target = options.target;
  compile.mixedPrecision = options.mixedPrecision;
  // Sets of bits pay while a layer goes through them in some milliseconds. Of a
  // cap, files have an eighth.
  constexpr int64_t mostIndexBytes = int64_t(1) << 30;
  compile.denseIndexBytes =
      options.maxMemory ? std::min(mostIndexBytes, *options.maxMemory / 8 * 7)
                        : mostIndexBytes;
  // Without files the lists that a step starts from and ends with count, too.
  compile.memoryBytes =
      options.maxMemory.value_or(0) / (options.spillFolder.empty() ? 2 : 1);
  compile.withoutSearchForms = options.withoutSearchForms;
  // The cache's own remarks don't ask for the others.
  compile.explain = llvm::any_of(options.explain, [](const std::string &topic) {
    return topic != "cache";
  });
  compile.cacheDir = options.cache == defaultCache
                         ? pipeline::defaultCacheFolder()
                         : options.cache;
  compile.remark = [&options, &diagnostics](const pipeline::Remark &remark) {
    if (llvm::is_contained(options.explain, remark.topic))
      diagnostics.remark(options.explainJSON ? pipeline::toJSON(remark)
                                             : pipeline::toText(remark));
  };
  return compile;
}

llvm::Expected<std::unique_ptr<Executor>> zenith::tools::makeCompiled(
    OwningOpRef<ModuleOp> module, const std::string &folder,
    const RunOptions &options, Diagnostics &diagnostics) {
  MLIRContext *context = module->getContext();
  llvm::Expected<func::FuncOp> entry = findEntry(*module, options.entry);
  if (!entry)
    return entry.takeError();
  std::string name = entry->getSymName().str();
  llvm::Expected<ParamFiles> params =
      ParamFiles::open(folder, options.params, context);
  if (!params)
    return params.takeError();
  if (llvm::Error error = params->checkReplacements(*module))
    return std::move(error);
  pipeline::CompileTimes times;
  auto program = pipeline::compile(
      std::move(module), compileOptions(options, diagnostics), &times);
  if (!program)
    return toolError(program.takeError());
  const pipeline::EntryInfo *info = (*program)->find(name);
  if (!info)
    return failure(ExitCode::Usage,
                   "@" + name +
                       " is private: only public functions are compiled");
  pipeline::SessionOptions settings;
  settings.baseDir = folder;
  settings.threads = int(options.threads);
  settings.maxMemoryBytes = options.maxMemory.value_or(0);
  settings.spill = {options.spillFolder, options.maxSpill.value_or(0)};
  for (const auto &[param, source] : params->replacementSources())
    settings.parameters[param] = {source.first, source.second, ""};
  auto session = pipeline::Session::create(*program, settings);
  if (!session)
    return toolError(session.takeError());
  return std::make_unique<CompiledExecutor>(*program, info, std::move(*session),
                                            std::move(times), context);
}
