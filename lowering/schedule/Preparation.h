// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of an operand that run before the GEMM that reads them: row-major,
// padded, or packed in panels.

#ifndef ZENITH_LOWERING_SCHEDULE_PREPARATION_H
#define ZENITH_LOWERING_SCHEDULE_PREPARATION_H

#include "lowering/schedule/Axis.h"
#include "lowering/schedule/OperandSource.h"

namespace zenith::kernels {

/// A dimension of a padded copy: dimension `dim` of the value, with `size`
/// elements in the copy, leading zeros included.
struct PaddedDim {
  unsigned dim;
  graph::DimExpr size;
  int64_t low = 0;    ///< leading zeros
  int64_t step = 1;   ///< distance in the copy of neighbouring elements
  int64_t stride = 1; ///< distance in the value of neighbouring elements
};

/// A copy into scratch buffer `scratch`, which takes `bytes`.
struct Preparation {
  enum Kind {
    Materialise, ///< row-major copy of `value`, with elements of type
                 ///< `from.element`
    Pad,         ///< [batch][spatial...][feature] copy of a convolution's input
                 ///< with zeros around and between its elements
    PackPanels   ///< the columns of B in panels
  } kind;
  mlir::Value value; ///< Materialise, Pad: what is copied
  unsigned scratch = 0;
  graph::DimExpr bytes;
  /// PackPanels: the memory of B. The copy is laid out as [outer axes that move
  /// B][panel][k of all taps][column of the panel].
  OperandSource from;
  llvm::SmallVector<Axis> outer;
  Axis columns;
  llvm::SmallVector<Axis> kAxes;       ///< outer to inner
  llvm::SmallVector<PaddedDim> padded; ///< Pad: in the order of the copy
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_PREPARATION_H
