// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes panels by rows, by neighbouring rows of several panels, and by
// transposition in registers where the source is contiguous along K.

#include "lowering/packing/PanelWriter.h"
#include "lowering/builder/RowTasks.h"
#include "lowering/builder/TileTranspose.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

PanelWriter::PanelWriter(KernelBuilder &kernel, const Layout &layout)
    : k(kernel), emitter(kernel), layout(layout) {
  emitter.indices.width = layout.width;
}

Value PanelWriter::widen(Value x) {
  Type packed = layout.packed, type = typeLike(packed, x.getType()),
       element = getElementTypeOrSelf(x.getType());
  if (element == packed)
    return x;
  if (isa<FloatType>(element))
    return k.b.create<arith::ExtFOp>(k.loc, type, x);
  if (isa<FloatType>(packed) && layout.element.isUnsignedInteger())
    return k.b.create<arith::UIToFPOp>(k.loc, type, x);
  if (isa<FloatType>(packed))
    return k.b.create<arith::SIToFPOp>(k.loc, type, x);
  if (element.getIntOrFloatBitWidth() > packed.getIntOrFloatBitWidth())
    return k.b.create<arith::TruncIOp>(k.loc, type, x);
  if (layout.element.isUnsignedInteger())
    return k.b.create<arith::ExtUIOp>(k.loc, type, x);
  return k.b.create<arith::ExtSIOp>(k.loc, type, x);
}

Value PanelWriter::loadRow(Value base, Value first) {
  IndexMath &math = emitter.indices;
  LaneIndex lanes = math.lanes(first, layout.columns.size, layout.width);
  LaneIndex linear = math.add(math.scalar(base, DimExpr(int64_t(1) << 40)),
                              math.scale(lanes, layout.columns.strideB));
  Type stored = cast<MemRefType>(layout.from.getType()).getElementType();
  Type read = layout.packed == stored ? stored : layout.element;
  return k.broadcast(widen(emitter.memory.load(layout.from, read, linear)),
                     layout.width);
}

/// The neighbouring k of a row or, at the last k of an odd number, zeros.
Value PanelWriter::loadNextRow(Value base, Value first, Value at, Value mask) {
  const Axis &kAxis = layout.kAxes.back();
  auto kSize = limit ? std::nullopt : kAxis.size.constant();
  Value next = k.add(base, k.size(kAxis.strideB));
  ElementEmitter::Scope scope(emitter);
  if (!kSize || *kSize % 2) {
    Value exists = k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::ult,
                                             k.add(at, k.index(1)),
                                             kOf(layout.kAxes.size() - 1));
    Value all = k.broadcast(exists, layout.width);
    emitter.active.mask =
        mask ? k.b.create<arith::AndIOp>(k.loc, mask, all) : all;
    next = k.b.create<arith::SelectOp>(k.loc, exists, next, base);
  }
  return loadRow(next, first);
}

/// Writes the row at the k `at` of the innermost axis, with those that lie side
/// by side with it.
void PanelWriter::row(Value base, Value first, Value at, Value destination,
                      Value mask) {
  ElementEmitter::Scope scope(emitter);
  emitter.active.mask = mask;
  Value x = loadRow(base, first);
  if (layout.kInterleave > 1) {
    SmallVector<int64_t> lanes;
    for (int64_t lane = 0; lane < int64_t(layout.width); ++lane)
      lanes.append({lane, int64_t(layout.width) + lane});
    x = k.b.create<vector::ShuffleOp>(
        k.loc, x, loadNextRow(base, first, at, mask), lanes);
  }
  k.b.create<vector::StoreOp>(k.loc, x, layout.to, destination);
}

/// Writes rows for the K axes from `level` on; a row of the panel takes `width`
/// elements.
void PanelWriter::rows(unsigned level, Value base, Value first,
                       Value destination, Value mask) {
  const Axis &axis = layout.kAxes[level];
  DimExpr inner = int64_t(layout.width);
  for (const Axis &other : layout.kAxes.drop_front(level + 1))
    inner = inner * (&other == &layout.kAxes.back()
                         ? paddedK(other.size, layout.kInterleave)
                         : other.size);
  bool isLast = level + 1 == layout.kAxes.size();
  k.loop(k.index(0), kOf(level), k.index(isLast ? layout.kInterleave : 1),
         [&](Value i) {
           Value at = k.add(base, k.mul(i, k.size(axis.strideB)));
           Value next = k.add(destination, k.mul(i, k.size(inner)));
           if (isLast)
             row(at, first, i, next, mask);
           else
             rows(level + 1, at, first, next, mask);
         });
}

/// Offset of a column. Those beyond the last are never used, but their memory
/// must exist.
Value PanelWriter::columnAt(Value base, Value column) {
  Value last = k.sub(k.size(layout.columns.size), k.index(1));
  return k.add(base,
               k.mul(k.min(column, last), k.size(layout.columns.strideB)));
}

