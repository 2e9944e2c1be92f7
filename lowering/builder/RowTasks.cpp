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

/// Rows of the kernel's task range that have the same part [low, high); one row
/// where `last` is null.
using RowsBody =
    function_ref<void(Value first, Value last, Value low, Value high)>;

/// The same for rows of unknown length. Rows that are one part are one run, so
/// that nothing but a row's index differs from row to row.
static void forEachUnknownPart(KernelBuilder &kernel, const RowTasks &tasks,
                               Value parts, RowsBody body) {
  Value zero = kernel.index(0), one = kernel.index(1), begin = kernel.begin(),
        end = kernel.end(), length = kernel.size(tasks.rowLength);
  auto run = [&](Value first, Value last, Value part) {
    Value low = kernel.mul(part, kernel.index(tasks.chunk));
    body(first, last, low,
         kernel.min(kernel.add(low, kernel.index(tasks.chunk)), length));
  };
  if (tasks.chunksFirst) {
    Value rows = kernel.max(kernel.size(tasks.rows), one);
    Value behind = kernel.add(end, kernel.sub(rows, one));
    kernel.loop(kernel.div(begin, rows), kernel.div(behind, rows), one,
                [&](Value part) {
                  Value before = kernel.mul(part, rows);
                  run(kernel.max(kernel.sub(begin, before), zero),
                      kernel.min(kernel.sub(end, before), rows), part);
                });
    return;
  }
  Value isOne = kernel.b.create<arith::CmpIOp>(
      kernel.loc, arith::CmpIPredicate::eq, parts, one);
  auto ifOne = [&](Value then, Value otherwise) {
    return kernel.b.create<arith::SelectOp>(kernel.loc, isOne, then, otherwise);
  };
  Value runs = ifOne(kernel.min(kernel.add(begin, one), end), end);
  kernel.loop(begin, runs, one, [&](Value task) {
    auto [row, part] = rowAndPart(kernel, task, parts);
    run(row, ifOne(end, kernel.add(row, one)), part);
  });
}

static void forEachPart(KernelBuilder &kernel, const RowTasks &tasks,
                        RowsBody body) {
  Value zero = kernel.index(0), one = kernel.index(1), begin = kernel.begin(),
        end = kernel.end(), length = kernel.size(tasks.rowLength);
  if (!tasks.chunk && tasks.rowsPerTask == 1)
    return body(begin, end, zero, length);
  if (!tasks.chunk)
    return kernel.loop(begin, end, one, [&](Value task) {
      auto [first, last] = rowsOfTask(kernel, tasks, task);
      body(first, last, zero, length);
    });
  Value parts = kernel.size(DimExpr::ceilDiv(tasks.rowLength, tasks.chunk));
  bool isSingle = !tasks.chunksFirst && tasks.rows.isConstant(1);
  if (!isSingle && !kernel.constantOf(parts))
    return forEachUnknownPart(kernel, tasks, parts, body);
  kernel.loop(begin, end, one, [&](Value task) {
    Value row, number;
    if (tasks.chunksFirst) {
      Value rows = kernel.size(tasks.rows);
      row = kernel.rem(task, rows);
      number = kernel.div(task, rows);
    } else if (isSingle) {
      row = zero;
      number = task;
    } else {
      row = kernel.div(task, parts);
      number = kernel.rem(task, parts);
    }
    Value low = kernel.mul(number, kernel.index(tasks.chunk));
    body(row, Value(), low,
         kernel.min(kernel.add(low, kernel.index(tasks.chunk)), length));
  });
}

void forEachRow(KernelBuilder &kernel, const RowTasks &tasks,
                function_ref<void(Value, Value, Value)> body) {
  forEachPart(kernel, tasks,
              [&](Value first, Value last, Value low, Value high) {
                if (!last)
                  return body(first, low, high);
                kernel.loop(first, last, kernel.index(1),
                            [&](Value row) { body(row, low, high); });
              });
}

void forEachNumber(KernelBuilder &kernel, Value first, Value last,
                   ArrayRef<DimExpr> sizes,
                   function_ref<void(ArrayRef<Value> digits)> body) {
  Value zero = kernel.index(0), one = kernel.index(1);
  // The same range without the digits behind each one.
  SmallVector<Value> firsts(sizes.size(), first), lasts(sizes.size(), last);
  for (size_t i = sizes.size() - 1; i > 0; --i) {
    // There may be no numbers.
    Value size = kernel.size(DimExpr::max(sizes[i], 1));
    firsts[i - 1] = kernel.div(firsts[i], size);
    lasts[i - 1] =
        kernel.div(kernel.add(lasts[i], kernel.sub(size, one)), size);
  }
  SmallVector<Value> digits;
  std::function<void(Value)> loops = [&](Value outer) {
    size_t i = digits.size();
    if (i == sizes.size())
      return body(digits);
    Value size = kernel.size(sizes[i]), before = kernel.mul(outer, size),
          low = firsts[i], high = lasts[i];
    if (i > 0) {
      low = kernel.max(kernel.sub(low, before), zero);
      high = kernel.min(kernel.sub(high, before), size);
    }
    kernel.loop(low, high, one, [&](Value digit) {
      digits.push_back(digit);
      loops(i > 0 ? kernel.add(before, digit) : digit);
      digits.pop_back();
    });
  };
  loops(zero);
}

void forEachRowDigits(
    KernelBuilder &kernel, const RowTasks &tasks, ArrayRef<DimExpr> sizes,
    function_ref<void(ArrayRef<Value> digits, Value low, Value high)> body) {
  forEachPart(
      kernel, tasks, [&](Value first, Value last, Value low, Value high) {
        if (!last)
          last = kernel.add(first, kernel.index(1));
        forEachNumber(kernel, first, last, sizes,
                      [&](ArrayRef<Value> digits) { body(digits, low, high); });
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
