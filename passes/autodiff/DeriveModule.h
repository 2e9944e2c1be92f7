// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derives functions of a module: those that the program says, and those that a
// user asks for.

#ifndef ZENITH_PASSES_AUTODIFF_DERIVEMODULE_H
#define ZENITH_PASSES_AUTODIFF_DERIVEMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "passes/autodiff/Transformation.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace zenith::autodiff {

/// Runs the passes that a function adds on the module that is derived.
using BuildPasses = llvm::function_ref<void(mlir::OpPassManager &)>;
using RunPasses = llvm::function_ref<llvm::LogicalResult(BuildPasses)>;

/// Whether a function is to be derived, has a rule of its own, or stops
/// gradients: what deriveModule() leaves none of.
bool needsDerivation(mlir::ModuleOp module);

/// Simplifies the module as the clean phase does, so that rules see composites
/// and raised regions, applies `transformations` in order, each to what the one
/// before made, and fills functions with graph.derive, callees first. Returns
/// the name of the entry: of the last function made, which becomes public, or
/// `entry`. Under a budget of memory for a run, in bytes, 0 for none, loops
/// whose trips depend on data store what fits.
/// Errors are those of applyTransformation(), and Invalid for derivations that
/// need each other or give another signature than is declared.
llvm::Expected<std::string>
deriveModule(mlir::ModuleOp module, llvm::StringRef entry,
             llvm::ArrayRef<Transformation> transformations,
             RunPasses runPasses, int64_t budgetBytes = 0);

} // namespace zenith::autodiff

#endif // ZENITH_PASSES_AUTODIFF_DERIVEMODULE_H
