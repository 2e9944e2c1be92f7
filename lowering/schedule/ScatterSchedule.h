// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// scatter and scatter_with as loops: which dimensions of the updates are those
// of windows, and what tasks divide.

#ifndef ZENITH_LOWERING_SCHEDULE_SCATTERSCHEDULE_H
#define ZENITH_LOWERING_SCHEDULE_SCATTERSCHEDULE_H

#include "lowering/builder/KernelPlan.h"
#include <optional>

namespace zenith::kernels {

/// scatter or scatter_with.
struct ScatterView {
  explicit ScatterView(mlir::Operation *op);
  mlir::Operation *op;
  llvm::SmallVector<mlir::Value> inputs, updates;
  mlir::Value indices;
  graph::ScatterDimsAttr dims;
};

struct ScatterSchedule {
  /// Of the only scatter of a fusion that gives nothing but its results.
  /// Reports failure at the fusion.
  static mlir::FailureOr<ScatterSchedule> make(graph::FusionOp fusion,
                                               graph::DimAnalysis &dims);

  ScatterView scatter;
  graph::DimVector operandDims, updateDims;
  llvm::SmallVector<unsigned> scatterDims, windowDims; ///< of the updates
  /// Of each operand dimension: that of the window, or -1.
  llvm::SmallVector<int> windowOf;
  std::optional<unsigned> lane; ///< of the updates
  /// The first operand dimension that tasks can divide by what data names, and
  /// the first of the updates whose index is that along one of the operand.
  std::optional<unsigned> named, own;

  int64_t block = 0; ///< columns of a task; 0: all
  int64_t parts = 0; ///< of `own`, else of `named`; 0: tasks divide neither

  bool hasParts() const { return named || own; }
  void chooseTasks();
  void setTasks(int64_t ofColumns, int64_t ofParts) {
    block = ofColumns;
    parts = ofParts;
  }
  graph::DimExpr tasks() const;

private:
  ScatterSchedule(mlir::Operation *op, graph::DimAnalysis &dims);
  void mapDims();
  void findParts();
  std::optional<unsigned> ownUpdates(unsigned d) const;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_SCATTERSCHEDULE_H
