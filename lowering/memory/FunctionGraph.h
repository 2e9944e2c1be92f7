// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A scheduled function as the planner of memory sees it, and orders of the
// planner written back.

#ifndef ZENITH_LOWERING_MEMORY_FUNCTIONGRAPH_H
#define ZENITH_LOWERING_MEMORY_FUNCTIONGRAPH_H

#include "ir/liveness/Liveness.h"
#include "ir/target/TargetModel.h"
#include "passes/remat/OffloadPlan.h"

namespace zenith::memory {

/// On copies of fusions: the step, an index in the order of the function before
/// the phase `remat`, that they compute again.
inline constexpr llvm::StringLiteral recomputesAttrName = "graph.recomputes";

/// What a step costs.
struct StepCost {
  double flops = 0, microseconds = 0;
};

/// Steps are the ops of a straight-line function; parameters and constants, ops
/// that only rename bytes, and the return are none. Values are groups of bytes
/// in the arena, in whole lines; dynamic sizes count as typical ones. Sizes
/// in the caller's buffers, and scalars of the host, are 0. A result that can
/// take over a donated argument comes after its readers, a fusion after the
/// assertions about data in front of it.
class FunctionGraph {
public:
  /// The functions that control ops of `function` call have their plans in
  /// attributes.
  FunctionGraph(mlir::func::FuncOp function, graph::DimAnalysis &dims,
                const target::TargetModel &target,
                const mlir::SymbolTable &symbols);

  const remat::MemoryGraph &graph() const { return memory; }
  /// Adds to the cost of a step in graph().
  void addCost(unsigned step, double microseconds) {
    memory.steps[step].cost += microseconds;
  }
  mlir::Operation *opOf(unsigned step) const { return ops[step]; }
  const StepCost &costOf(unsigned step) const { return costs[step]; }

  /// The step of an op; none for ops that only rename bytes.
  std::optional<unsigned> stepOf(mlir::Operation *op) const {
    auto found = steps.find(op);
    return found == steps.end() ? std::nullopt
                                : std::optional<unsigned>(found->second);
  }
  /// The value of the graph of which `value` is the bytes; none for those that
  /// no step reads or writes.
  std::optional<unsigned> valueIndex(mlir::Value value) const;
  /// The first value that lies where value `index` of the graph does.
  mlir::Value rootAt(unsigned index) const { return roots[index]; }
  /// Whether values may wait in a file: a step makes them in the arena, and
  /// their sizes are known at compile time.
  std::vector<bool> mayLeave() const;
  /// Ops that only rename bytes: reshapes, and barriers for values that may
  /// wait in a file.
  bool isAlias(mlir::Operation *op) const;

  /// Moves the ops into the order, which checkGraph() and timelineOf() accept;
  /// steps that come again are copied with their schedules. Readers behind a
  /// gap get barriers for values that may wait in a file. The object is of no
  /// use afterwards.
  void apply(llvm::ArrayRef<unsigned> order,
             llvm::ArrayRef<remat::ReadGap> gaps = {});
  /// Ops from `first` on read `to`, made before, instead of `from`, whose bytes
  /// it has; reshapes that they read are copied.
  void replaceFrom(mlir::Value from, mlir::Value to, mlir::Operation *first);

private:
  using Value = mlir::Value;
  using Operation = mlir::Operation;

  Value rootOf(Value value, llvm::SmallVectorImpl<unsigned> *barriers) const;
  unsigned valueOf(Value root);
  void noteScalarsOfData(mlir::Block &body);
  void addStep(Operation *op);
  void addShares(Operation *op, remat::MemoryStep &step);
  int64_t scratchOf(Operation *op);
  void keepDonations();
  bool mustPrecede(unsigned first, unsigned second) const;
  bool isReturned(Value root) const { return returned.contains(root); }

  mlir::func::FuncOp function;
  graph::DimAnalysis &dims;
  const target::TargetModel &target;
  const mlir::SymbolTable &symbols;
  liveness::HostValues host;
  remat::MemoryGraph memory;
  std::vector<Operation *> ops;
  std::vector<StepCost> costs;
  llvm::DenseMap<Operation *, unsigned> steps;
  llvm::DenseMap<Value, unsigned> values; ///< of roots
  std::vector<Value> roots;               ///< by value
  llvm::DenseSet<Value> returned;         ///< roots
  llvm::DenseSet<Value> scalarsOfData;    ///< of the host, from data of the run
  std::optional<unsigned> lastFixed;      ///< the last step that must not move
  std::optional<unsigned> lastCheck;      ///< the last assertion about data
};

} // namespace zenith::memory

#endif // ZENITH_LOWERING_MEMORY_FUNCTIONGRAPH_H
