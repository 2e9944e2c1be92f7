// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Panels by rows, by neighbouring rows of several panels, and by transposition
// in registers where the source runs along the depth.

#include "lowering/kernels/PanelWriter.h"
#include "lowering/builder/RowTasks.h"
#include "lowering/builder/TileTranspose.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

PanelWriter::PanelWriter(KernelBuilder &kernel, const Place &place)
    : k(kernel), emitter(kernel), place(place) {
  emitter.indices.width = place.width;
}

Value PanelWriter::widen(Value x) {
  Type packed = place.packed, type = typeLike(packed, x.getType()),
       element = getElementTypeOrSelf(x.getType());
  if (element == packed)
    return x;
  if (isa<FloatType>(element))
    return k.b.create<arith::ExtFOp>(k.loc, type, x);
  if (isa<FloatType>(packed) && place.element.isUnsignedInteger())
    return k.b.create<arith::UIToFPOp>(k.loc, type, x);
  if (isa<FloatType>(packed))
    return k.b.create<arith::SIToFPOp>(k.loc, type, x);
  if (element.getIntOrFloatBitWidth() > packed.getIntOrFloatBitWidth())
    return k.b.create<arith::TruncIOp>(k.loc, type, x);
  if (place.element.isUnsignedInteger())
    return k.b.create<arith::ExtUIOp>(k.loc, type, x);
  return k.b.create<arith::ExtSIOp>(k.loc, type, x);
}

void PanelWriter::row(Value base, Value first, Value destination, Value mask) {
  ElementEmitter::Scope scope(emitter);
  emitter.mask = mask;
  IndexMath &math = emitter.indices;
  LaneIndex lanes = math.lanes(first, place.columns.size, place.width);
  LaneIndex linear = math.add(math.scalar(base, DimExpr(int64_t(1) << 40)),
                              math.scale(lanes, place.columns.strideB));
  Value x = widen(emitter.loadLinear(place.from, place.element, linear));
  k.b.create<vector::StoreOp>(k.loc, k.broadcast(x, place.width), place.to,
                              destination);
}

/// Rows of the digits from `level` on; a row of the panel takes `width`
/// elements.
void PanelWriter::rows(unsigned level, Value base, Value first,
                       Value destination, Value mask) {
  const Axis &axis = place.depth[level];
  DimExpr inner = int64_t(place.width);
  for (const Axis &other : place.depth.drop_front(level + 1))
    inner = inner * other.size;
  k.loop(k.index(0), depthOf(level), k.index(1), [&](Value i) {
    Value at = k.add(base, k.mul(i, k.size(axis.strideB)));
    Value next = k.add(destination, k.mul(i, k.size(inner)));
    if (level + 1 == place.depth.size())
      row(at, first, next, mask);
    else
      rows(level + 1, at, first, next, mask);
  });
}

/// A whole cache line of each of some columns at a time.
void PanelWriter::transposeBlock(Value base, Value first, Value depth,
                                 Value destination) {
  int64_t lanes = k.target.lanes;
  auto type = VectorType::get({lanes}, place.packed);
  Value last = k.sub(k.size(place.columns.size), k.index(1));
  for (int64_t group = 0; group < place.width; group += lanes) {
    SmallVector<Value> square;
    for (int64_t i = 0; i < lanes; ++i) {
      // Columns beyond the last are never looked at, but their memory must
      // exist.
      Value column = k.min(k.add(first, k.index(group + i)), last);
      Value at = k.add(
          k.add(base, k.mul(column, k.size(place.columns.strideB))), depth);
      square.push_back(k.b.create<vector::LoadOp>(k.loc, type, place.from, at));
    }
    transposeSquare(k, square);
    for (auto [i, x] : llvm::enumerate(square)) {
      Value row = k.add(k.mul(depth, k.index(place.width)),
                        k.index(int64_t(i) * place.width + group));
      k.b.create<vector::StoreOp>(k.loc, x, place.to, k.add(destination, row));
    }
  }
}

void PanelWriter::transposed(Value base, Value first, Value destination) {
  Value depth = depthOf(0), lanes = k.index(k.target.lanes);
  Value whole = k.sub(depth, k.rem(depth, lanes));
  k.loop(k.index(0), whole, lanes,
         [&](Value at) { transposeBlock(base, first, at, destination); });
  Value wide = k.index(place.width);
  Value mask = k.mask(k.sub(k.size(place.columns.size), first), place.width);
  k.loop(whole, depth, k.index(1), [&](Value at) {
    row(k.add(base, at), first, k.add(destination, k.mul(at, wide)), mask);
  });
}

void PanelWriter::panel(Value base, Value first, Value destination) {
  if (place.depth.size() == 1 && place.depth[0].strideB.isConstant(1) &&
      place.element.isF32() && place.packed.isF32()) {
    transposed(base, first, destination);
    return;
  }
  auto count = place.columns.size.constant();
  Value mask;
  if (!count || *count % place.width)
    mask = k.mask(k.sub(k.size(place.columns.size), first), place.width);
  rows(0, base, first, destination, mask);
}

/// As many panels as are copied at once.
void PanelWriter::sideBySide(Value base, Value firstPanel, Value destination) {
  Value wide = k.index(place.width), size = k.size(place.size);
  k.loop(k.index(0), depthOf(0), k.index(1), [&](Value i) {
    Value at = k.add(base, k.mul(i, k.size(place.depth[0].strideB)));
    Value to = k.add(destination, k.mul(i, wide));
    for (int64_t p = 0; p < panelsPerCopy; ++p)
      row(at, k.mul(k.add(firstPanel, k.index(p)), wide),
          k.add(to, k.mul(k.index(p), size)), {});
  });
}

void PanelWriter::panels(Value base, Value firstPanel, Value lastPanel,
                         int64_t most, Value destination, Value onlyDepths) {
  depths = onlyDepths;
  Value wide = k.index(place.width), size = k.size(place.size);
  auto oneByOne = [&] {
    k.loop(firstPanel, lastPanel, k.index(1), [&](Value p) {
      Value to = k.mul(k.sub(p, firstPanel), size);
      panel(base, k.mul(p, wide), k.add(destination, to));
    });
  };
  if (most != panelsPerCopy || place.depth.size() != 1 ||
      !place.columns.strideB.isConstant(1)) {
    oneByOne();
    return;
  }
  Value last = k.mul(k.add(firstPanel, k.index(panelsPerCopy)), wide);
  Value whole = k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::sle,
                                          last, k.size(place.columns.size));
  auto branch = k.b.create<scf::IfOp>(k.loc, whole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPoint(branch.thenBlock()->getTerminator());
  sideBySide(base, firstPanel, destination);
  k.b.setInsertionPoint(branch.elseBlock()->getTerminator());
  oneByOne();
}

} // namespace zenith::kernels
