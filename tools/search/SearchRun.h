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
#include "tools/search/SearchOptions.h"
#include "llvm/Support/JSON.h"

namespace zenith::models {
class Diagnostics;
}

namespace zenith::tools {

using models::Diagnostics;
class Executor;

class SearchRun {
public:
  SearchRun(const SearchOptions &options, Diagnostics &diagnostics);
  ~SearchRun();

  llvm::Expected<cayley::StateGraph> graph();
  /// States as the command line writes them; errors where they don't fit.
  llvm::Expected<std::vector<cayley::State>>
  states(llvm::ArrayRef<std::string> texts, const cayley::StateGraph &graph);
  llvm::Expected<cayley::State> state(const std::string &text,
                                      const cayley::StateGraph &graph);

  /// A model file, read into the search's context.
  llvm::Expected<LoadedModel> load(const std::string &path);

  /// Compiles and runs @main, or prints the module and gives no results where
  /// that is asked for. `folder` is where the paths of parameters start. Each
  /// step of the first loop of @main adds the first integer that it carries,
  /// the size of a layer, to layers().
  llvm::Expected<std::vector<Tensor>>
  run(mlir::OwningOpRef<mlir::ModuleOp> module,
      llvm::ArrayRef<Tensor> arguments = {}, const std::string &folder = ".");

  /// Sizes of the layers that the latest run has come to.
  const std::vector<int64_t> &layers() const { return sizes; }
  /// Starts the JSON result: graph, layers, states, path (null), found (null),
  /// times and memory.
  llvm::json::Object report(llvm::ArrayRef<int64_t> layers) const;
  llvm::Error write(llvm::json::Object report) const;
  /// The error of a run that stopped after layers(), which are written and
  /// printed as incomplete, in the order of `layers`; `what` is their name:
  /// "layer" or "step".
  llvm::Error incomplete(llvm::Error error, const std::string &what,
                         llvm::ArrayRef<int64_t> layers);

  const SearchOptions &options;
  const std::unique_ptr<mlir::MLIRContext> context;

private:
  void progress(int64_t loop, llvm::ArrayRef<int64_t> carried,
                Executor &executor);
  Diagnostics &diagnostics;
  runtime::Stopwatch watch;
  bool showsProgress;
  std::vector<int64_t> sizes;
  double compileMs = 0, runMs = 0;
  int64_t spilledBytes = 0;
};

/// Elements of an i64 tensor.
std::vector<int64_t> integersOf(const Tensor &tensor);
/// "layers: [1, 3, 6]" on standard output.
void printLayers(llvm::ArrayRef<int64_t> layers);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_SEARCH_SEARCHRUN_H
