// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When computing a value again costs less than keeping it in memory.

#ifndef ZENITH_PASSES_COST_REMATERIALIZATIONCOSTS_H
#define ZENITH_PASSES_COST_REMATERIALIZATIONCOSTS_H

#include "ir/GraphOps.h"
#include "ir/target/TargetModel.h"
#include "mlir/IR/Operation.h"
#include <algorithm>
#include <cstdint>

namespace zenith::cost {

/// What one element may cost to compute again, in additions as CostRule counts
/// them. The further away from the core the value would be kept, the more
/// arithmetic its write and its reads are worth.
struct RematerializationCosts {
  /// A value that the caches of a core hold: a few additions.
  unsigned nearCore = 5;
  /// A value that only the shared cache holds: up to a division.
  unsigned sharedCache = 8;
  /// A value that goes through memory twice: up to an elementary function. A
  /// core computes tanh of a vector in about the time in which memory delivers
  /// one, and the value needs no memory until the backward pass.
  unsigned memory = 32;
  /// A value that would wait for a backward pass after its other readers are
  /// done takes memory all the time, and has left the caches when it is read:
  /// up to a division.
  unsigned waiting = 8;
  /// Smallest value, in bytes, that is worth that: what the first-level cache
  /// of the target does not hold.
  int64_t waitingBytes;
  /// Smallest value, in bytes, that the caches of a core don't hold: the
  /// second-level cache of the target.
  int64_t sharedCacheBytes;
  /// Smallest value, in bytes, that goes through memory: a quarter of the
  /// shared cache, which other values take too.
  int64_t memoryBytes;
  /// Ops between a value and its last reader from which on the value counts as
  /// kept for a backward pass.
  static constexpr unsigned longLife = 24;
  /// The same for values that are rounded in memory: to widen one again costs
  /// a reader little, so that short programs wait less.
  static constexpr unsigned longLifeOfRounded = 8;
  /// Most ops of a region that takes recomputation in; compile time grows with
  /// them.
  static constexpr unsigned maxRegionOps = 128;

  explicit RematerializationCosts(const target::TargetModel &target)
      : waitingBytes(target.l1Bytes), sharedCacheBytes(target.l2Bytes),
        memoryBytes(target.sharedCacheBytes / 4) {}

  /// What an element of a value of `bytes` may cost; 0 bytes where the size is
  /// not known.
  unsigned maxElementCost(int64_t bytes) const {
    return bytes >= memoryBytes        ? memory
           : bytes >= sharedCacheBytes ? sharedCache
                                       : nearCore;
  }

  /// The same for readers of a backward pass alone; 0 where none is worth it.
  unsigned maxWaitingCost(int64_t bytes) const {
    return bytes < waitingBytes ? 0 : std::max(waiting, maxElementCost(bytes));
  }
};

/// True for regions that may compute what they read from memory: kernels go
/// through their operands element by element, and the region is not too long.
inline bool takesComputation(graph::FusionOp fusion) {
  graph::FusionKind kind = fusion.getKind();
  mlir::Block &body = fusion.getBody().front();
  return (kind == graph::FusionKind::pointwise ||
          kind == graph::FusionKind::reduction ||
          kind == graph::FusionKind::contraction) &&
         std::distance(body.begin(), body.end()) <=
             RematerializationCosts::maxRegionOps;
}

/// The op from which on a reader of `value` belongs to a backward pass; null
/// where fewer ops follow.
inline mlir::Operation *
lateAfter(mlir::Value value,
          unsigned distance = RematerializationCosts::longLife) {
  mlir::Operation *at = value.getDefiningOp();
  for (unsigned passed = 0; at && passed < distance; ++passed)
    at = at->getNextNode();
  return at;
}

/// True where the last reader comes long after the value is made.
inline bool livesLong(mlir::Value value,
                      unsigned distance = RematerializationCosts::longLife) {
  mlir::Operation *at = lateAfter(value, distance);
  return at && llvm::any_of(value.getUsers(), [&](mlir::Operation *user) {
           return at->isBeforeInBlock(user);
         });
}

} // namespace zenith::cost

#endif // ZENITH_PASSES_COST_REMATERIALIZATIONCOSTS_H
