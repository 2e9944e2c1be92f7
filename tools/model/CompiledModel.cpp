// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled code as an executor.

#include "tools/model/CompiledModel.h"

#include "frontends/models/Diagnostics.h"
#include "frontends/models/EntrySignature.h"
#include "frontends/models/ParamFiles.h"
#include "ir/target/TargetModel.h"
#include "lowering/memory/BufferNotes.h"
#include "lowering/pipeline/CacheStore.h"
#include "lowering/pipeline/Session.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/search/states/SplitSearchLoop.h"
#include "runtime/SystemResources.h"
#include "runtime/files/NamelessFile.h"
#include "tools/model/CommandLine.h"
#include "tools/model/Executor.h"
#include "tools/model/RunOptions.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;

memory::DimValues
zenith::tools::valuesOf(const std::map<std::string, int64_t> &dims) {
  return [&dims](const std::string &name) -> std::optional<int64_t> {
    auto known = dims.find(name);
    return known == dims.end() ? std::nullopt
                               : std::optional<int64_t>(known->second);
  };
}

namespace {
class CompiledExecutor : public Executor {
public:
  CompiledExecutor(std::shared_ptr<const pipeline::Executable> program,
                   const pipeline::EntryInfo *entry,
                   std::unique_ptr<pipeline::Session> session,
                   pipeline::CompileTimes times, std::optional<int64_t> budget,
                   MLIRContext *context)
      : program(std::move(program)), entry(entry), session(std::move(session)),
        times(std::move(times)), budget(budget), context(context) {}

  llvm::Expected<std::vector<Tensor>> run(ArrayRef<Tensor> arguments) override {
    return session->run(*entry, arguments, context);
  }

  llvm::Expected<std::vector<Tensor>>
  runEntry(StringRef name, std::vector<Tensor> arguments, bool takes) override {
    const pipeline::EntryInfo *other = program->find(name);
    if (!other)
      return makeError(ErrorCode::Internal, "the program lacks @" + name);
    return takes ? session->runTaking(*other, std::move(arguments), context)
                 : session->run(*other, arguments, context);
  }
  std::vector<std::string> argumentNames(StringRef name) override {
    std::vector<std::string> names;
    if (const pipeline::EntryInfo *other = program->find(name))
      for (const auto &argument : other->arguments)
        names.push_back(argument.name);
    return names;
  }
  void cancel() override { session->runContext().cancel(); }

  ~CompiledExecutor() override {
    for (zenith_tensor &buffer : buffers)
      session->runContext().release(buffer);
  }

  llvm::Error runOnly(ArrayRef<Tensor> arguments) override;
  llvm::json::Object
  memoryReport(const std::map<std::string, int64_t> &dims) override {
    return memory::reportOf(planFor(dims).memory, valuesOf(dims),
                            {measuredPeak(), budget});
  }
  std::optional<llvm::json::Object>
  memoryTimeline(const std::map<std::string, int64_t> &dims) override {
    const memory::MemoryReport &memory = planFor(dims).memory;
    return memory::timelineOf(memory.buffers, memory.arena(), valuesOf(dims));
  }
  std::optional<memory::BudgetRefusal>
  refusal(const std::map<std::string, int64_t> &dims) override {
    if (!budget)
      return std::nullopt;
    return memory::refuse(planFor(dims).memory, valuesOf(dims), *budget);
  }
  void onProgress(
      std::function<bool(int64_t, ArrayRef<int64_t>)> progress) override {
    session->runContext().setProgress(
        [progress = std::move(progress)](int64_t loop, const int64_t *carried,
                                         int64_t count) {
          return progress(loop, ArrayRef(carried, count));
        });
  }
  std::optional<int64_t> measuredPeak() override {
    return session->runContext().memoryUse().peakBytes;
  }
  int64_t arenaBytes() override {
    return session->runContext().memoryUse().arenaBytes;
  }
  int64_t transientBytes() override {
    // Beside the arena, the memory that outlives a run holds results.
    runtime::MemoryUse use = session->runContext().memoryUse();
    return use.peakBytes - (use.liveBytes - use.arenaBytes);
  }
  int64_t spilledBytes() override {
    return session->runContext().memoryUse().spilledPeakBytes;
  }
  void startMeasuring() override;
  std::vector<KernelFigures> stopMeasuring() override;
  const pipeline::CompileTimes *compileTimes() override { return &times; }
  double prepareMs() override { return session->prepareMilliseconds(); }

private:
  /// What a run with these sizes takes, as the session chooses it.
  const pipeline::EntryPlan &planFor(const DimSizes &dims) const {
    return entry->planFor(valuesOf(dims), budget.value_or(0));
  }

