// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of every search: read the graph and states, compile a program, run
// it with its progress shown, and report.

#ifndef ZENITH_TOOLS_SEARCH_SEARCHRUN_H
#define ZENITH_TOOLS_SEARCH_SEARCHRUN_H

#include "frontends/cayley/StateGraph.h"
#include "frontends/models/LoadModel.h"
#include "ir/tensor/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "runtime/Stopwatch.h"
#include "tools/model/PeakMemory.h"
#include "tools/search/SearchOptions.h"
#include "tools/search/StopSignals.h"
#include "llvm/Support/JSON.h"

namespace zenith::models {
class Diagnostics;
}

namespace zenith::tools {

using models::Diagnostics;
class Executor;

/// What most commands read.
struct SearchTask {
  cayley::StateGraph graph;
  std::vector<cayley::State> states;
};

class SearchRun {
public:
  SearchRun(const SearchOptions &options, Diagnostics &diagnostics);
  ~SearchRun();

  /// The graph of the command line, whose generators all reports name.
  llvm::Expected<cayley::StateGraph> graph();
  /// The graph, and states on it as below.
  llvm::Expected<SearchTask> read(llvm::ArrayRef<std::string> texts);
  /// States as the command line writes them; errors where they don't fit.
  llvm::Expected<std::vector<cayley::State>>
  states(llvm::ArrayRef<std::string> texts, const cayley::StateGraph &graph);
  /// The central state where `text` is empty.
  llvm::Expected<cayley::State> state(const std::string &text,
                                      const cayley::StateGraph &graph);

  /// A model file, read into the search's context.
  llvm::Expected<LoadedModel> load(const std::string &path);

  /// Compiles a module, or prints it and gives false where that is asked for.
  /// `folder` is where the paths of parameters start.
  llvm::Expected<bool> compile(mlir::OwningOpRef<mlir::ModuleOp> module,
                               const std::string &folder = ".");
  /// Runs an entry of the latest module. Each step of the first loop adds the
  /// first integer that it carries, the size of a layer, to layers(), which
  /// begin anew with each run unless it `continues` the one before. After a
  /// signal the loop ends, and the results are those of the layers so far.
  /// `takes`: the entry may overwrite its arguments.
  llvm::Expected<std::vector<Tensor>> run(std::vector<Tensor> arguments = {},
                                          llvm::StringRef entry = "main",
                                          bool continues = false,
                                          bool takes = false);
  /// Results of a module that is no search: it is run whole.
  llvm::Expected<std::vector<Tensor>>
  runOnce(mlir::OwningOpRef<mlir::ModuleOp> module,
          llvm::ArrayRef<Tensor> arguments = {});

  /// Sizes of the layers that the latest runs have come to, each of them whole;
  /// none where the interpreter ran.
  const std::vector<int64_t> &layers() const { return sizes; }
  /// The size that the latest step told; 0 after the last layer.
  int64_t lastLayer() const { return lastSize; }
  /// Layers that a checkpoint had.
  void startFrom(std::vector<int64_t> layers);
  /// The search runs in parts: the program has @init, @run and @results in
  /// place of @main.
  bool isStepped() const {
    return options.stepwise > 0 || !options.checkpointDir.empty() ||
           !options.resume.empty() || keepsState;
  }
  /// How many values of the state of a program in parts its steps change.
  size_t carriedValues() const;
  /// A signal has asked for the end.
  bool isStopped() const { return signals.requested(); }
  /// States of layers are written to files. The search runs in parts, so that
  /// those of the whole layers are there when a signal ends one; within a bound
  /// of memory, which may not hold them twice, a signal waits for the layer.
  void storesLayers() {
    bool isBound = options.run.maxMemory || options.run.isInterpreted();
    keepsState = !isBound;
    signals.waitForWhole(isBound);
  }
  /// Progress is shown on a terminal.
  bool tellsProgress() const { return showsProgress; }
  /// How many states there are, for an estimate; 0: not known.
  void expectStates(double count) { expectedStates = count; }

  /// Standard output, or nothing where the JSON goes there.
  llvm::raw_ostream &out() const;
  /// "layers: [1, 3, 6]".
  void printLayers(llvm::ArrayRef<int64_t> layers) const;
  void warn(const std::string &text, const std::string &place);

  /// Starts the JSON result: graph, generators, layers, states, path (null),
  /// found (null), complete (true), reason (null), times and memory. The time
  /// of compilation is told once.
  llvm::json::Object report(llvm::ArrayRef<int64_t> layers);
  /// Adds a result, a line of the JSON file.
  void add(llvm::json::Object report);
  /// Writes the lines.
  llvm::Error write() const;

  /// Ends a search that a signal or an error stopped: what is known of it is
  /// printed and written, `report` with complete and reason set. Gives the
  /// error with the layers that are whole; other errors than too little memory
  /// are given as they are.
  llvm::Error interrupted(llvm::Error error, llvm::json::Object report,
                          llvm::ArrayRef<int64_t> layers,
                          const std::string &what);

  const SearchOptions &options;
  const std::unique_ptr<mlir::MLIRContext> context;

private:
  bool progress(int64_t loop, llvm::ArrayRef<int64_t> carried);
  llvm::Error split(mlir::ModuleOp module) const;
  /// Compiles a module as it is; the latest one is run.
  llvm::Error build(mlir::OwningOpRef<mlir::ModuleOp> module,
                    const std::string &folder, const RunOptions &settings);
  void showProgress(int64_t size);
  Diagnostics &diagnostics;
  runtime::Stopwatch watch;
  bool showsProgress;
  std::vector<int64_t> sizes;
  std::vector<std::string> generatorNames;
  std::string lines;
  PeakMemory peakMemory;
  std::unique_ptr<Executor> executor;
  std::atomic<Executor *> running{nullptr}; ///< what a signal may cancel
  StopSignals signals;
  int64_t seenStates = 0, lastSize = 0;
  /// Loops are no searches, or tell at first what was told before.
  bool isSearching = true, wasTold = false;
  bool keepsState = false; ///< states of layers are wanted after a signal
  std::optional<int64_t> resumedFrom; ///< the last layer of the checkpoint
  double compileMs = 0, runMs = 0, expectedStates = 0;
  int64_t spilledBytes = 0;
};

/// Elements of an i64 tensor.
std::vector<int64_t> integersOf(const Tensor &tensor);
/// A scalar of i64, an argument of a program.
Tensor scalarOf(int64_t value, mlir::MLIRContext *context);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_SEARCH_SEARCHRUN_H
