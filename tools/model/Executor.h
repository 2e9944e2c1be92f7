// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Something that runs the entry of a model: the interpreter or compiled code.

#ifndef ZENITH_TOOLS_MODEL_EXECUTOR_H
#define ZENITH_TOOLS_MODEL_EXECUTOR_H

#include "frontends/models/TargetNames.h"
#include "ir/tensor/Tensor.h"
#include "lowering/memory/MemoryReport.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace zenith::pipeline {
struct CompileTimes;
}

namespace zenith::models {
class Diagnostics;
}

namespace zenith::tools {

using models::Diagnostics;
using models::isTarget;
using models::targetsHere;
struct RunOptions;

/// A kernel's part in a run.
struct KernelFigures {
  std::string name;
  std::vector<std::string> sources; ///< nodes that it computes
  int64_t calls = 0;
  double ms = 0;
  double flops = 0, bytes = 0; ///< at least; 0 where the sizes stay unknown
};

class Executor {
public:
  virtual ~Executor() = default;
  virtual llvm::Expected<std::vector<Tensor>>
  run(llvm::ArrayRef<Tensor> arguments) = 0;
  /// One timed run: its results are not copied out.
  virtual llvm::Error runOnly(llvm::ArrayRef<Tensor> arguments) {
    return run(arguments).takeError();
  }
  /// What --report=memory says for these sizes of named dimensions.
  virtual llvm::json::Object
  memoryReport(const std::map<std::string, int64_t> &dims) = 0;
  /// What lives when in the arena (memory::timelineOf); nullopt where that is
  /// not known.
  virtual std::optional<llvm::json::Object>
  memoryTimeline(const std::map<std::string, int64_t> &) {
    return std::nullopt;
  }
  /// Why options.maxMemory cannot be met for these sizes, before a run.
  virtual std::optional<memory::BudgetRefusal>
  refusal(const std::map<std::string, int64_t> &) {
    return std::nullopt;
  }
  /// Called when a loop of the entry evaluates its condition, with the index of
  /// the loop and its loop-carried integer scalars; false ends the loop, as if
  /// its condition did not hold. The interpreter never calls it.
  virtual void onProgress(
      std::function<bool(int64_t loop, llvm::ArrayRef<int64_t> carried)>) {}
  /// Another entry of the same program, by name. `takes`: arguments are results
  /// or copies that nobody else reads, and may be overwritten.
  virtual llvm::Expected<std::vector<Tensor>>
  runEntry(llvm::StringRef name, std::vector<Tensor> arguments, bool takes) = 0;
  /// The public names of an entry's arguments.
  virtual std::vector<std::string> argumentNames(llvm::StringRef entry) = 0;
  /// Makes a run in progress end with an error; from any thread or a signal
  /// handler. Nothing where runs cannot be cancelled.
  virtual void cancel() {}
  /// Bytes of the arena of the latest run; 0 where there is none.
  virtual int64_t arenaBytes() { return 0; }
  /// Most bytes that the latest run had at a time beside inputs, parameters and
  /// the buffers that timed runs write their results to again and again: arena
  /// and pool; 0 where that is not known.
  virtual int64_t transientBytes() { return 0; }
  /// Most bytes that the latest run had in files because they exceeded
  /// options.maxMemory.
  virtual int64_t spilledBytes() { return 0; }
  /// Most bytes of arena, pool and results of the runs so far; nothing where
  /// that is not known.
  virtual std::optional<int64_t> measuredPeak() { return std::nullopt; }
  /// Measures the kernels of the runs that follow, until `stopMeasuring`.
  virtual void startMeasuring() {}
  /// Their parts in these runs together; empty where there are no kernels.
  virtual std::vector<KernelFigures> stopMeasuring() { return {}; }
  /// Null where nothing was compiled.
  virtual const pipeline::CompileTimes *compileTimes() { return nullptr; }
  /// Milliseconds that binding parameters and @prepare took.
  virtual double prepareMs() { return 0; }
};

/// One line for each target of this machine.
std::vector<std::string> listTargets();

/// Takes the module through the precision phase where the options or
/// graph.precision have a policy: what the interpreter then runs has the
/// meaning of the compiled program. Remarks go to `diagnostics`, if any.
llvm::Error applyPolicy(mlir::ModuleOp module, const std::string &folder,
                        const RunOptions &options, Diagnostics *diagnostics);
/// Runs `entry` of the module by the reference interpreter; `folder` is where
/// the paths of parameters start. Warnings go to `diagnostics`, if any.
llvm::Expected<std::unique_ptr<Executor>>
makeInterpreter(mlir::OwningOpRef<mlir::ModuleOp> module,
                const std::string &folder, const RunOptions &options,
                Diagnostics *diagnostics = nullptr);
/// Compiles for options.target. Remarks that options.explain asks for go to
/// `diagnostics`.
llvm::Expected<std::unique_ptr<Executor>>
makeCompiled(mlir::OwningOpRef<mlir::ModuleOp> module,
             const std::string &folder, const RunOptions &options,
             Diagnostics &diagnostics);
/// The one of both that options.target says.
llvm::Expected<std::unique_ptr<Executor>>
makeExecutor(mlir::OwningOpRef<mlir::ModuleOp> module,
             const std::string &folder, const RunOptions &options,
             Diagnostics &diagnostics);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_MODEL_EXECUTOR_H
