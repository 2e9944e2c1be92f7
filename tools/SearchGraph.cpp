// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of zenith-search: the graph, its program, the run, the answer.

#include "tools/SearchGraph.h"

#include "frontends/cayley/BuildGrowth.h"
#include "tools/Diagnostics.h"
#include "tools/Executor.h"
#include "tools/LoadModel.h"
#include "tools/SearchOptions.h"
#include "tools/Stopwatch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;

namespace {
struct GrowthResult {
  std::vector<int64_t> layers;
  int64_t states = 0;
  double compileMs = 0, runMs = 0;
};
} // namespace

static llvm::Expected<std::vector<cayley::State>>
startStates(const SearchOptions &options, const cayley::StateGraph &graph) {
  std::vector<cayley::State> states;
  for (const std::string &text : options.starts) {
    llvm::Expected<cayley::State> state = cayley::parseState(text);
    if (!state)
      return state.takeError();
    if (state->size() != graph.central.size())
      return failure(ExitCode::Invalid,
                     "a state of this graph has " +
                         std::to_string(graph.central.size()) +
                         " numbers, got " + std::to_string(state->size()),
                     text.substr(0, 80));
    for (int64_t number : *state)
      if (graph.modulus && number >= graph.modulus)
        return failure(ExitCode::Invalid,
                       "numbers of a state are below the modulus " +
                           std::to_string(graph.modulus),
                       text.substr(0, 80));
    states.push_back(std::move(*state));
  }
  if (states.empty())
    states.push_back(graph.central);
  return states;
}

static llvm::Error writeJSON(const SearchOptions &options,
                             const GrowthResult &result) {
  if (options.jsonFile.empty())
    return llvm::Error::success();
  llvm::json::Object object{
      {"graph", options.graph},  {"layers", llvm::json::Array(result.layers)},
      {"states", result.states}, {"path", nullptr},
      {"found", nullptr},        {"compile_ms", result.compileMs},
      {"run_ms", result.runMs},  {"peak_bytes", peakBytes()}};
  if (options.jsonFile == "-") {
    llvm::outs() << llvm::json::Value(std::move(object)) << "\n";
    return llvm::Error::success();
  }
  std::error_code code;
  llvm::raw_fd_ostream os(options.jsonFile, code);
  if (!code) {
    os << llvm::json::Value(std::move(object)) << "\n";
    os.flush();
    code = os.error();
    os.clear_error();
  }
  if (code)
    return failure(ExitCode::Invalid, "cannot write: " + code.message(),
                   options.jsonFile);
  return llvm::Error::success();
}

static llvm::Error runGrowth(const SearchOptions &options,
                             Diagnostics &diagnostics) {
  Stopwatch watch;
  auto graph = cayley::loadStateGraph(options.graph);
  if (!graph)
    return graph.takeError();
  auto starts = startStates(options, *graph);
  if (!starts)
    return starts.takeError();
  cayley::GrowthOptions growth;
  growth.starts = std::move(*starts);
  growth.maxLayers = options.maxLayers;
  std::unique_ptr<MLIRContext> context = makeContext();
  OwningOpRef<ModuleOp> module =
      cayley::buildGrowth(*graph, growth, context.get());
  if (options.emitGraphIR) {
    module->print(llvm::outs());
    llvm::outs() << "\n";
    return llvm::Error::success();
  }
  auto executor = makeExecutor(std::move(module), "", options.run, diagnostics);
  if (!executor)
    return executor.takeError();
  GrowthResult result;
  result.compileMs = watch.restart();
  llvm::Expected<std::vector<Tensor>> values = (*executor)->run({});
  if (!values)
    return values.takeError();
  result.runMs = watch.ms();
  const Tensor &sizes = values->front();
  const auto *numbers = reinterpret_cast<const int64_t *>(sizes.bytes());
  result.layers.assign(numbers, numbers + sizes.size());
  for (int64_t size : result.layers)
    result.states += size;
  llvm::outs() << "layers: [";
  llvm::interleaveComma(result.layers, llvm::outs());
  llvm::outs() << "]\n";
  return writeJSON(options, result);
}

int zenith::tools::searchGraph(const SearchOptions &options,
                               Diagnostics &diagnostics) {
  return diagnostics.report(runGrowth(options, diagnostics));
}
