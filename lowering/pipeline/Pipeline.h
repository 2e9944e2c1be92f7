// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a module through the table of phases.

#ifndef ZENITH_LOWERING_PIPELINE_PIPELINE_H
#define ZENITH_LOWERING_PIPELINE_PIPELINE_H

#include "llvm/Support/Error.h"

namespace mlir {
class ModuleOp;
class OpPassManager;
} // namespace mlir

namespace zenith::pipeline {

struct CompileOptions;
struct PhaseOptions;

/// The options with what their target can do. Fails on unknown targets, with an
/// error of code Usage.
llvm::Expected<PhaseOptions> phaseOptions(const CompileOptions &options);

/// Adds the passes of the chosen phases, by default all, to `passes` (on
/// modules). After each phase its contract is checked and, if wanted, the IR is
/// dumped. Fails on unknown phases and targets and on a first phase after the
/// last, with an error of code Usage.
llvm::Error buildPipeline(mlir::OpPassManager &passes,
                          const CompileOptions &options);

/// Runs phases on `module`: from options.fromPhase, by default the one after
/// the phase that the module has left, up to options.toPhase. `graph.target`
/// names the processor, `graph.phase` the last phase. Diagnostics go to the
/// context's handlers. Errors are LLVMErrors: 1 for options, 2 for an invalid
/// module, 3 where something has no lowering, 4 where the compiler itself
/// failed.
llvm::Error runPhases(mlir::ModuleOp module, const CompileOptions &options);

/// Makes every pass known by its name to textual pipelines, once per process:
/// those of MLIR's transforms, of all folders of passes and of lowering, and
/// `zenith-phases{...}`, with the options of CompileOptions.def that zenith-opt
/// takes, and `folder`, where paths of parameters start.
void registerAllPasses();

/// Tells each zenith-phases of `passes` where paths of parameters start.
void setPhasesFolder(mlir::OpPassManager &passes, llvm::StringRef folder);

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PIPELINE_PIPELINE_H
