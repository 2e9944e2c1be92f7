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
#include "tools/model/CompiledModel.h"
#include "tools/model/Executor.h"
#include "tools/model/PeakMemory.h"
#include "tools/run/RunReports.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <numeric>

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;

SearchRun::SearchRun(const SearchOptions &options, Diagnostics &diagnostics)
    : options(options), context(makeContext()), diagnostics(diagnostics),
      showsProgress(llvm::sys::Process::StandardErrIsDisplayed()) {}

SearchRun::~SearchRun() = default;

llvm::Expected<cayley::StateGraph> SearchRun::graph() {
  return cayley::loadStateGraph(options.graph);
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
void SearchRun::progress(int64_t loop, llvm::ArrayRef<int64_t> carried,
                         Executor &executor) {
  if (loop != 0 || carried.empty())
    return;
  // The empty layer after the last one does not count.
  if (carried[0] > 0)
    sizes.push_back(carried[0]);
  if (!showsProgress)
    return;
  llvm::errs() << "\r" << sizes.size() << ": " << carried[0] << " states   ";
  constexpr int64_t mebibyte = 1 << 20;
  if (int64_t spilled = executor.spilledBytes())
    llvm::errs() << "(" << spilled / mebibyte << " MiB in files)   ";
}

llvm::Expected<LoadedModel> SearchRun::load(const std::string &path) {
  return loadModel(path, context.get(), LoadOptions(), diagnostics);
}

llvm::Expected<std::vector<Tensor>>
SearchRun::run(OwningOpRef<ModuleOp> module, llvm::ArrayRef<Tensor> arguments,
               const std::string &folder) {
  if (options.printed == PrintedForm::GraphIR) {
    module->print(llvm::outs());
    llvm::outs() << "\n";
    return std::vector<Tensor>();
  }
  auto executor =
      makeExecutor(std::move(module), folder, options.run, diagnostics);
  if (!executor)
    return executor.takeError();
  sizes.clear();
  (*executor)->onProgress([&](int64_t loop, llvm::ArrayRef<int64_t> carried) {
    progress(loop, carried, **executor);
  });
  bool measures = !options.run.reports.empty();
  if (measures)
    (*executor)->startMeasuring();
  compileMs += watch.restart();
  llvm::Expected<std::vector<Tensor>> results = (*executor)->run(arguments);
  runMs += watch.restart();
  if (measures) {
    printKernelReports(options.run, compileReport(**executor),
                       (*executor)->stopMeasuring());
    watch.restart();
  }
  int64_t spilled = (*executor)->spilledBytes();
  if (spilled > 0)
    printRemark(pipeline::makeRemark(remarks::Code::SEA201,
                                     {spilled, options.run.spillFolder},
                                     options.graph),
                options.run, diagnostics);
  spilledBytes = std::max(spilledBytes, spilled);
  if (showsProgress && !sizes.empty())
    llvm::errs() << "\r" << std::string(64, ' ') << "\r";
  return results;
}

llvm::json::Object SearchRun::report(llvm::ArrayRef<int64_t> layers) const {
  int64_t states = std::accumulate(layers.begin(), layers.end(), int64_t(0));
  return llvm::json::Object{{"graph", options.graph},
                            {"layers", llvm::json::Array(layers)},
                            {"states", states},
                            {"path", nullptr},
                            {"found", nullptr},
                            {"compile_ms", compileMs},
                            {"run_ms", runMs},
                            {"peak_bytes", peakBytes()},
                            {"spilled_bytes", spilledBytes}};
}

llvm::Error SearchRun::write(llvm::json::Object report) const {
  if (options.jsonFile.empty())
    return llvm::Error::success();
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::json::Value(std::move(report)) << "\n";
  return writeFile(options.jsonFile, text);
}

llvm::Error SearchRun::incomplete(llvm::Error error, const std::string &what,
                                  llvm::ArrayRef<int64_t> layers) {
  return llvm::handleErrors(
      std::move(error), [&](std::unique_ptr<LLVMError> held) -> llvm::Error {
        if (sizes.empty())
          return llvm::Error(std::move(held));
        printLayers(layers);
        llvm::outs() << "incomplete\n";
        llvm::json::Object object = report(layers);
        object["complete"] = false;
        if (llvm::Error unwritten = write(std::move(object)))
          return llvm::joinErrors(llvm::Error(std::move(held)),
                                  std::move(unwritten));
        Error failed = held->error();
        failed.text += " (" + what + " " + std::to_string(sizes.size()) +
                       " was being searched, " + std::to_string(sizes.back()) +
                       " states came before)";
        return makeError(std::move(failed));
      });
}

std::vector<int64_t> zenith::tools::integersOf(const Tensor &tensor) {
  const auto *elements = reinterpret_cast<const int64_t *>(tensor.bytes());
  return {elements, elements + tensor.size()};
}

void zenith::tools::printLayers(llvm::ArrayRef<int64_t> layers) {
  llvm::outs() << "layers: [";
  llvm::interleaveComma(layers, llvm::outs());
  llvm::outs() << "]\n";
}
