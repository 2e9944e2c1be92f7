// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dinic's algorithm with a path instead of recursion: networks are as deep as
// graphs are long.

#include "passes/remat/MaximumFlow.h"

#include <algorithm>

namespace zenith::remat {

unsigned MaximumFlow::addEdge(unsigned from, unsigned to, int64_t capacity) {
  unsigned index = unsigned(edges.size());
  edges.push_back({to, first[from], capacity, 0});
  first[from] = int(index);
  edges.push_back({from, first[to], 0, 0});
  first[to] = int(index + 1);
  return index;
}

bool MaximumFlow::findLevels(unsigned source, unsigned sink, uint64_t &work) {
  level.assign(first.size(), -1);
  level[source] = 0;
  queue = {source};
  for (size_t at = 0; at < queue.size(); ++at)
    for (int edge = first[queue[at]]; edge >= 0; edge = edges[edge].next) {
      ++work;
      if (edges[edge].residual > 0 && level[edges[edge].to] < 0) {
        level[edges[edge].to] = level[queue[at]] + 1;
        queue.push_back(edges[edge].to);
      }
    }
  return level[sink] >= 0;
}

/// Finds one path along the levels and fills it. Edges that lead nowhere are
/// passed once per phase.
bool MaximumFlow::augment(unsigned source, unsigned sink, uint64_t &work) {
  path.clear();
  for (unsigned node = source; node != sink;) {
    int &edge = current[node];
    while (edge >= 0 && (edges[edge].residual <= 0 ||
                         level[edges[edge].to] != level[node] + 1)) {
      ++work;
      edge = edges[edge].next;
    }
    if (edge >= 0) {
      path.push_back(unsigned(edge));
      node = edges[edge].to;
      continue;
    }
    if (path.empty())
      return false;
    node = edges[path.back() ^ 1].to;
    path.pop_back();
    current[node] = edges[current[node]].next;
  }
  int64_t flow = infinite;
  for (unsigned edge : path)
    flow = std::min(flow, edges[edge].residual);
  for (unsigned edge : path) {
    edges[edge].residual -= flow;
    edges[edge ^ 1].residual += flow;
  }
  work += path.size();
  return true;
}

void MaximumFlow::cut(unsigned source, unsigned sink, uint64_t &work) {
  for (Edge &edge : edges)
    edge.residual = edge.capacity;
  while (findLevels(source, sink, work)) {
    current = first;
    while (augment(source, sink, work))
      ;
  }
}

} // namespace zenith::remat
