// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Greedy fusion: decides which work ops become one kernel. Contractions and
// windows take their epilogues first, then reductions their rows, then
// pointwise ops join their consumers or each other.

#ifndef ZENITH_PASSES_FUSION_FUSIONPLAN_H
#define ZENITH_PASSES_FUSION_FUSIONPLAN_H

#include "ir/SearchOps.h"
#include "ir/remarks/Remark.h"
#include "passes/fusion/FusionGraph.h"

namespace zenith::fusion {

struct PlanOptions {
  bool explain = false;
  unsigned maxReads = 128;
  unsigned maxMembers = 96; ///< ops of one region: compile time grows with them
  unsigned maxResults = 8;
  /// Ops of one region that computes chunks of candidates.
  unsigned maxChunkMembers = 8192;
};

class FusionPlan {
public:
  FusionPlan(FusionGraph &graph, const PlanOptions &options)
      : graph(graph), options(options) {}

  /// Puts every work op into a group.
  void build();

private:
  // AnchorGrowth.cpp
  void growAnchor(mlir::Operation *anchor, graph::FusionKind kind);
  void growEpilogue(mlir::Operation *anchor, graph::FusionKind kind);
  bool joinsEpilogue(mlir::Operation *op, Group *group);
  // GateGrowth.cpp
  struct Gates;
  bool growGates(Group *group);
  bool joinsGates(mlir::Operation *op, Group *group, const Gates &gates);
  void absorbStepInputs(Group *group);
  bool isWrittenForReductions(mlir::Operation *member) const;
  // ReductionGrowth.cpp
  void growReduction(mlir::Operation *reduction);
  bool growReduction(mlir::Operation *reduction, unsigned ambition);
  // PointwiseGrowth.cpp
  void assignPointwise(mlir::Operation *op);
  bool computesOperandOf(mlir::Operation *op, Group *group);
  bool joinsAsProducer(mlir::Operation *op, Group *group);
  bool joinsChunks(mlir::Operation *op, Group *group);
  bool assignPositions(search::BitPositionsOp op);
  bool joinsAsResult(mlir::Operation *op, Group *group);

  bool absorbProducers(Group *group, bool sharedToo);
  bool readsStayFew(Group *group, mlir::Operation *joining);
  unsigned resultCount(Group *group) const;
  void remark(mlir::Operation *op, remarks::Code code,
              llvm::ArrayRef<remarks::Value> values = {}) const;
  void remarkGroup(Group *group) const;

  FusionGraph &graph;
  PlanOptions options;
  llvm::DenseMap<mlir::Operation *, bool> writtenForReductions;
  /// Movement between an anchor and the space that a member of its epilogue
  /// computes in.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *>>
      spaces;
};

} // namespace zenith::fusion

#endif // ZENITH_PASSES_FUSION_FUSIONPLAN_H
