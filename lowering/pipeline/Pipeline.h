// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a module through the table of phases.

#ifndef ZENITH_LOWERING_PIPELINE_PIPELINE_H
#define ZENITH_LOWERING_PIPELINE_PIPELINE_H

#include "llvm/Support/Error.h"
#include <functional>
#include <string>

namespace mlir {
class ModuleOp;
class OpPassManager;
} // namespace mlir

namespace zenith::pipeline {

struct PipelineOptions {
  std::string target = "cpu";
  std::string fromPhase; ///< first phase to run; empty = the first of all
  std::string toPhase;   ///< last phase to run; empty = the last of all
  std::string dumpDir; ///< gets NN-phase.mlir, the IR after each phase; empty =
                       ///< no dumps
  bool explain = false;
  int64_t denseIndexBytes = 0; ///< what sets of bits of a search may take
  int64_t memoryBytes = 0;     ///< what a step of a search may take; 0 = any
  std::vector<std::string> withoutSearchForms; ///< not to be chosen
  /// Gets the name and the milliseconds of each phase that runPhases() ran.
  std::function<void(llvm::StringRef, double)> timed;
  std::string mixedPrecision; ///< "bf16", "fp16"; empty = as the module says
};

/// Adds the passes of the chosen phases to `passes` (on modules), with a check
/// of its contract and, if wanted, a dump behind each. Fails on unknown phases
/// and targets, with an error of code Usage.
llvm::Error buildPipeline(mlir::OpPassManager &passes,
                          const PipelineOptions &options);

/// Runs phases on `module`, whose `graph.target` becomes `options.target`.
/// Diagnostics go to the context's handlers. Errors are LLVMErrors: 1 for
/// options, 2 for an invalid module, 3 where something has no lowering, 4 where
/// the compiler itself failed.
llvm::Error runPhases(mlir::ModuleOp module, const PipelineOptions &options);

/// Makes `zenith-phases{from= to= target= dump-phases= explain=}` a pipeline of
/// zenith-opt.
void registerPhasePipeline();

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PIPELINE_PIPELINE_H
