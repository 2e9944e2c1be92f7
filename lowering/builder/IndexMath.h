// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Index of one dimension for a group of lanes, as a sum of variables times
// factors: canonical, so that splitting what was merged cancels without a
// division.

#ifndef ZENITH_LOWERING_BUILDER_INDEXMATH_H
#define ZENITH_LOWERING_BUILDER_INDEXMATH_H

#include "ir/dims/DimExpr.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace zenith::kernels {

class KernelBuilder;

/// Value in lane l: offset + sum of factor * variable (+ perLane[l]).
struct LaneIndex {
  struct Term {
    unsigned variable; ///< its position in IndexMath
    graph::DimExpr factor;
  };
  llvm::SmallVector<Term, 3> terms; ///< ascending by variable, no zero factors
  graph::DimExpr offset;
  mlir::Value perLane; ///< vector of index, or null
  LaneIndex() = default;
  LaneIndex(graph::DimExpr constant) : offset(std::move(constant)) {}
  bool operator==(const LaneIndex &other) const;
};

/// Knows the variables (loop indices, the lane, the tile row) and what is
/// provable about them. A division for which nothing is provable is emitted.
/// Without a builder it analyses only: divisions give opaque variables.
class IndexMath {
public:
  explicit IndexMath(KernelBuilder *builder) : builder(builder) {}
  /// Lanes of a value; 1 where all code is scalar.
  unsigned width = 1;

  /// A uniform variable, low <= value < size, and a multiple of `divisor`.
  LaneIndex scalar(mlir::Value value, graph::DimExpr size, int64_t divisor = 1,
                   graph::DimExpr low = 0);
  /// start + lane, at least `low` and below `size` in lanes that count; start
  /// is a multiple of `divisor`.
  LaneIndex lanes(mlir::Value start, graph::DimExpr size, int64_t divisor = 1,
                  graph::DimExpr low = 0);
  /// The lane: 0, 1, 2 ...
  LaneIndex laneOffset();
  /// start + tile row; the row that code is emitted for is `tileRow`.
  LaneIndex tile(mlir::Value start, graph::DimExpr size);
  int64_t tileRow = 0;
  /// A per-lane (gather) index: one value per lane, in no known relation.
  LaneIndex perLane(mlir::Value lanes) const;

  LaneIndex add(const LaneIndex &x, const LaneIndex &y);
  LaneIndex scale(const LaneIndex &x, const graph::DimExpr &factor);
  LaneIndex shift(const LaneIndex &x, const graph::DimExpr &offset);
  /// Quotient and remainder by a positive `divisor` of a non-negative index.
  std::pair<LaneIndex, LaneIndex> divide(const LaneIndex &x,
                                         const graph::DimExpr &divisor);
  bool provablyNonNegative(const LaneIndex &x);
  bool provablyBelow(const LaneIndex &x, const graph::DimExpr &bound);
  /// No lane differs from another.
  bool uniform(const LaneIndex &x) const;
  graph::DimExpr laneStride(const LaneIndex &x) const;
  graph::DimExpr tileStride(const LaneIndex &x) const;
  /// Largest known divisor of the part that lanes share; of 0 it is 0.
  int64_t knownDivisor(const LaneIndex &x) const;
  /// Index value if uniform, else a vector of index.
  mlir::Value value(const LaneIndex &x);
  /// Value of the affine part in lane 0, at the current tile row.
  mlir::Value laneBase(const LaneIndex &x);
  /// Factor of one variable, by the value that it was made from; 0 where
  /// absent.
  graph::DimExpr factorOf(const LaneIndex &x, mlir::Value variable) const;
  /// True where the index depends on `variable` other than by a factor:
  /// through a division or through data.
  bool opaque(const LaneIndex &x, mlir::Value variable) const;
  /// An index below `size` that depends on those of `parts` in an unknown way
  /// (for analysis).
  LaneIndex opaqueOf(llvm::ArrayRef<LaneIndex> parts, graph::DimExpr size);
  /// Says that `x`, one variable, stands for several collapsed dimensions that
  /// every access traverses alike: a division by one of `boundaries` then
  /// leaves all of it in the remainder.
  void collapse(const LaneIndex &x, llvm::ArrayRef<graph::DimExpr> boundaries);
  /// Divisions met (without a builder) that would be exact if `variable` were
  /// split into an outer part and an inner one of size `inner`.
  struct Split {
    mlir::Value variable;
    graph::DimExpr inner;
  };
  std::vector<Split> splits;
  /// The variable of a single-term index with factor 1, and its size.
  mlir::Value onlyVariable(const LaneIndex &x) const;
  bool provablyInside(const LaneIndex &x, const graph::DimExpr &low,
                      const graph::DimExpr &high);
  bool provablyOutside(const LaneIndex &x, const graph::DimExpr &low,
                       const graph::DimExpr &high);
  /// While it lives, code is emitted for sizes of which `nonNegative` is.
  class Assumption {
  public:
    Assumption(IndexMath &math, graph::DimExpr nonNegative) : math(math) {
      math.assumed.push_back(std::move(nonNegative));
    }
    ~Assumption() { math.assumed.pop_back(); }
    Assumption(const Assumption &) = delete;

  private:
    IndexMath &math;
  };

private:
  bool provable(const graph::DimExpr &nonNegative) const;
  enum class Kind { Scalar, Lane, LaneOffset, Tile };
  struct Variable {
    mlir::Value value;
    Kind kind;
    graph::DimExpr size;
    int64_t divisor;
    graph::DimExpr low;
    llvm::SmallVector<mlir::Value> sources; ///< of opaque ones
    llvm::SmallVector<graph::DimExpr, 2> boundaries;
  };
  LaneIndex variable(Variable v);
  /// Bounds that hold for all lanes that count.
  std::optional<graph::DimExpr> upper(const LaneIndex &x) const;
  std::optional<graph::DimExpr> lower(const LaneIndex &x) const;
  std::pair<LaneIndex, LaneIndex> divideRest(const LaneIndex &rest,
                                             const graph::DimExpr &divisor);
  std::pair<LaneIndex, LaneIndex> divideUniform(const LaneIndex &rest,
                                                const graph::DimExpr &divisor);
  std::pair<LaneIndex, LaneIndex> divideLanes(const LaneIndex &rest,
                                              const graph::DimExpr &divisor);
  LaneIndex separateLanes(const LaneIndex &x);
  bool staysCollapsed(const LaneIndex &rest,
                      const graph::DimExpr &divisor) const;
  mlir::Value term(const LaneIndex::Term &term);

  KernelBuilder *builder;
  std::vector<graph::DimExpr> assumed;
  std::vector<Variable> variables;
  struct Division {
    LaneIndex dividend;
    graph::DimExpr divisor;
    mlir::Block *block;
    std::pair<LaneIndex, LaneIndex> result;
  };
  std::vector<Division> divisions;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_BUILDER_INDEXMATH_H
