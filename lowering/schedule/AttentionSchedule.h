// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention as loops: where queries, keys and values lie, what is packed first,
// how rows of queries are dealt to tasks.

#ifndef ZENITH_LOWERING_SCHEDULE_ATTENTIONSCHEDULE_H
#define ZENITH_LOWERING_SCHEDULE_ATTENTIONSCHEDULE_H

#include "lowering/schedule/ContractionSpace.h"

namespace zenith::kernels {

/// Keys or values: a matrix [T, features] per batch entry, features side by
/// side.
struct AttentionRows {
  Source source;
  llvm::SmallVector<StridedDim> batch; ///< digits of the batch dimensions
  graph::DimExpr stride;               ///< from one position to the next
  int64_t features = 0;
  /// The same in panels; absent where rows are read as they lie.
  struct Panels {
    unsigned scratch = 0;
    llvm::SmallVector<StridedDim> batch;
  };
  std::optional<Panels> panels;
};

struct AttentionSchedule {
  graph::AttentionOp op;
  /// The product of weights and values: what the epilogue and the preparations
  /// ask for.
  ContractionSpace product;
  /// One behind the other; several for few queries only.
  struct Piece {
    AttentionRows keys, values;
    graph::DimExpr keyCount;
  };
  llvm::SmallVector<Piece, 1> pieces;
  graph::DimExpr queryCount, keyCount;
  int64_t depth = 0;                    ///< features of queries and keys
  unsigned columns = 0, heights = 0;    ///< of a micro-kernel's tile
  int64_t blockRows = 0, blockKeys = 0; ///< largest block of scores
  graph::DimExpr rowsPerTask, rowBlocks;

  /// Whether there are few queries, which meet keys and values where they lie;
  /// nullopt where that shows when it runs.
  std::optional<bool> hasFewQueries() const;
};

/// The attention of a fusion; null if there is none.
graph::AttentionOp attentionAnchor(graph::FusionOp fusion);

/// A way to compute attention, for some numbers of keys.
struct AttentionVariant {
  TargetModel target;   ///< with the register tile that suits them
  int64_t mostKeys = 0; ///< 0: any number
  graph::DimExpr taken; ///< 1 where the run takes it, else 0
};
/// Of which each run takes one.
llvm::SmallVector<AttentionVariant, 2>
attentionVariants(graph::FusionOp fusion, graph::DimAnalysis &dims,
                  const TargetModel &target);

/// Failure has been reported at the op.
mlir::FailureOr<AttentionSchedule>
attentionSchedule(graph::FusionOp fusion, graph::DimAnalysis &dims,
                  const AttentionVariant &variant);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_ATTENTIONSCHEDULE_H
