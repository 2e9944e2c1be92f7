// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all searches do: read the graph and states, compile a program, run it
// while printing its progress, and report.

#include "tools/search/SearchRun.h"

#include "frontends/cayley/LoadStateGraph.h"
#include "frontends/models/Diagnostics.h"
#include "frontends/models/SearchStates.h"
#include "frontends/models/WriteModel.h"
#include "frontends/tensors/TensorIO.h"
#include "ir/tensor/Scalar.h"
#include "passes/search/states/SplitSearchLoop.h"
#include "tools/model/CompiledModel.h"
#include "tools/model/Executor.h"
#include "tools/run/RunReports.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <numeric>
#include <unistd.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;

SearchRun::SearchRun(const SearchOptions &options, Diagnostics &diagnostics)
    : options(options), context(makeContext()), diagnostics(diagnostics),
      showsProgress(llvm::sys::Process::StandardErrIsDisplayed()),
      signals([this] {
        // Compiled code ends at its next kernel; nothing is kept waiting for
        // the interpreter.
        Executor *now = running.load();
        if (now && !this->options.run.isInterpreted())
          now->cancel();
        else if (now)
          ::_exit(int(ErrorCode::Run));
      }) {}

SearchRun::~SearchRun() = default;

llvm::Expected<cayley::StateGraph> SearchRun::graph() {
  llvm::Expected<cayley::StateGraph> graph =
      cayley::loadStateGraph(options.graph);
  if (graph)
    generatorNames = graph->generatorNames;
  return graph;
}

llvm::Expected<SearchTask> SearchRun::read(llvm::ArrayRef<std::string> texts) {
  auto own = graph();
  if (!own)
    return own.takeError();
  auto found = states(texts, *own);
  if (!found)
    return found.takeError();
  return SearchTask{std::move(*own), std::move(*found)};
}

llvm::Expected<std::vector<cayley::State>>
SearchRun::states(llvm::ArrayRef<std::string> texts,
                  const cayley::StateGraph &graph) {
  return readStates(texts, graph, context.get());
}

llvm::Expected<cayley::State>
SearchRun::state(const std::string &text, const cayley::StateGraph &graph) {
  if (text.empty())
    return graph.central;
  auto found = states(text, graph);
  if (!found)
    return found.takeError();
  if (found->size() != 1)
    return makeError(ErrorCode::Invalid,
                     "one state is expected, got " +
                         std::to_string(found->size()),
                     text.substr(0, 80));
  return found->front();
}

/// The first loop is the search; later loops read its results.
bool SearchRun::progress(int64_t loop, llvm::ArrayRef<int64_t> carried) {
  if (loop != 0 || carried.empty() || !isSearching)
    return true;
  if (std::exchange(wasTold, false))
    return !signals.requested();
  lastSize = carried[0];
  // The empty layer after the last one does not count.
  if (carried[0] > 0) {
    sizes.push_back(carried[0]);
    seenStates += carried[0];
    if (showsProgress)
      showProgress(carried[0]);
  }
  return !signals.requested();
}

void SearchRun::showProgress(int64_t size) {
  llvm::errs() << "\rlayer " << sizes.size() - 1 << ": " << size << " states, "
               << seenStates << " in all";
  if (expectedStates > 0)
    llvm::errs() << llvm::format(" (%.3g %%)",
                                 100 * double(seenStates) / expectedStates);
  constexpr int64_t mebibyte = 1 << 20;
  if (int64_t spilled = executor->spilledBytes())
    llvm::errs() << " (" << spilled / mebibyte << " MiB in files)";
  llvm::errs() << "   ";
}

llvm::raw_ostream &SearchRun::out() const {
  return options.jsonFile == "-" ? llvm::nulls() : llvm::outs();
}

void SearchRun::printLayers(llvm::ArrayRef<int64_t> layers) const {
  out() << "layers: [";
  llvm::interleaveComma(layers, out());
  out() << "]\n";
}

void SearchRun::warn(const std::string &text, const std::string &place) {
  diagnostics.warning(text, place);
}

llvm::Expected<LoadedModel> SearchRun::load(const std::string &path) {
  return loadModel(path, context.get(), LoadOptions(), diagnostics);
}

void SearchRun::startFrom(std::vector<int64_t> layers) {
  sizes = std::move(layers);
  seenStates = std::accumulate(sizes.begin(), sizes.end(), int64_t(0));
  resumedFrom = int64_t(sizes.size()) - 1;
}

size_t SearchRun::carriedValues() const {
  return size_t(
      llvm::count_if(executor->argumentNames("run"), [](llvm::StringRef name) {
        return name.starts_with("carried");
      }));
}

/// Cuts the program as options ask. Compiled ones are cut by a pass, once their
/// loop has its final form.
llvm::Error SearchRun::split(ModuleOp module) const {
  std::vector<std::string> entries;
  if (isStepped())
    entries = {"init", "run", "results"};
  for (llvm::StringRef list : options.entries)
    for (llvm::StringRef name : llvm::split(list, ','))
      entries.push_back(name.str());
  if (entries.empty())
    return llvm::Error::success();
  for (const std::string &entry : entries)
    if (!llvm::is_contained(search::searchEntries, entry))
      return makeError(ErrorCode::Usage,
                       "--entries: no function is called '" + entry +
                           "'; there are init, step, run, results");
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (options.printed == PrintedForm::None && !options.run.isInterpreted()) {
    llvm::SmallVector<llvm::StringRef> names(entries.begin(), entries.end());
    main->setAttr(search::splitAttrName,
                  Builder(context.get()).getStrArrayAttr(names));
    return llvm::Error::success();
  }
  if (failed(search::splitSearchLoop(main, entries)))
    return makeError(ErrorCode::Internal, "the search has no loop");
  return llvm::Error::success();
}

