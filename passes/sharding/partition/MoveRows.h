// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a dealt dimension that a device needs and others own: each hop to a
// neighbour carries what is lacking, no more.

#ifndef ZENITH_PASSES_SHARDING_PARTITION_MOVEROWS_H
#define ZENITH_PASSES_SHARDING_PARTITION_MOVEROWS_H

#include "passes/sharding/partition/LocalBuilder.h"

namespace zenith::sharding {

/// What a block of the result takes from blocks of a source. Rows are numbered
/// as the result's.
struct RowMove {
  int64_t dim = 0;
  Atoms atoms; ///< of source and result alike
  /// First row that the source block on block index i holds; rows of a block
  /// follow each other.
  llvm::SmallVector<int64_t> offsets;
  /// First row that the result on block index j begins with.
  llvm::SmallVector<int64_t> bases;
  int64_t length = 0; ///< rows of each result
  /// Rows outside of [from, to) stay as in the background.
  int64_t from = 0, to = 0;
};

/// start, start + factor, ...: a number for each shard.
llvm::SmallVector<int64_t> multiples(int64_t shards, int64_t factor,
                                     int64_t start);

/// `background` with the rows of `source` in their places. Hops are along the
/// mesh axes that `move.atoms` name.
Value moveRows(LocalBuilder &builder, Value source, const RowMove &move,
               Value background);

} // namespace zenith::sharding

#endif // ZENITH_PASSES_SHARDING_PARTITION_MOVEROWS_H
