// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a loop nest dealt to tasks: how many rows a task has, and the loops
// over the rows of a task.

#ifndef ZENITH_LOWERING_BUILDER_ROWTASKS_H
#define ZENITH_LOWERING_BUILDER_ROWTASKS_H

#include "lowering/builder/KernelBuilder.h"

namespace zenith::kernels {

/// Elements that a task of streaming code handles: enough to hide the claim,
/// few enough to balance.
inline constexpr int64_t elementsPerTask = 4096;

/// Rows = all loops of a space but some, flattened; a task is a block of rows,
/// or a chunk of one long row.
struct RowTasks {
  graph::DimExpr tasks, rows;
  graph::DimExpr rowLength;
  int64_t rowsPerTask = 1;
  /// Elements of a chunk; 0 = rows are not cut.
  int64_t chunk = 0;
  /// Tasks go through the rows for one chunk after the other, not through the
  /// chunks of each row.
  bool chunksFirst = false;
  double elementsPerTask = 0;
  static RowTasks plan(graph::DimExpr rows, graph::DimExpr rowLength,
                       int64_t elements = kernels::elementsPerTask,
                       bool cutRows = true);
  /// Gives each task a multiple of `together` whole rows.
  void roundUpTo(unsigned together);
};

/// Runs `body` for each row of the kernel's task range with the row number and
/// the part [low, high) of the row.
void forEachRow(
    KernelBuilder &kernel, const RowTasks &tasks,
    llvm::function_ref<void(mlir::Value row, mlir::Value low, mlir::Value high)>
        body);
/// Where tasks are whole rows: runs `body` with the first of `together` rows
/// each, then with each of those that are left.
void forEachRows(
    KernelBuilder &kernel, const RowTasks &tasks, unsigned together,
    llvm::function_ref<void(mlir::Value first, unsigned count)> body);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_BUILDER_ROWTASKS_H
