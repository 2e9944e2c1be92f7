// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of B's panels that a task makes for itself: packed from a row-major B,
// widened, or decoded (dequantized).

#ifndef ZENITH_LOWERING_GEMM_GEMMPANELCOPIES_H
#define ZENITH_LOWERING_GEMM_GEMMPANELCOPIES_H

#include "lowering/gemm/GemmContext.h"
#include "lowering/packing/PanelWriter.h"

namespace zenith::kernels {

/// Only where the schedule has taskPanels.
class GemmPanelCopies {
public:
  /// Call in the entry block, once the context has the memory of B.
  explicit GemmPanelCopies(const GemmContext &gemm);

  /// Copies block `kBlock` of the panels [firstPanel, lastPanel).
  void copy(mlir::Value kBlock, mlir::Value firstPanel, mlir::Value lastPanel);

  mlir::Value memory() const { return panels; }
  /// Offset in `memory` of the panel that begins with `column`, which is among
  /// those copied last.
  mlir::Value panelBase(mlir::Value column) const;

private:
  void widen(mlir::Value kBlock, mlir::Value firstPanel, mlir::Value lastPanel);
  void decode(const graph::CodedPanels &codes, mlir::Value panel,
              mlir::Value firstK, mlir::Value rows, mlir::Value destination);
  int64_t count() const;

  const GemmContext &gemm;
  KernelBuilder &k;
  mlir::Value panels;
  mlir::Value firstCopied; ///< panel
  std::optional<PanelWriter> writer;
};

/// Panels whose accumulators are stored side by side while blocks of K are
/// added to them.
int64_t panelsPerKBlock(const GemmContext &gemm);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_GEMM_GEMMPANELCOPIES_H