  std::shared_ptr<const pipeline::Executable> program;
  const pipeline::EntryInfo *entry;
  std::unique_ptr<pipeline::Session> session;
  pipeline::CompileTimes times;
  std::optional<int64_t> budget; ///< options.maxMemory
  MLIRContext *context;
  std::vector<zenith_tensor> buffers; ///< where timed runs put their results
  std::map<int64_t, KernelFigures> measured; ///< by the kernel's index
};
} // namespace

// The first run allocates the results, by their largest sizes where these
// depend on data; later runs write there and allocate nothing.
llvm::Error CompiledExecutor::runOnly(ArrayRef<Tensor> arguments) {
  std::vector<zenith_tensor> given;
  for (const Tensor &argument : arguments)
    given.push_back(pipeline::viewTensor(argument));
  if (buffers.empty()) {
    zenith_tensor empty = {};
    empty.struct_size = sizeof(empty);
    buffers.resize(entry->results.size(), empty);
  }
  return session->run(*entry, given, buffers);
}

void CompiledExecutor::startMeasuring() {
  measured.clear();
  session->runContext().setProfile([this](const zenith_profile_event &event) {
    switch (event.kind) {
    case ZENITH_EVENT_WORK: {
      KernelFigures &kernel = measured[event.kernel_index];
      kernel.flops += double(event.tasks);
      kernel.bytes += double(event.bytes);
      break;
    }
    case ZENITH_EVENT_KERNEL:
    case ZENITH_EVENT_DEVICE_KERNEL: {
      KernelFigures &kernel = measured[event.kernel_index];
      ++kernel.calls;
      kernel.ms += double(event.ns) * 1e-6;
      break;
    }
    default: // copies count arguments and results, not kernels
      break;
    }
  });
}

std::vector<KernelFigures> CompiledExecutor::stopMeasuring() {
  session->runContext().setProfile({});
  std::vector<KernelFigures> kernels;
  for (auto &[index, figures] : measured) {
    bool known = index >= 0 && size_t(index) < program->kernels.size();
    figures.name = known ? program->kernels[size_t(index)] : "?";
    if (known && size_t(index) < program->kernelSources.size())
      figures.sources = program->kernelSources[size_t(index)];
    if (figures.calls > 0)
      kernels.push_back(figures);
  }
  return kernels;
}

void zenith::tools::printRemark(const pipeline::Remark &remark,
                                const ReportOptions &options,
                                Diagnostics &diagnostics) {
  if (options.explains(remark.topic()))
    diagnostics.remark(options.explainFormat == TextFormat::JSON
                           ? pipeline::toJSON(remark)
                           : pipeline::toText(remark));
}

void zenith::tools::printRemark(const remarks::Emitted &remark,
                                Location location, const ReportOptions &options,
                                Diagnostics &diagnostics) {
  printRemark({remark.entry->code, remark.text, remark.payload,
               pipeline::locationText(location)},
              options, diagnostics);
}

RemarkPrinter::RemarkPrinter(MLIRContext *context, const ReportOptions &options,
                             Diagnostics &diagnostics)
    : ScopedDiagnosticHandler(context) {
  setHandler([&](Diagnostic &diagnostic) {
    auto remark = remarks::read(diagnostic);
    if (!remark)
      return failure();
    printRemark(*remark, diagnostic.getLocation(), options, diagnostics);
    return success();
  });
}

llvm::Error zenith::tools::refusalError(memory::BudgetRefusal refusal,
                                        Diagnostics &diagnostics) {
  Error error{ErrorCode::Memory, refusal.text, ""};
  if (diagnostics.usesJSON()) {
    std::string line;
    llvm::raw_string_ostream(line)
        << llvm::json::Value(std::move(refusal.object));
    diagnostics.remark(line);
    error.reported = true;
  }
  return makeError(std::move(error));
}

llvm::Error zenith::tools::checkMemoryOptions(RunOptions &options) {
  if (options.maxMemory && *options.maxMemory <= 0)
    return makeError(ErrorCode::Usage, "--max-memory: got " +
                                           Twine(*options.maxMemory) +
                                           ", expected at least 1 byte");
  return measureOffload(options);
}

