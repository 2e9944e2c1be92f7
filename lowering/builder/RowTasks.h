// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a loop nest divided among tasks: how many rows a task has, and the
// loops over the rows of a task.

#ifndef ZENITH_LOWERING_BUILDER_ROWTASKS_H
#define ZENITH_LOWERING_BUILDER_ROWTASKS_H

#include "lowering/builder/KernelBuilder.h"

namespace zenith::kernels {

/// Elements that a task of streaming code handles: enough to hide the cost of
/// claiming a task, few enough to balance the load of threads.
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

/// Runs `body` for each number of [first, last) with its digits, whose sizes
/// multiply to how many numbers there are: a loop for each of them, so that
/// what outer digits say is computed outside of inner loops.
void forEachNumber(
    KernelBuilder &kernel, mlir::Value first, mlir::Value last,
    llvm::ArrayRef<graph::DimExpr> sizes,
    llvm::function_ref<void(llvm::ArrayRef<mlir::Value> digits)> body);

/// Runs `body` for each row of the kernel's task range with the row's index and
/// the part [low, high) of the row.
void forEachRow(
    KernelBuilder &kernel, const RowTasks &tasks,
    llvm::function_ref<void(mlir::Value row, mlir::Value low, mlir::Value high)>
        body);
/// The same with the digits of each row's index, whose product of `sizes` is
/// the number of rows, by a loop for each of them: dividing by a size that only
/// a run knows takes longer than a short row.
void forEachRowDigits(
    KernelBuilder &kernel, const RowTasks &tasks,
    llvm::ArrayRef<graph::DimExpr> sizes,
    llvm::function_ref<void(llvm::ArrayRef<mlir::Value> digits, mlir::Value low,
                            mlir::Value high)>
        body);
/// For tasks of whole rows: runs `body` once per group of `together` rows with
/// the first of them, then once per remaining row.
void forEachRows(
    KernelBuilder &kernel, const RowTasks &tasks, unsigned together,
    llvm::function_ref<void(mlir::Value first, unsigned count)> body);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_BUILDER_ROWTASKS_H
