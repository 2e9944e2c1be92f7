// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs propagation over a graph in rounds: by priority of the user, within
// these by kinds of ops, each to a fixed point.

#ifndef ZENITH_PASSES_SHARDING_PROPAGATOR_H
#define ZENITH_PASSES_SHARDING_PROPAGATOR_H

#include "passes/sharding/PropagationGraph.h"

namespace zenith::sharding {

/// How far the hierarchy of propagation goes; each includes the former.
enum class Strategy { Basic, Aggressive, OpPriority, UserPriority, Full };
std::optional<Strategy> strategyOf(llvm::StringRef name);

class Propagator {
public:
  Propagator(PropagationGraph &graph, Strategy strategy, bool conservative)
      : graph(graph), strategy(strategy), conservative(conservative) {}

  void run();
  /// After run(): remarks on the places where axes stop (SHD102).
  void explainStops();

private:
  enum class Round { All, SingleUses, AnyUses, PassThrough, BackwardBroadcast };
  void runPriorities();
  void runRounds();
  void runRound(Round round);
  Direction directionOf(const Link &link, const Factor &factor,
                        Round round) const;
  bool visit(const Link &link, Round round);
  graph::MeshAttr commonMesh(const Link &link, mlir::FlatSymbolRefAttr &name);
  Projection project(const Link &link) const;
  TensorState viewOf(const Link &link, unsigned tensor) const;
  bool update(const Link &link, unsigned tensor, const Projection &projection,
              llvm::ArrayRef<Expansion> expansions, const Projection &before,
              mlir::FlatSymbolRefAttr mesh);
  void changed(Slot slot);

  PropagationGraph &graph;
  Strategy strategy;
  bool conservative;
  std::vector<unsigned> worklist;
  std::vector<bool> isListed;
};

} // namespace zenith::sharding

#endif // ZENITH_PASSES_SHARDING_PROPAGATOR_H
