// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the phase `remat` found out about the memory of an entry.

#ifndef ZENITH_LOWERING_MEMORY_MEMORYFACTS_H
#define ZENITH_LOWERING_MEMORY_MEMORYFACTS_H

#include "lowering/memory/FunctionGraph.h"
#include "passes/remat/RematPlan.h"
#include "llvm/Support/JSON.h"

namespace zenith::memory {

struct MemoryFacts {
  std::string mode = "policy"; ///< off, policy or auto
  std::string order = "given"; ///< or search
  unsigned steps = 0, recomputed = 0;
  StepCost once, added; ///< of all steps once, and of recomputed ones
  /// Bytes of the arena below which no order gets, and the step that needs
  /// them.
  int64_t lowerBound = 0;
  std::string boundStep, boundLocation;
  int64_t leastFound = 0; ///< bytes of the smallest arena of a plan
  /// Bytes of the arena and added cost, in microseconds, of the plans that a
  /// budget may pick.
  std::vector<std::pair<int64_t, double>> plans;
};

/// The facts of a function as it is: each step once.
MemoryFacts factsOf(const FunctionGraph &graph);

/// Counts runs after the first.
void countAdded(MemoryFacts &facts, const FunctionGraph &graph,
                llvm::ArrayRef<unsigned> order);

/// Counts what the functions do that control ops of `function` call: trips that
/// only the run knows count once, and of branches all. Copies with
/// `graph.recomputes` are what is added.
void countCallees(MemoryFacts &facts, mlir::func::FuncOp function,
                  const mlir::SymbolTable &symbols,
                  const target::TargetModel &target);

/// Microseconds for which `function`, and what its control ops run, wait for
/// rows of stacks in a file.
double waitsForRows(mlir::func::FuncOp function,
                    const mlir::SymbolTable &symbols,
                    const target::TargetModel &target,
                    const remat::FileModel &model);

/// Adds what callees cost to the steps that call them: transfers hide behind
/// loops.
void countCallees(FunctionGraph &graph, const mlir::SymbolTable &symbols,
                  const target::TargetModel &target);

llvm::json::Object toJSON(const MemoryFacts &facts);

/// Writes the facts to the attribute of a function that reports read.
void setFacts(mlir::func::FuncOp function, const MemoryFacts &facts);

} // namespace zenith::memory

#endif // ZENITH_LOWERING_MEMORY_MEMORYFACTS_H
