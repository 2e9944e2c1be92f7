// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies columns of a product's right-hand side into panels: for a kernel of
// its own, or slice by slice inside the task that multiplies them.

#ifndef ZENITH_LOWERING_KERNELS_PANELWRITER_H
#define ZENITH_LOWERING_KERNELS_PANELWRITER_H

#include "lowering/builder/KernelBuilder.h"
#include "lowering/elements/ElementEmitter.h"
#include "lowering/schedule/GemmSchedule.h"

namespace zenith::kernels {

class PanelWriter {
public:
  struct Place {
    mlir::Value from;   ///< memory of the matrix
    mlir::Type element; ///< its elements, of the graph
    Axis columns;       ///< strideB: from one to the next
    llvm::ArrayRef<Axis> depth;
    mlir::Value to;      ///< memory of the panels
    mlir::Type packed;   ///< its elements: those of `from`, or wider ones
    unsigned width;      ///< columns of a panel
    graph::DimExpr size; ///< elements from one panel to the next
  };
  PanelWriter(KernelBuilder &kernel, const Place &place);

  /// The panels in [firstPanel, lastPanel), at most `most` of them, from
  /// `destination` on: a row of `width` columns for each depth, which holds
  /// zeros or copies beyond the last column. `base` is where the first column's
  /// first depth lies. `depths` limits the depth, of which there is one axis
  /// then; null: all.
  void panels(mlir::Value base, mlir::Value firstPanel, mlir::Value lastPanel,
              int64_t most, mlir::Value destination, mlir::Value depths = {});

private:
  void panel(mlir::Value base, mlir::Value first, mlir::Value destination);
  void sideBySide(mlir::Value base, mlir::Value firstPanel,
                  mlir::Value destination);
  void row(mlir::Value base, mlir::Value first, mlir::Value destination,
           mlir::Value mask);
  void rows(unsigned level, mlir::Value base, mlir::Value first,
            mlir::Value destination, mlir::Value mask);
  void transposed(mlir::Value base, mlir::Value first, mlir::Value destination);
  void transposeBlock(mlir::Value base, mlir::Value first, mlir::Value depth,
                      mlir::Value destination);
  mlir::Value widen(mlir::Value x);
  mlir::Value depthOf(unsigned level) {
    return depths ? depths : k.size(place.depth[level].size);
  }

  KernelBuilder &k;
  ElementEmitter emitter;
  Place place;
  mlir::Value depths;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_KERNELS_PANELWRITER_H
