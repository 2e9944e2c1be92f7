// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divides rows among tasks by their length, and loops over the rows of a task.

#include "lowering/builder/RowTasks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"
#include <tuple>

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

RowTasks RowTasks::plan(DimExpr rows, DimExpr rowLength, int64_t elements,
                        bool cutRows) {
  RowTasks t;
  t.rows = rows;
  t.rowLength = rowLength;
  auto length = rowLength.constant();
  if (length && (*length <= 2 * elements || !cutRows)) {
    t.rowsPerTask =
        std::max<int64_t>(1, elements / std::max<int64_t>(1, *length));
    if (auto count = rows.constant())
      t.rowsPerTask = std::max<int64_t>(1, std::min(t.rowsPerTask, *count));
    t.tasks = DimExpr::ceilDiv(rows, t.rowsPerTask);
    t.elementsPerTask = double(t.rowsPerTask) * *length;
    return t;
  }
  t.elementsPerTask = elements;
  if (!cutRows) {
    t.tasks = rows;
    return t;
  }
  t.chunk = elements;
  t.tasks = rows * DimExpr::ceilDiv(rowLength, elements);
  return t;
}

void RowTasks::roundUpTo(unsigned together) {
  rowsPerTask = int64_t(llvm::alignTo(uint64_t(rowsPerTask), together));
  tasks = DimExpr::ceilDiv(rows, rowsPerTask);
}

/// The first row of a task and one past its last row.
static std::pair<Value, Value> rowsOfTask(KernelBuilder &kernel,
                                          const RowTasks &tasks, Value task) {
  Value first = kernel.mul(task, kernel.index(tasks.rowsPerTask)),
        last = kernel.add(first, kernel.index(tasks.rowsPerTask));
  auto rows = tasks.rows.constant();
  if (!rows || *rows % tasks.rowsPerTask)
    last = kernel.min(last, kernel.size(tasks.rows));
  return {first, last};
}

/// The row of a task that has a part of one, and the number of the part. Most
/// rows are one part: telling costs less than dividing.
static std::pair<Value, Value> rowAndPart(KernelBuilder &kernel, Value task,
                                          Value parts) {
  if (kernel.constantOf(parts))
    return {kernel.div(task, parts), kernel.rem(task, parts)};
  OpBuilder &b = kernel.b;
  Value one = kernel.index(1);
  Value isOne =
      b.create<arith::CmpIOp>(kernel.loc, arith::CmpIPredicate::eq, parts, one);
  auto branch = b.create<scf::IfOp>(
      kernel.loc, TypeRange{task.getType(), task.getType()}, isOne,
      /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  b.create<scf::YieldOp>(kernel.loc, ValueRange{task, kernel.index(0)});
  b.setInsertionPointToStart(branch.elseBlock());
  Value row = kernel.div(task, parts), part = kernel.rem(task, parts);
  b.create<scf::YieldOp>(kernel.loc, ValueRange{row, part});
  return {branch.getResult(0), branch.getResult(1)};
}

void forEachRow(KernelBuilder &kernel, const RowTasks &tasks,
                function_ref<void(Value, Value, Value)> body) {
  Value one = kernel.index(1), length = kernel.size(tasks.rowLength);
  kernel.loop(kernel.begin(), kernel.end(), one, [&](Value task) {
    if (tasks.chunk) {
      Value chunks =
          kernel.size(DimExpr::ceilDiv(tasks.rowLength, tasks.chunk));
      bool single = tasks.rows.isConstant(1);
      Value row, number;
      if (tasks.chunksFirst) {
        Value rows = kernel.max(kernel.size(tasks.rows), one);
        row = kernel.rem(task, rows);
        number = kernel.div(task, rows);
      } else if (single) {
        row = kernel.index(0);
        number = task;
      } else {
        std::tie(row, number) = rowAndPart(kernel, task, chunks);
      }
      Value low = kernel.mul(number, kernel.index(tasks.chunk));
      body(row, low,
           kernel.min(kernel.add(low, kernel.index(tasks.chunk)), length));
      return;
    }
    if (tasks.rowsPerTask == 1) {
      body(task, kernel.index(0), length);
      return;
    }
    auto [first, last] = rowsOfTask(kernel, tasks, task);
    kernel.loop(first, last, one,
                [&](Value row) { body(row, kernel.index(0), length); });
  });
}

void forEachRows(KernelBuilder &kernel, const RowTasks &tasks,
                 unsigned together, function_ref<void(Value, unsigned)> body) {
  if (together == 1)
    return forEachRow(kernel, tasks,
                      [&](Value row, Value, Value) { body(row, 1); });
  Value one = kernel.index(1), step = kernel.index(together);
  kernel.loop(kernel.begin(), kernel.end(), one, [&](Value task) {
    auto [first, last] = rowsOfTask(kernel, tasks, task);
    Value whole = kernel.sub(last, kernel.rem(kernel.sub(last, first), step));
    kernel.loop(first, whole, step, [&](Value row) { body(row, together); });
    auto rows = tasks.rows.constant();
    if (!rows || *rows % together)
      kernel.loop(whole, last, one, [&](Value row) { body(row, 1); });
  });
}

} // namespace zenith::kernels
