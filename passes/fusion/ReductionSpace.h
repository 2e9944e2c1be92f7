// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The iteration space of a reduction kernel and how values inside it line up
// with its dimensions.

#ifndef ZENITH_PASSES_FUSION_REDUCTIONSPACE_H
#define ZENITH_PASSES_FUSION_REDUCTIONSPACE_H

#include "passes/fusion/FusionGraph.h"

namespace zenith::fusion {

/// A value is Full (the operand's shape), or Reduced: without the reduced
/// dimensions, up to dimensions of size 1 anywhere.
enum class SpaceShape { Full, Reduced, Other };

class ReductionSpace {
public:
  ReductionSpace(mlir::Operation *reduction, graph::DimAnalysis &dims);

  /// True for another reduction over the same dimensions of the same shape.
  bool matches(mlir::Operation *reduction);
  SpaceShape shapeOf(mlir::Value value);
  /// True where element [i...] of `to`, read as part of the kernel's row, needs
  /// just the element of `from` on that row.
  bool isAligned(mlir::Value from, mlir::ArrayRef<mlir::Operation *> path,
                 mlir::Value to);

private:
  /// Dimension of the full shape that each dimension of a value runs along; -1
  /// where it has size 1.
  using Labels = llvm::SmallVector<int64_t>;
  Labels labelsOf(mlir::Value value);
  std::optional<Labels> follow(mlir::Operation *op, const Labels &labels);

  graph::DimAnalysis &dims;
  graph::DimVector full;
  llvm::SmallVector<int64_t> reduced;
};

} // namespace zenith::fusion

#endif // ZENITH_PASSES_FUSION_REDUCTIONSPACE_H
