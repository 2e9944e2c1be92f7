// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies a left-hand side that is contiguous along its rows so that it is
// contiguous along K: squares of words of two rows, transposed in registers.

#include "lowering/builder/LaneShuffle.h"
#include "lowering/builder/RowTasks.h"
#include "lowering/builder/TileTranspose.h"
#include "lowering/packing/PackPanels.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {
/// Elements of two squares side by side: as many rows, and k, as a vector has
/// elements of 16 bits.
class TransposedBlock {
public:
  TransposedBlock(KernelBuilder &k, const Preparation &copy)
      : k(k), copy(copy), words(k.target.lanes),
        elements(VectorType::get({2 * words}, k.b.getI16Type())),
        from(memoryOf(k, copy.from)),
        to(k.scratch(copy.scratch, k.b.getI16Type())) {}

  /// Rows, and k, of a block.
  int64_t size() const { return 2 * words; }
  /// From the element `source` on, the block of rows from `row` on and of k
  /// from `firstK` on, of a matrix that is copied to `destination`.
  void emit(Value source, Value row, Value firstK, Value destination) const;

private:
  /// The words of the rows at the k from `firstK` on; of those beyond the last
  /// k at that one.
  SmallVector<Value> square(Value source, Value firstK, Value rows) const;

  KernelBuilder &k;
  const Preparation &copy;
  int64_t words;
  VectorType elements;
  Value from, to;
};
} // namespace

SmallVector<Value> TransposedBlock::square(Value source, Value firstK,
                                           Value rows) const {
  const Axis &kAxis = copy.kAxes.front();
  Value last = k.sub(k.size(kAxis.size), k.index(1)),
        zeros = k.integer(elements, 0);
  SmallVector<Value> square;
  for (int64_t i = 0; i < words; ++i) {
    Value at = k.min(k.add(firstK, k.index(i)), last);
    Value x = k.b.create<vector::MaskedLoadOp>(
        k.loc, elements, from, k.add(source, k.mul(at, k.size(kAxis.strideB))),
        rows, zeros);
    square.push_back(k.b.create<vector::BitCastOp>(
        k.loc, VectorType::get({words}, k.b.getI32Type()), x));
  }
  transposeSquare(k.b, k.loc, square);
  for (Value &x : square)
    x = k.b.create<vector::BitCastOp>(k.loc, elements, x);
  return square;
}

void TransposedBlock::emit(Value source, Value row, Value firstK,
                           Value destination) const {
  Value rowCount = k.size(copy.columns.size),
        kSize = k.size(copy.kAxes.front().size);
  Value rows = k.mask(k.sub(rowCount, row), unsigned(size()));
  Value ks = k.mask(k.sub(kSize, firstK), unsigned(size()));
  auto low = square(source, firstK, rows),
       high = square(source, k.add(firstK, k.index(words)), rows);
  for (int64_t i = 0; i < size(); ++i) {
    Value at = k.add(row, k.index(i));
    Value exists = k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::ult,
                                             at, rowCount);
    k.ifThen(exists, [&] {
      Value to = k.add(destination, k.add(k.mul(at, kSize), firstK));
      k.b.create<vector::MaskedStoreOp>(
          k.loc, this->to, to, ks,
          everyNth(k, {low[i / 2], high[i / 2]}, i % 2));
    });
  }
}

Launch emitTransposedRows(KernelBuilder &k, const Preparation &transpose) {
  // Cache lines side by side, so that memory is read in longer runs.
  constexpr int64_t blocksOfTask = 4;
  TransposedBlock block(k, transpose);
  int64_t rowsOfTask = blocksOfTask * block.size();
  SmallVector<DimExpr> sizes;
  for (const Axis &axis : transpose.outer)
    sizes.push_back(axis.size);
  DimExpr rows = transpose.columns.size, kSize = transpose.kAxes.front().size;
  sizes.push_back(DimExpr::ceilDiv(rows, DimExpr(rowsOfTask)));
  k.loop(k.begin(), k.end(), k.index(1), [&](Value task) {
    SmallVector<Value> digits = digitsOf(k, task, sizes);
    Value base = matrixOffset(k, transpose, digits);
    Value first = k.mul(digits.back(), k.index(rowsOfTask));
    Value last = k.min(k.add(first, k.index(rowsOfTask)), k.size(rows));
    Value matrix = k.mul(k.div(task, k.size(sizes.back())),
                         k.mul(k.size(rows), k.size(kSize)));
    k.loop(k.index(0), k.size(kSize), k.index(block.size()), [&](Value at) {
      k.loop(first, last, k.index(block.size()),
             [&](Value row) { block.emit(k.add(base, row), row, at, matrix); });
    });
  });
  return k.finish(productOf(sizes), 4 * estimate(kSize) * double(rowsOfTask));
}

} // namespace zenith::kernels