void zenith::tools::printMemoryReport(llvm::json::Object report,
                                      TextFormat format) {
  if (format == TextFormat::Text)
    llvm::outs() << memory::toText(report);
  else
    llvm::outs() << llvm::json::Value(std::move(report)) << "\n";
}

llvm::Error zenith::tools::measureOffload(RunOptions &options) {
  if (options.offloadFolder.empty())
    return llvm::Error::success();
  runtime::StatusOr<int64_t> rate =
      runtime::measureFileRate(options.offloadFolder);
  if (!rate)
    return makeError(ErrorCode::Usage,
                     "--offload: '" + options.offloadFolder +
                         "' is no folder that can be written to: " +
                         rate.status().message());
  // Schedules count on the cores of a class of machines. A run that is granted
  // fewer takes longer for the same steps, and hides more of the transfers.
  auto threads = int64_t(runtime::usefulThreads(int(options.threads))),
       counted = int64_t(target::TargetModel().units);
  options.compile.offloadRate = *rate * std::max(counted, threads) / threads;
  return llvm::Error::success();
}

pipeline::CompileOptions
zenith::tools::compileOptions(const RunOptions &options,
                              Diagnostics &diagnostics) {
  pipeline::CompileOptions compile = options.compile;
  pipeline::budgetSearches(compile, options.maxMemory,
                           !options.spillFolder.empty());
  // Remarks of the cache alone need no remarks of passes.
  compile.explain = llvm::any_of(options.explain, [](remarks::Topic topic) {
    return topic != remarks::Topic::Cache;
  });
  if (compile.cacheDir == defaultCache)
    compile.cacheDir = pipeline::defaultCacheFolder();
  // What may go to files is no part of the budget.
  if (options.spillFolder.empty())
    compile.budgetBytes = options.maxMemory.value_or(0);
  compile.remark = [&options, &diagnostics](const pipeline::Remark &remark) {
    printRemark(remark, options, diagnostics);
  };
  return compile;
}

pipeline::CompileOptions zenith::tools::frontOptions(const RunOptions &options,
                                                     Diagnostics &diagnostics) {
  pipeline::CompileOptions compile = compileOptions(options, diagnostics);
  if (options.isInterpreted())
    compile.target = "cpu";
  return compile;
}

llvm::Expected<std::unique_ptr<Executor>> zenith::tools::makeCompiled(
    OwningOpRef<ModuleOp> module, const std::string &folder,
    const RunOptions &options, Diagnostics &diagnostics) {
  MLIRContext *context = module->getContext();
  llvm::Expected<Operation *> entry = findEntry(*module, options.entry);
  if (!entry)
    return entry.takeError();
  std::string name = SymbolTable::getSymbolName(*entry).str();
  // A pass will cut it into functions.
  bool isCut = (*entry)->hasAttr(search::splitAttrName);
  llvm::Expected<ParamFiles> params =
      ParamFiles::open(folder, options.params, context);
  if (!params)
    return params.takeError();
  if (llvm::Error error = params->checkReplacements(*module, &diagnostics))
    return std::move(error);
  pipeline::CompileTimes times;
  pipeline::CompileOptions compile = compileOptions(options, diagnostics);
  compile.folder = folder;
  auto program = pipeline::compile(std::move(module), compile, &times);
  if (!program)
    return program.takeError();
  const pipeline::EntryInfo *info = (*program)->find(isCut ? "init" : name);
  if (!info)
    return makeError(ErrorCode::Usage,
                     "@" + name +
                         " is private: only public functions are compiled");
  pipeline::SessionOptions settings;
  settings.baseDir = folder;
  settings.threads = int(options.threads);
  settings.maxMemoryBytes = options.maxMemory.value_or(0);
  settings.verifyFiles = !options.noVerify;
  settings.spill = {options.spillFolder, options.maxSpill.value_or(0)};
  settings.offload = {options.offloadFolder, options.maxSpill.value_or(0)};
  for (const auto &[param, source] : params->replacementSources())
    settings.parameters[param] = {source.first, source.second, ""};
  auto session = pipeline::Session::create(*program, settings);
  if (!session)
    return session.takeError();
  return std::make_unique<CompiledExecutor>(*program, info, std::move(*session),
                                            std::move(times), options.maxMemory,
                                            context);
}
