// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function as fusion sees it: work ops, which op reads which through which
// metadata ops, and the groups formed so far.

#ifndef ZENITH_PASSES_FUSION_FUSIONGRAPH_H
#define ZENITH_PASSES_FUSION_FUSIONGRAPH_H

#include "ir/matchers/HostScalars.h"
#include "passes/fusion/FusionRule.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace zenith::fusion {

/// One read of a work op's value, through metadata ops (`path`, from the value
/// to the reader; often empty).
struct Read {
  mlir::Operation *reader;
  unsigned operand;
  llvm::SmallVector<mlir::Operation *, 2> path;
  bool asSize = false; ///< the value is a size of a metadata op on the path
};

/// Work ops that become one kernel.
struct Group {
  graph::FusionKind kind = graph::FusionKind::pointwise;
  mlir::Operation *anchor =
      nullptr; ///< contraction or window; the first reduction
  llvm::SmallVector<mlir::Operation *>
      members; ///< in program order once the plan is done
};

class FusionGraph {
public:
  FusionGraph(mlir::func::FuncOp function, graph::DimAnalysis &dims);

  mlir::ArrayRef<mlir::Operation *> work() const { return workOps; }
  bool isWork(mlir::Operation *op) const { return op && groupIndex.count(op); }
  Role role(mlir::Operation *op) const;
  unsigned position(mlir::Operation *op) const { return positions.lookup(op); }

  /// All reads of a work op's value by work ops and, with `reader` outside, by
  /// ops that stay in the function.
  const llvm::SmallVector<Read> &reads(mlir::Value value) const;
  /// Whether all readers of `value` are reductions, at most `distance`
  /// elementwise ops away.
  bool leadsToReductions(mlir::Value value, unsigned distance = 3) const;
  /// The values that an op reads, in its regions too.
  static llvm::SmallVector<mlir::Value> operandsOf(mlir::Operation *op);
  /// The producers of a work op: results of work ops and values from outside,
  /// metadata ops looked through.
  llvm::SmallVector<mlir::Value> sources(mlir::Operation *op) const;
  /// A metadata op whose value is written to memory because a reader needs it
  /// there.
  bool isPinned(mlir::Operation *op) const { return pinned.count(op); }

  Group *group(mlir::Operation *op) const;
  bool isSingle(mlir::Operation *op) const;
  Group *start(mlir::Operation *op, graph::FusionKind kind);
  void add(Group *group, mlir::Operation *op);
  /// Makes the members single again.
  void dissolve(Group *group);
  /// Groups in an order in which each can run after those before it.
  llvm::SmallVector<Group *> order();

  /// True where some work outside of `group` reads from it, directly or not,
  /// and `op` needs that work.
  bool needsIndirectly(mlir::Operation *op, Group *group) const;
  /// True where merging `op` into `group`, whose members read it, leaves
  /// another reader that `group` needs.
  bool feedsIndirectly(mlir::Operation *op, Group *group) const;

  bool sameDims(mlir::Value lhs, mlir::Value rhs) {
    return dims.dimsOf(lhs) == dims.dimsOf(rhs);
  }
  graph::DimAnalysis &analysis() { return dims; }

private:
  using Sources = llvm::SmallSetVector<mlir::Value, 8>;
  /// Adds the sources of one operand, in the order in which they are read.
  void addSources(mlir::Value value, Sources &found) const;
  void pin(mlir::Value value);
  void pinRepeated(mlir::Block &block);
  void computeInt8Input(mlir::Operation *window);
  void decodeWeights(graph::DotGeneralOp dot);
  void pinWhatReadersNeed(mlir::Operation *op);
  void collectReads(mlir::Value value, Read prefix,
                    llvm::SmallVectorImpl<Read> &found) const;
  void addBridges(unsigned from, unsigned to, int count);
  struct Search;
  llvm::SmallVector<mlir::Operation *> readersOf(mlir::Operation *op) const;
  llvm::SmallVector<mlir::Operation *> producersOf(mlir::Operation *op) const;
  bool isReached(mlir::ArrayRef<mlir::Operation *> from,
                 mlir::ArrayRef<mlir::Operation *> to) const;

  graph::DimAnalysis &dims;
  graph::HostScalars host;
  llvm::SmallVector<mlir::Operation *> workOps;
  llvm::DenseMap<mlir::Operation *, unsigned> positions;
  llvm::DenseMap<mlir::Operation *, Role> roles;
  llvm::DenseSet<mlir::Operation *> pinned;
  /// Answers given so far: a value may have thousands of readers.
  mutable llvm::DenseMap<mlir::Value,
                         std::unique_ptr<const llvm::SmallVector<Read>>>
      knownReads;
  mutable llvm::DenseMap<std::pair<mlir::Value, unsigned>, bool> knownLeads;
  llvm::DenseMap<mlir::Operation *, Group *>
      groupIndex; ///< null: work without a group yet
  llvm::SmallVector<std::unique_ptr<Group>> groups;
  /// For each position, how many groups have members before it and from it on.
  llvm::SmallVector<unsigned> bridges;
};

/// The work or outside value that `operand` is computed from, and the metadata
/// ops between them, from the value on.
mlir::Value traceUp(const FusionGraph &graph, mlir::Value operand,
                    llvm::SmallVectorImpl<mlir::Operation *> &path);

/// Only transposes and reshapes.
bool isBijective(mlir::ArrayRef<mlir::Operation *> path);
/// Some broadcast that repeats elements.
bool isExpanding(mlir::ArrayRef<mlir::Operation *> path,
                 graph::DimAnalysis &dims);

} // namespace zenith::fusion

#endif // ZENITH_PASSES_FUSION_FUSIONGRAPH_H
