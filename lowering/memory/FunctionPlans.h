// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What functions need to know of the plans of those that they call.

#ifndef ZENITH_LOWERING_MEMORY_FUNCTIONPLANS_H
#define ZENITH_LOWERING_MEMORY_FUNCTIONPLANS_H

#include "lowering/memory/PlanBuffers.h"

namespace zenith::memory {

class FunctionGraph;

/// On functions: what the phase `remat` knows of its memory, JSON
/// (MemoryFacts.h).
inline constexpr llvm::StringLiteral factsAttrName = "graph.memory_facts";

/// On functions and host programs: the entry of which they are another plan,
/// with less memory and more time than those before.
inline constexpr llvm::StringLiteral planOfAttrName = "graph.plan_of";

/// The entry of which `op` is another plan.
std::optional<llvm::StringRef> planOf(mlir::Operation *op);

/// Visits the functions that `op` calls where it is a branch or a loop: of a
/// branch all, of a loop its condition and its body.
void forEachCallee(mlir::Operation *op, const mlir::SymbolTable &symbols,
                   llvm::function_ref<void(mlir::func::FuncOp)> visit);

/// The functions of a module, each after those that its control ops name: what
/// a loop needs follows from the plan of its body.
std::vector<mlir::func::FuncOp> calleesFirst(mlir::ModuleOp module,
                                             const mlir::SymbolTable &symbols);

/// Writes the part of a plan that callers and reports ask for: bytes of the
/// arena, donations, results that lie in arguments.
void setFunctionPlan(mlir::func::FuncOp function, const BufferPlan &plan);
void removeFunctionPlan(mlir::func::FuncOp function);

/// Plans each function after those that it calls, by `plan`, which may change
/// it. Callees carry their plans meanwhile.
mlir::LogicalResult planCalleesFirst(
    mlir::ModuleOp module, const ModuleContext &context,
    llvm::function_ref<mlir::FailureOr<BufferPlan>(mlir::func::FuncOp)> plan);

/// What the runtime allocates for the results of an entry: buffers in whole
/// lines, and a line for the extents of each.
struct ResultBuffers {
  graph::DimExpr all;
  graph::DimExpr donated; ///< of `all`, those that donated arguments may hold
};
ResultBuffers resultBuffersOf(mlir::func::FuncOp function,
                              graph::DimAnalysis &dims,
                              llvm::ArrayRef<unsigned> donated);

/// What a run of an entry allocates under a plan, with dynamic dimensions at
/// their typical sizes; of a nested function its arena.
double allocatedBytes(mlir::func::FuncOp function, const BufferPlan &plan);

/// The plan of a copy of `function` that `change` has changed; the function
/// stays as it is.
mlir::FailureOr<BufferPlan> planOfCopy(
    mlir::func::FuncOp function, const target::TargetModel &target,
    const ModuleContext &context,
    llvm::function_ref<void(mlir::func::FuncOp, FunctionGraph &)> change);

/// The plan of `function` with its steps in `order`, indices of FunctionGraph
/// that may come again; the function stays as it is.
mlir::FailureOr<BufferPlan> planOfOrder(mlir::func::FuncOp function,
                                        llvm::ArrayRef<unsigned> order,
                                        const target::TargetModel &target,
                                        const ModuleContext &context);

/// The memory graph of the only public function of a scheduled module, else of
/// @main, as remat::toJSON() writes it. Empty where there is neither, or where
/// a function has no plan; the latter is reported.
std::string memoryGraphText(mlir::ModuleOp module);

} // namespace zenith::memory

#endif // ZENITH_LOWERING_MEMORY_FUNCTIONPLANS_H
