// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lives when, in an order of the steps of a memory graph in which steps
// may run again.

#ifndef ZENITH_PASSES_REMAT_MEMORYTIMELINE_H
#define ZENITH_PASSES_REMAT_MEMORYTIMELINE_H

#include "ir/Error.h"
#include "passes/remat/MemoryGraph.h"
#include "llvm/ADT/ArrayRef.h"

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
  /// Of each place in the order, one for each read of its step: the instance
  /// that it reads; -1: the value is outside.
  llvm::ArrayRef<int> reads(unsigned place) const {
    return llvm::ArrayRef<int>(sources).slice(
        firstRead[place], firstRead[place + 1] - firstRead[place]);
  }
  /// The first instance that a place makes; the others follow, one for each
  /// value that its step writes.
  unsigned firstMade(unsigned place) const { return firstWrite[place]; }
  /// Bytes at each place: what lives, what is written, scratch, less what is
  /// written over operands that die.
  std::vector<int64_t> bytes;
  int64_t peak = 0;     ///< the most of bytes
  unsigned fullest = 0; ///< the first place that has them
  double cost = 0;      ///< of all runs

  std::vector<int> sources;
  std::vector<unsigned> firstRead, firstWrite; ///< one more than places
};

/// `order`: indices of steps, each at least once, each after steps that write
/// what it reads and after those that must precede it. Code Invalid where it is
/// not; the location is `order[K]`.
Result<MemoryTimeline> timelineOf(const MemoryGraph &graph,
                                  llvm::ArrayRef<unsigned> order);

/// The same for an order that is known to be one, into memory that is reused.
void simulate(const MemoryGraph &graph, llvm::ArrayRef<unsigned> order,
              MemoryTimeline &timeline);

} // namespace zenith::remat

#endif // ZENITH_PASSES_REMAT_MEMORYTIMELINE_H
