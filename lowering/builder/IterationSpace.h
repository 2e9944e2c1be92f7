// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops that a fused region asks for: dimensions split at every reshape
// boundary, collapsed where all accesses agree, and how each access moves along
// each of them.

#ifndef ZENITH_LOWERING_BUILDER_ITERATIONSPACE_H
#define ZENITH_LOWERING_BUILDER_ITERATIONSPACE_H

#include "lowering/builder/IndexMaps.h"
#include <memory>

namespace zenith::kernels {

/// A value of the region and which dimension of the iterated shape is which of
/// its own.
struct SpaceRoot {
  /// Stands for no dimension of the shape: the value's own has size 1.
  static constexpr unsigned single = ~0u;
  mlir::Value value;
  llvm::SmallVector<unsigned> dims;
  bool written = false; ///< it is also stored at this index
  /// What it is stored as a part of, if not on its own.
  mlir::Value into = {};
};

class IterationSpace {
public:
  /// Iterates over `shape`. Dimensions of different `groups` (one group index
  /// per dimension) are never collapsed. Values in `stops` are given by the
  /// schedule and not followed.
  IterationSpace(graph::DimAnalysis &dims, llvm::ArrayRef<graph::DimExpr> shape,
                 llvm::ArrayRef<SpaceRoot> roots,
                 llvm::ArrayRef<unsigned> groups = {},
                 llvm::ArrayRef<mlir::Value> stops = {});
  ~IterationSpace();

  unsigned rank() const { return loops.size(); }
  const graph::DimExpr &size(unsigned loop) const { return loops[loop].size; }
  unsigned group(unsigned loop) const { return loops[loop].group; }
  /// True where no pad, concat, iota ... asks where along the loop it is.
  bool plain(unsigned loop) const { return loops[loop].plain; }
  /// Dimension of the iterated shape that the loop's outermost part belongs to.
  unsigned dimOf(unsigned loop) const { return atoms[loops[loop].first].dim; }
  /// Product of the sizes of all loops but those in `without`.
  graph::DimExpr rows(llvm::ArrayRef<unsigned> without) const;

  struct Access {
    mlir::Value value;
    bool written;
    llvm::SmallVector<graph::DimExpr>
        factors; ///< elements moved per step of each loop
    llvm::SmallVector<bool>
        opaque; ///< position depends on the loop in an unknown way
    bool small; ///< such as a constant: not worth choosing loops for
  };
  const std::vector<Access> &accesses() const { return found; }
  /// Where along `loop` a pad or concat changes its meaning, ascending; only
  /// those that are provably in order.
  llvm::ArrayRef<graph::DimExpr> edges(unsigned loop) const {
    return loops[loop].edges;
  }
  /// Index of the iterated shape, given one index per loop.
  llvm::SmallVector<LaneIndex>
  shapeIndex(IndexMath &math, llvm::ArrayRef<LaneIndex> loopIndex) const;

private:
  struct Atom {
    graph::DimExpr size;
    unsigned dim; ///< of the shape
  };
  struct Loop {
    graph::DimExpr size;
    unsigned first, count; ///< atoms
    unsigned group;
    llvm::SmallVector<graph::DimExpr> edges;
    bool plain; ///< no op asks where along the loop it is
  };
  class Walk;
  bool splitAtoms(const Walk &walk);
  void collapseAtoms(const Walk &walk, llvm::ArrayRef<unsigned> groups);
  void addEdges(const Walk &walk);

  unsigned shapeRank;
  std::vector<Atom> atoms;
  std::vector<Loop> loops;
  std::vector<Access> found;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_BUILDER_ITERATIONSPACE_H