llvm::Expected<bool> SearchRun::compile(OwningOpRef<ModuleOp> module,
                                        const std::string &folder) {
  if (llvm::Error error = split(*module))
    return std::move(error);
  if (options.printed == PrintedForm::GraphIR) {
    module->print(llvm::outs());
    llvm::outs() << "\n";
    return false;
  }
  RunOptions running = options.run;
  if (isStepped() && running.isInterpreted())
    running.entry = "init";
  if (llvm::Error error = build(std::move(module), folder, running))
    return std::move(error);
  executor->onProgress([this](int64_t loop, llvm::ArrayRef<int64_t> carried) {
    return progress(loop, carried);
  });
  return true;
}

llvm::Error SearchRun::build(OwningOpRef<ModuleOp> module,
                             const std::string &folder,
                             const RunOptions &settings) {
  auto made = makeExecutor(std::move(module), folder, settings, diagnostics);
  if (!made)
    return made.takeError();
  executor = std::move(*made);
  compileMs += watch.restart();
  return llvm::Error::success();
}

llvm::Expected<std::vector<Tensor>>
SearchRun::run(std::vector<Tensor> arguments, llvm::StringRef entry,
               bool continues, bool takes) {
  if (!continues) {
    sizes.clear();
    seenStates = 0;
    runMs = 0;
  }
  isSearching = entry == "main" || entry == "run";
  wasTold = continues && !sizes.empty();
  bool measures = !options.run.reports.empty();
  if (measures)
    executor->startMeasuring();
  watch.restart();
  // What a search has found is brought home in any case.
  running = isSearching ? executor.get() : nullptr;
  llvm::Expected<std::vector<Tensor>> results =
      entry == "main" ? executor->run(arguments)
                      : executor->runEntry(entry, std::move(arguments), takes);
  running = nullptr;
  runMs += watch.restart();
  if (measures) {
    printKernelReports(options.run, compileReport(*executor),
                       executor->stopMeasuring());
    watch.restart();
  }
  int64_t spilled = executor->spilledBytes();
  if (spilled > spilledBytes)
    printRemark(pipeline::makeRemark(remarks::Code::SEA201,
                                     {spilled, options.run.spillFolder},
                                     options.graph),
                options.run, diagnostics);
  spilledBytes = std::max(spilledBytes, spilled);
  if (showsProgress && !sizes.empty())
    llvm::errs() << "\r" << std::string(78, ' ') << "\r";
  return results;
}

llvm::Expected<std::vector<Tensor>>
SearchRun::runOnce(OwningOpRef<ModuleOp> module,
                   llvm::ArrayRef<Tensor> arguments) {
  if (llvm::Error error = build(std::move(module), ".", options.run))
    return std::move(error);
  return run(arguments.vec());
}

llvm::json::Object SearchRun::report(llvm::ArrayRef<int64_t> layers) {
  int64_t states = std::accumulate(layers.begin(), layers.end(), int64_t(0));
  return llvm::json::Object{
      {"graph", options.graph},
      {"generators", llvm::json::Array(generatorNames)},
      {"layers", llvm::json::Array(layers)},
      {"states", states},
      {"path", nullptr},
      {"found", nullptr},
      {"complete", true},
      {"reason", nullptr},
      {"compile_ms", std::exchange(compileMs, 0)},
      {"run_ms", runMs},
      {"resumed_from", resumedFrom ? llvm::json::Value(*resumedFrom)
                                   : llvm::json::Value(nullptr)},
      {"peak_bytes", peakMemory.bytes()},
      {"spilled_bytes", spilledBytes}};
}

void SearchRun::add(llvm::json::Object report) {
  // Values are printed in many small parts.
  constexpr size_t buffered = 4096;
  llvm::raw_string_ostream stream(lines);
  stream.SetBufferSize(buffered);
  stream << llvm::json::Value(std::move(report)) << "\n";
  stream.flush();
}

llvm::Error SearchRun::write() const {
  return options.jsonFile.empty() ? llvm::Error::success()
                                  : writeFile(options.jsonFile, lines);
}

llvm::Error SearchRun::interrupted(llvm::Error error, llvm::json::Object report,
                                   llvm::ArrayRef<int64_t> layers,
                                   const std::string &what) {
  Error failed{ErrorCode::Run, "cancelled by a signal", options.graph};
  if (isStopped())
    llvm::consumeError(std::move(error));
  else if (error)
    failed = errorOf(std::move(error));
  if (!isStopped() && failed.code != ErrorCode::Memory)
    return makeError(std::move(failed));
  printLayers(layers);
  out() << "incomplete\n";
  report["complete"] = false;
  report["reason"] = isStopped() ? "cancelled" : "memory";
  add(std::move(report));
  if (!layers.empty())
    failed.text += "; " + what + "s 0 to " + std::to_string(layers.size() - 1) +
                   " have " +
                   std::to_string(std::accumulate(layers.begin(), layers.end(),
                                                  int64_t(0))) +
                   " states";
  return llvm::joinErrors(makeError(std::move(failed)), write());
}

std::vector<int64_t> zenith::tools::integersOf(const Tensor &tensor) {
  const auto *elements = reinterpret_cast<const int64_t *>(tensor.bytes());
  return {elements, elements + tensor.size()};
}

Tensor zenith::tools::scalarOf(int64_t value, MLIRContext *context) {
  return Tensor(
      RankedTensorType::get({}, IntegerType::get(context, 64)),
      llvm::ArrayRef(reinterpret_cast<const char *>(&value), sizeof(value)));
}
