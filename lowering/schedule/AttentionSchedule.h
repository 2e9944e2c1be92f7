// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention as loops: where queries, keys and values lie in memory, what is
// packed first, and how rows of queries are divided among tasks.

#ifndef ZENITH_LOWERING_SCHEDULE_ATTENTIONSCHEDULE_H
#define ZENITH_LOWERING_SCHEDULE_ATTENTIONSCHEDULE_H

#include "lowering/schedule/EpilogueForm.h"
#include "lowering/schedule/Schedule.h"

namespace zenith::kernels {

/// Keys or values: a matrix [T, features] per batch entry, with contiguous
/// features.
struct AttentionRows {
  OperandSource source;
  llvm::SmallVector<StridedDim> batch; ///< digits of the batch dimensions
  graph::DimExpr stride;               ///< of positions, in elements
  int64_t features = 0;
  /// A copy in panels; absent where rows are read where they lie.
  struct Panels {
    unsigned scratch = 0;
    llvm::SmallVector<StridedDim> batch;
  };
  std::optional<Panels> panels;
};

struct AttentionSchedule {
  graph::AttentionOp op;
  /// The matmul of weights and values, as far as the epilogue and the
  /// preparations need it.
  ContractionSpace matmul;
  /// KV-cache segments, one after the other; several for few queries only.
  struct Segment {
    AttentionRows keys, values;
    graph::DimExpr keyCount;
  };
  llvm::SmallVector<Segment, 1> segments;
  graph::DimExpr queryCount, keyCount;
  int64_t headSize = 0; ///< features of queries and keys
  /// Tiles of scores multiply pairs of bf16, and all scores are scaled after
  /// they are summed, as queries that were scaled would be no bf16.
  bool multipliesPairs = false;
  unsigned nr = 0, mr = 0;              ///< of the register tile
  int64_t blockRows = 0, blockKeys = 0; ///< largest block of scores
  graph::DimExpr rowsPerTask, rowBlocks;

  /// Whether keys and values are read where they lie; nullopt where only the
  /// run knows: it does for up to `mostInPlace` queries.
  std::optional<bool> isInPlace;
  int64_t mostInPlace = 0;
};

/// The attention of a fusion; null if there is none.
graph::AttentionOp attentionAnchor(graph::FusionOp fusion);

/// A variant of attention, for some numbers of keys.
struct AttentionVariant {
  TargetModel target;   ///< with the register tile for them
  int64_t mostKeys = 0; ///< 0: any number
  graph::DimExpr guard; ///< 1 where the run takes this variant, else 0
  /// Largest block of scores, multiples of the tile; 0: by the caches.
  int64_t blockRows = 0, blockKeys = 0;
  /// How keys and values come; open: by their strides and the queries.
  sched::Operands operands = {};
  /// Queries up to which a run reads both where they lie; 0: left to the
  /// target.
  int64_t mostInPlace = 0;
};
/// What the schedule says, or else what sizes and target choose: the variants,
/// of which each run takes one by its number of keys.
llvm::SmallVector<AttentionVariant, 2>
attentionVariants(graph::FusionOp fusion, graph::DimAnalysis &dims,
                  const TargetModel &target);

/// The loops of a variant. Reports failure at the op.
mlir::FailureOr<AttentionSchedule>
attentionSchedule(graph::FusionOp fusion, graph::DimAnalysis &dims,
                  const AttentionVariant &variant);

/// What emission makes of a variant.
struct ScheduledAttention {
  AttentionVariant variant;
  AttentionSchedule loops;
  EpilogueForm form;
};
/// Reads the schedule of an attention, which has all keys. Reports failure at
/// the op.
mlir::FailureOr<std::vector<ScheduledAttention>>
scheduledAttention(graph::FusionOp fusion, graph::DimAnalysis &dims,
                   const TargetModel &target);

/// Adds the scratch of a variant's loops: variants share buffers, since a run
/// takes one of them.
void addScratch(llvm::SmallVector<graph::DimExpr> &bytes,
                const AttentionSchedule &space);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_ATTENTIONSCHEDULE_H
