// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random memory graphs for the tests of planning.

#ifndef ZENITH_TESTS_PASSES_REMAT_RANDOMGRAPHS_H
#define ZENITH_TESTS_PASSES_REMAT_RANDOMGRAPHS_H

#include "passes/remat/MemoryGraph.h"
#include <random>

namespace zenith::remat::tests {

using Random = std::mt19937_64;

inline int64_t pick(Random &random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}

/// A graph of layers, like a training step: step k reads what a few steps
/// before wrote, and perhaps what step n - 1 - k wrote, its forward partner.
/// Some steps write two values, may write over an operand, need scratch, must
/// not run twice or wait for others.
inline MemoryGraph randomGraph(Random &random, unsigned steps) {
  MemoryGraph graph;
  graph.name = "random";
  std::vector<unsigned> made; ///< the first value that each step writes
  for (unsigned k = 0; k < steps; ++k) {
    MemoryStep step;
    step.cost = double(pick(random, 0, 20));
    auto read = [&](unsigned before) {
      unsigned value = made[before];
      for (unsigned other : step.reads)
        if (other == value)
          return;
      step.reads.push_back(value);
    };
    if (k > 0)
      read(k - 1);
    if (k > 3 && pick(random, 0, 1))
      read(unsigned(pick(random, k - 4, k - 2)));
    if (k > steps / 2)
      read(steps - 1 - k);
    int64_t writes = pick(random, 0, 5) == 0 ? 2 : 1;
    made.push_back(unsigned(graph.values.size()));
    for (int64_t i = 0; i < writes; ++i) {
      step.writes.push_back(unsigned(graph.values.size()));
      graph.values.push_back(pick(random, 0, 8) * 64);
    }
    if (!step.reads.empty() && pick(random, 0, 3) == 0)
      step.shares.push_back({step.reads.front(), step.writes.front()});
    if (pick(random, 0, 5) == 0)
      step.scratch = pick(random, 1, 4) * 64;
    step.repeatable = pick(random, 0, 11) != 0;
    if (k > 1 && pick(random, 0, 11) == 0)
      step.after.push_back(unsigned(pick(random, 0, k - 2)));
    graph.steps.push_back(std::move(step));
  }
  graph.keep = {made.back()};
  if (pick(random, 0, 3) == 0)
    graph.keep.push_back(made[steps / 3]);
  if (graph.keep.size() == 2 && graph.keep[0] == graph.keep[1])
    graph.keep.pop_back();
  return graph;
}

} // namespace zenith::remat::tests

#endif // ZENITH_TESTS_PASSES_REMAT_RANDOMGRAPHS_H
