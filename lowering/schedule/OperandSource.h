// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory from which a GEMM reads an operand, and how the operand's
// dimensions lie in it.

#ifndef ZENITH_LOWERING_SCHEDULE_OPERANDSOURCE_H
#define ZENITH_LOWERING_SCHEDULE_OPERANDSOURCE_H

#include "lowering/builder/AffineOperand.h"

namespace zenith::kernels {

/// Memory that a kernel reads.
struct OperandSource {
  bool scratch = false;
  unsigned index = 0;    ///< of the fusion's operand or of its scratch buffer
  mlir::Type element;    ///< type in the graph
  graph::DimExpr offset; ///< of the first element, in elements
};

/// An operand together with the strides of its dimensions in memory.
struct LocatedOperand {
  OperandSource source;
  /// Per dimension of the operand: its digits, outer to inner, as sizes and
  /// strides in elements.
  llvm::SmallVector<StridedDim> dims;
  /// Not 0: the operand is packed in panels of so many columns; digits count
  /// rows of a panel and columns.
  unsigned panel = 0;
  unsigned kInterleave =
      1; ///< neighbouring k of a column that lie side by side
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_OPERANDSOURCE_H
