// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens between phases: a module knows its target and the phase that it
// has left, contracts are checked, dumps are written.

#ifndef ZENITH_LOWERING_PIPELINE_PHASEBOUNDARY_H
#define ZENITH_LOWERING_PIPELINE_PHASEBOUNDARY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace mlir {
class ModuleOp;
class Pass;
} // namespace mlir

namespace zenith::target {
struct TargetModel;
}

namespace zenith::pipeline {

struct Phase;

/// The module's attribute with the name of the last phase that it went through.
inline constexpr llvm::StringLiteral phaseAttrName = "graph.phase";

/// Index of the phase that `module` has left; -1 where it has been through
/// none. Without the attribute the ops say it: fusions, buffers and host
/// programs are made by one phase each. Fails on an unknown name, code Invalid.
llvm::Expected<int> phaseLeft(mlir::ModuleOp module);

/// Index of the first phase to run: `from`, else the one after the phase that
/// the module has left. Fails on unknown names.
llvm::Expected<int> firstPhase(mlir::ModuleOp module, llvm::StringRef from);

/// Index of a phase that an option names, or `otherwise` without a name. Fails
/// on unknown names with code Usage.
llvm::Expected<int> findPhase(llvm::StringRef name, int otherwise);

/// Writes the target into the module, where passes of all phases find it. A
/// module that was laid out for a target keeps it, as far as `model`, the
/// machine to compile for, has the instructions that it counts on; else an
/// error of code Unsupported. An earlier one keeps what it has for `text`.
llvm::Error settleTarget(mlir::ModuleOp module, llvm::StringRef text,
                         const target::TargetModel &model);

/// The same as a pass.
std::unique_ptr<mlir::Pass>
createSettleTargetPass(std::string text, const target::TargetModel &model);

/// Checks the contract of a phase: names the op that leaked and the phase that
/// owed its removal. Records that the module has left the phase.
std::unique_ptr<mlir::Pass> createFinishPhasePass(const Phase &phase);

/// Writes the IR to a file that parses again. Its ops have no locations but
/// their own lines; arguments that a location names get that name. Paths of
/// parameters, relative to `folder`, become relative to the file.
std::unique_ptr<mlir::Pass> createDumpPhasePass(std::string path,
                                                std::string folder);

/// Writes the schedules of the module's fusions to a JSON file.
std::unique_ptr<mlir::Pass> createDumpSchedulesPass(std::string path);

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PIPELINE_PHASEBOUNDARY_H
