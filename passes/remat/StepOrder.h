// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which steps of a memory graph depend on which, and the order "given".

#ifndef ZENITH_PASSES_REMAT_STEPORDER_H
#define ZENITH_PASSES_REMAT_STEPORDER_H

#include "passes/remat/MemoryGraph.h"

namespace zenith::remat {

/// The step that writes each value; -1: outside.
std::vector<int> writersOf(const MemoryGraph &graph);

/// The steps that must precede each step, each once: those that write what it
/// reads, and MemoryStep::after.
std::vector<std::vector<unsigned>> precedersOf(const MemoryGraph &graph);

/// Each step once, after its preceders; of those that could come next the one
/// of lowest index. The order of the program where that is one. Steps on a
/// cycle and behind one are absent.
std::vector<unsigned> givenOrder(const MemoryGraph &graph);

/// A step on a cycle of dependences; -1 where there is none.
int stepOnCycle(const MemoryGraph &graph);

} // namespace zenith::remat

#endif // ZENITH_PASSES_REMAT_STEPORDER_H
