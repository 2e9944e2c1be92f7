// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Minimum cuts of networks with whole capacities.

#ifndef ZENITH_PASSES_REMAT_MAXIMUMFLOW_H
#define ZENITH_PASSES_REMAT_MAXIMUMFLOW_H

#include <cstdint>
#include <vector>

namespace zenith::remat {

/// A network that is cut several times with other capacities. Dinic's
/// algorithm (1970): levels by breadth first search, blocking flows.
class MaximumFlow {
public:
  static constexpr int64_t infinite = int64_t(1) << 60;

  explicit MaximumFlow(unsigned nodes) : first(nodes, -1) {}
  /// Its index.
  unsigned addEdge(unsigned from, unsigned to, int64_t capacity = infinite);
  void setCapacity(unsigned edge, int64_t capacity) {
    edges[edge].capacity = capacity;
  }
  /// Finds a minimum cut; `work` grows by the edges that are looked at.
  void cut(unsigned source, unsigned sink, uint64_t &work);
  /// Of the last cut: among minimum cuts, the one of the smallest source side.
  bool isOnSourceSide(unsigned node) const { return level[node] >= 0; }

private:
  struct Edge {
    unsigned to;
    int next;         ///< edge of the same node; -1: none
    int64_t capacity; ///< edge 2k + 1 is the reverse of edge 2k: 0
    int64_t residual;
  };
  bool findLevels(unsigned source, unsigned sink, uint64_t &work);
  bool augment(unsigned source, unsigned sink, uint64_t &work);

  std::vector<Edge> edges;
  std::vector<int> first, current, level; ///< by node
  std::vector<unsigned> queue, path;
};

} // namespace zenith::remat

#endif // ZENITH_PASSES_REMAT_MAXIMUMFLOW_H
