// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Index of one dimension for a group of lanes, as a sum of variables times
// factors: canonical, so that splitting what was merged cancels without a
// division.

#ifndef ZENITH_LOWERING_KERNELS_LANEINDEX_H
#define ZENITH_LOWERING_KERNELS_LANEINDEX_H

#include "ir/DimExpr.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

namespace zenith::kernels {

class KernelBuilder;

/// Value in lane l: offset + sum of factor * variable (+ scattered[l]).
struct Ix {
  struct Term {
    unsigned variable; ///< number in IndexMath
    graph::DimExpr factor;
  };
  llvm::SmallVector<Term, 3> terms; ///< ascending by variable, no zero factors
  graph::DimExpr offset;
  mlir::Value scattered; ///< vector of index, or null
  Ix() = default;
  Ix(graph::DimExpr constant) : offset(std::move(constant)) {}
  bool operator==(const Ix &other) const;
};

/// Knows the variables (loop indices, the lane, the tile row) and what is
/// provable about them; emits divisions where nothing is. Without a builder it
/// analyses only: divisions give opaque variables.
class IndexMath {
public:
  explicit IndexMath(KernelBuilder *builder) : builder(builder) {}
  /// Lanes of a value; 1 where all code is scalar.
  unsigned width = 1;

  /// A uniform variable, 0 <= value < size, and a multiple of `divisor`.
  Ix scalar(mlir::Value value, graph::DimExpr size, int64_t divisor = 1);
  /// start + lane, below `size` in lanes that count; start is a multiple of
  /// `divisor`.
  Ix lanes(mlir::Value start, graph::DimExpr size, int64_t divisor = 1);
  /// start + tile row; the row that code is emitted for is `tileRow`.
  Ix tile(mlir::Value start, graph::DimExpr size);
  int64_t tileRow = 0;
  /// Per-lane values within [0, size).
  Ix scattered(mlir::Value lanes) const;

  Ix add(const Ix &x, const Ix &y);
  Ix scale(const Ix &x, const graph::DimExpr &factor);
  Ix shift(const Ix &x, const graph::DimExpr &offset);
  /// Quotient and remainder by a positive `divisor` of a non-negative index.
  std::pair<Ix, Ix> divide(const Ix &x, const graph::DimExpr &divisor);
  bool provablyNonNegative(const Ix &x);
  bool provablyBelow(const Ix &x, const graph::DimExpr &bound);
  /// No lane differs from another.
  bool uniform(const Ix &x) const;
  graph::DimExpr laneStride(const Ix &x) const;
  graph::DimExpr tileStride(const Ix &x) const;
  /// Largest known divisor of the part that lanes share; of 0 it is 0.
  int64_t knownDivisor(const Ix &x) const;
  /// Index value if uniform, else a vector of index.
  mlir::Value value(const Ix &x);
  /// Value in lane 0 (of the affine part), at the current tile row.
  mlir::Value laneZero(const Ix &x);
  /// Factor of one variable, by the value that it was made from; 0 where
  /// absent.
  graph::DimExpr factorOf(const Ix &x, mlir::Value variable) const;
  /// True where the index depends on a variable that came from a division or
  /// from data.
  bool opaque(const Ix &x) const;
  /// Replaces variables by opaque dependence (analysis of data-dependent
  /// positions).
  Ix opaqueOf(llvm::ArrayRef<Ix> parts, graph::DimExpr size);

private:
  enum class Kind { Scalar, Lane, LaneOffset, Tile };
  struct Variable {
    mlir::Value value;
    Kind kind;
    graph::DimExpr size;
    int64_t divisor;
    bool derived = false;
    llvm::SmallVector<unsigned> sources; ///< of derived ones
  };
  Ix variable(Variable v);
  std::optional<graph::DimExpr> upper(const Ix &x);
  Ix separateLanes(const Ix &x);
  Ix derived(const Ix &of, mlir::Value value, graph::DimExpr size);

  KernelBuilder *builder;
  llvm::SmallVector<Variable> variables;
  struct Division {
    Ix dividend;
    graph::DimExpr divisor;
    mlir::Block *block;
    std::pair<Ix, Ix> result;
  };
  llvm::SmallVector<Division> divisions;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_KERNELS_LANEINDEX_H
