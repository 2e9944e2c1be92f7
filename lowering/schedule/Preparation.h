// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory from which a GEMM reads an operand, and the copies of it that run
// before: row-major, padded, or packed in panels.

#ifndef ZENITH_LOWERING_SCHEDULE_PREPARATION_H
#define ZENITH_LOWERING_SCHEDULE_PREPARATION_H

#include "ir/encodings/CodedPanels.h"
#include "lowering/builder/AffineOperand.h"
#include "lowering/schedule/Axis.h"

namespace zenith::kernels {

class KernelBuilder;

/// Memory that a kernel reads.
struct OperandSource {
  bool scratch = false;
  unsigned index = 0;    ///< of the fusion's operand or of its scratch buffer
  mlir::Type element;    ///< type in the graph
  graph::DimExpr offset; ///< of the first element, in elements
};

/// The memory itself, in the kernel that is being built.
mlir::Value memoryOf(KernelBuilder &kernel, const OperandSource &source);

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
  /// Panels of integers, all of whose values are operands of the fusion.
  std::optional<graph::CodedPanels> codes;
};

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
    PackPanels,  ///< the columns of B in panels
    TransposeA   ///< the rows of A, along K
  } kind;
  mlir::Value value; ///< Materialise, Pad: what is copied
  unsigned scratch = 0;
  graph::DimExpr bytes;
  /// PackPanels: the memory of B. The copy is laid out as [outer axes that move
  /// B][panel][k of all taps][column of the panel]. TransposeA: that of A, laid
  /// out as [outer axes that move A][row][k].
  OperandSource from;
  llvm::SmallVector<Axis> outer;
  Axis columns;                  ///< TransposeA: the rows
  llvm::SmallVector<Axis> kAxes; ///< outer to inner
  /// Not 1: so many neighbouring k of a column lie side by side, in the type of
  /// `from`, and are a word of 32 bits.
  unsigned kInterleave = 1;
  llvm::SmallVector<PaddedDim> padded; ///< Pad: in the order of the copy
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_PREPARATION_H
