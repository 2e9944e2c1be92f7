// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kahn's topological sort with the lowest index first.

#include "passes/remat/StepOrder.h"

#include "llvm/ADT/STLExtras.h"
#include <functional>
#include <queue>

using namespace llvm;

namespace zenith::remat {

std::vector<int> writersOf(const MemoryGraph &graph) {
  std::vector<int> writers(graph.values.size(), -1);
  for (auto [index, step] : enumerate(graph.steps))
    for (unsigned value : step.writes)
      writers[value] = int(index);
  return writers;
}

std::vector<std::vector<unsigned>> precedersOf(const MemoryGraph &graph) {
  std::vector<int> writers = writersOf(graph);
  std::vector<std::vector<unsigned>> preceders(graph.steps.size());
  for (auto [step, list] : zip(graph.steps, preceders)) {
    list = step.after;
    for (unsigned value : step.reads)
      if (writers[value] >= 0)
        list.push_back(unsigned(writers[value]));
    llvm::sort(list);
    list.erase(llvm::unique(list), list.end());
  }
  return preceders;
}

std::vector<unsigned> givenOrder(const MemoryGraph &graph) {
  std::vector<std::vector<unsigned>> preceders = precedersOf(graph);
  std::vector<std::vector<unsigned>> followers(graph.steps.size());
  std::vector<size_t> waiting;
  std::priority_queue<unsigned, std::vector<unsigned>, std::greater<>> ready;
  for (auto [step, list] : enumerate(preceders)) {
    waiting.push_back(list.size());
    if (list.empty())
      ready.push(unsigned(step));
    for (unsigned before : list)
      followers[before].push_back(unsigned(step));
  }
  std::vector<unsigned> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (unsigned next : followers[order.back()])
      if (--waiting[next] == 0)
        ready.push(next);
  }
  return order;
}

int stepOnCycle(const MemoryGraph &graph) {
  std::vector<unsigned> order = givenOrder(graph);
  if (order.size() == graph.steps.size())
    return -1;
  std::vector<bool> isOrdered(graph.steps.size());
  for (unsigned step : order)
    isOrdered[step] = true;
  // Walking to a preceder that has no place either ends up on a cycle.
  std::vector<std::vector<unsigned>> preceders = precedersOf(graph);
  std::vector<bool> seen(graph.steps.size());
  unsigned at = unsigned(find(isOrdered, false) - isOrdered.begin());
  while (!seen[at]) {
    seen[at] = true;
    at = *find_if(preceders[at],
                  [&](unsigned before) { return !isOrdered[before]; });
  }
  return int(at);
}

} // namespace zenith::remat
