// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies columns of a GEMM's right-hand side into panels: in a kernel of its
// own, or block of K by block of K inside of the task that multiplies them.

#ifndef ZENITH_LOWERING_PACKING_PANELWRITER_H
#define ZENITH_LOWERING_PACKING_PANELWRITER_H

#include "lowering/builder/KernelBuilder.h"
#include "lowering/elements/ElementEmitter.h"
#include "lowering/schedule/GemmSchedule.h"

namespace zenith::kernels {

class PanelWriter {
public:
  struct Layout {
    mlir::Value from;           ///< memory of the matrix
    mlir::Type element;         ///< its element type in the graph
    Axis columns;               ///< strideB: distance of columns
    llvm::ArrayRef<Axis> kAxes; ///< outer to inner
    mlir::Value to;             ///< memory of the panels
    mlir::Type packed;          ///< its element type: that of `from`, or wider
    unsigned width;             ///< columns of a panel
    graph::DimExpr size;        ///< elements from one panel to the next
    unsigned kInterleave = 1;   ///< of Preparation
  };
  PanelWriter(KernelBuilder &kernel, const Layout &layout);

  /// Writes the panels [firstPanel, lastPanel), at most `most` of them, from
  /// element `destination` on: a row of `width` columns per k, which holds
  /// zeros or copies beyond the last column. `base` is the offset of the first
  /// column at the first k. `limitedK` limits K, which has one axis then; null:
  /// all.
  void panels(mlir::Value base, mlir::Value firstPanel, mlir::Value lastPanel,
              int64_t most, mlir::Value destination, mlir::Value limitedK = {});

private:
  void panel(mlir::Value base, mlir::Value first, mlir::Value destination);
  void sideBySide(mlir::Value base, mlir::Value firstPanel,
                  mlir::Value destination);
  mlir::Value loadRow(mlir::Value base, mlir::Value first);
  mlir::Value loadNextRow(mlir::Value base, mlir::Value first, mlir::Value at,
                          mlir::Value mask);
  void row(mlir::Value base, mlir::Value first, mlir::Value at,
           mlir::Value destination, mlir::Value mask);
  void rows(unsigned level, mlir::Value base, mlir::Value first,
            mlir::Value destination, mlir::Value mask);
  void transposed(mlir::Value base, mlir::Value first, mlir::Value destination);
  void words(mlir::Value base, mlir::Value first, mlir::Value fromK,
             mlir::Value destination);
  mlir::Value columnAt(mlir::Value base, mlir::Value column);
  void transposeBlock(mlir::Value base, mlir::Value first, mlir::Value fromK,
                      mlir::Value destination);
  mlir::Value widen(mlir::Value x);
  mlir::Value kOf(unsigned level) {
    return limit ? limit : k.size(layout.kAxes[level].size);
  }

  KernelBuilder &k;
  ElementEmitter emitter;
  Layout layout;
  mlir::Value limit; ///< of K; null: none
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_PACKING_PANELWRITER_H