/// Transposes a whole cache line of each of `width` columns, by words of as
/// many k as lie side by side.
void PanelWriter::transposeBlock(Value base, Value first, Value fromK,
                                 Value destination) {
  int64_t lanes = k.target.lanes, ofWord = layout.kInterleave;
  auto elements = VectorType::get({lanes * ofWord}, layout.packed);
  auto as = [&](Value x, VectorType type) -> Value {
    return ofWord > 1 ? k.b.create<vector::BitCastOp>(k.loc, type, x) : x;
  };
  for (int64_t group = 0; group < layout.width; group += lanes) {
    SmallVector<Value> square;
    for (int64_t i = 0; i < lanes; ++i) {
      Value at = k.add(columnAt(base, k.add(first, k.index(group + i))), fromK);
      square.push_back(
          as(k.b.create<vector::LoadOp>(k.loc, elements, layout.from, at),
             VectorType::get({lanes}, k.b.getI32Type())));
    }
    transposeSquare(k.b, k.loc, square);
    for (auto [i, x] : llvm::enumerate(square)) {
      Value row = k.add(k.mul(fromK, k.index(layout.width)),
                        k.index((int64_t(i) * layout.width + group) * ofWord));
      k.b.create<vector::StoreOp>(k.loc, as(x, elements), layout.to,
                                  k.add(destination, row));
    }
  }
}

/// The word of each column from `fromK` on.
void PanelWriter::words(Value base, Value first, Value fromK,
                        Value destination) {
  int64_t ofWord = layout.kInterleave;
  auto word = VectorType::get({ofWord}, layout.packed);
  Value to = k.add(destination, k.mul(fromK, k.index(layout.width)));
  k.loop(k.index(0), k.index(layout.width), k.index(1), [&](Value column) {
    Value at = k.add(columnAt(base, k.add(first, column)), fromK);
    Value x = k.b.create<vector::LoadOp>(k.loc, word, layout.from, at);
    k.b.create<vector::StoreOp>(k.loc, x, layout.to,
                                k.add(to, k.mul(column, k.index(ofWord))));
  });
}

void PanelWriter::transposed(Value base, Value first, Value destination) {
  int64_t ofWord = layout.kInterleave;
  Value kSize = kOf(0), ofBlock = k.index(k.target.lanes * ofWord);
  Value whole = k.sub(kSize, k.rem(kSize, ofBlock));
  k.loop(k.index(0), whole, ofBlock,
         [&](Value at) { transposeBlock(base, first, at, destination); });
  if (ofWord > 1) {
    k.loop(whole, kSize, k.index(ofWord),
           [&](Value at) { words(base, first, at, destination); });
    return;
  }
  Value wide = k.index(layout.width);
  Value mask = k.mask(k.sub(k.size(layout.columns.size), first), layout.width);
  k.loop(whole, kSize, k.index(1), [&](Value at) {
    row(k.add(base, at), first, at, k.add(destination, k.mul(at, wide)), mask);
  });
}

void PanelWriter::panel(Value base, Value first, Value destination) {
  bool isAlongK =
      layout.kAxes.size() == 1 && layout.kAxes[0].strideB.isConstant(1);
  bool areFloats = layout.element.isF32() && layout.packed.isF32();
  if (isAlongK && (areFloats || layout.kInterleave > 1)) {
    transposed(base, first, destination);
    return;
  }
  auto count = layout.columns.size.constant();
  Value mask;
  if (!count || *count % layout.width)
    mask = k.mask(k.sub(k.size(layout.columns.size), first), layout.width);
  rows(0, base, first, destination, mask);
}

/// Writes panelsPerCopy panels, row by row.
void PanelWriter::sideBySide(Value base, Value firstPanel, Value destination) {
  Value wide = k.index(layout.width), size = k.size(layout.size);
  k.loop(k.index(0), kOf(0), k.index(layout.kInterleave), [&](Value i) {
    Value at = k.add(base, k.mul(i, k.size(layout.kAxes[0].strideB)));
    Value to = k.add(destination, k.mul(i, wide));
    for (int64_t p = 0; p < panelsPerCopy; ++p)
      row(at, k.mul(k.add(firstPanel, k.index(p)), wide), i,
          k.add(to, k.mul(k.index(p), size)), {});
  });
}

void PanelWriter::panels(Value base, Value firstPanel, Value lastPanel,
                         int64_t most, Value destination, Value limitedK) {
  limit = limitedK;
  Value wide = k.index(layout.width), size = k.size(layout.size);
  auto oneByOne = [&] {
    k.loop(firstPanel, lastPanel, k.index(1), [&](Value p) {
      Value to = k.mul(k.sub(p, firstPanel), size);
      panel(base, k.mul(p, wide), k.add(destination, to));
    });
  };
  if (most != panelsPerCopy || layout.kAxes.size() != 1 ||
      !layout.columns.strideB.isConstant(1)) {
    oneByOne();
    return;
  }
  Value last = k.mul(k.add(firstPanel, k.index(panelsPerCopy)), wide);
  Value whole = k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::sle,
                                          last, k.size(layout.columns.size));
  auto branch = k.b.create<scf::IfOp>(k.loc, whole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPoint(branch.thenBlock()->getTerminator());
  sideBySide(base, firstPanel, destination);
  k.b.setInsertionPoint(branch.elseBlock()->getTerminator());
  oneByOne();
}

} // namespace zenith::kernels
