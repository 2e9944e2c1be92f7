// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lives when, in an order of the steps of a memory graph in which steps
// may run again.

#ifndef ZENITH_PASSES_REMAT_MEMORYTIMELINE_H
#define ZENITH_PASSES_REMAT_MEMORYTIMELINE_H

#include "passes/remat/MemoryGraph.h"

namespace zenith::remat {

/// What one run of a step makes of one value.
struct ValueInstance {
  unsigned value;
  unsigned begin; ///< place in the order at which it is made
  unsigned end;   ///< place of the last read; length of the order: kept
};

/// An order of steps, with repeats, and its memory.
struct MemoryTimeline {
  std::vector<ValueInstance> instances; ///< in the order in which they are made
  /// Of each place in the order, an instance for each read of its step; -1:
  /// the value is outside.
  std::vector<std::vector<int>> reads;
  /// Bytes at each place: what lives, what is written, scratch, less what is
  /// written over operands that die.
  std::vector<int64_t> bytes;
  int64_t peak = 0;     ///< the most of bytes
  unsigned fullest = 0; ///< the first place that has them
  double cost = 0;      ///< of all runs
};

/// `order`: indices of steps, each at least once, each after steps that write
/// what it reads. Code Invalid where it is not; the location is `order[K]`.
Result<MemoryTimeline> timelineOf(const MemoryGraph &graph,
                                  const std::vector<unsigned> &order);

} // namespace zenith::remat

#endif // ZENITH_PASSES_REMAT_MEMORYTIMELINE_H
