// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs panels, by transposition in registers where the source runs along the
// depth, and copies operands that strides don't describe.

#include "lowering/kernels/PackPanelKernel.h"
#include "lowering/kernels/AffineOperand.h"
#include "lowering/kernels/Schedule.h"
#include "lowering/kernels/TileTranspose.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

/// Digits of `flat`, the last one fastest.
SmallVector<Value> digitsOf(KernelBuilder &k, Value flat,
                            ArrayRef<DimExpr> sizes) {
  SmallVector<Value> digits(sizes.size());
  for (unsigned i = sizes.size(); i-- > 0;) {
    Value size = k.size(sizes[i]);
    digits[i] = i ? k.rem(flat, size) : flat;
    if (i)
      flat = k.div(flat, size);
  }
  return digits;
}

DimExpr productOf(ArrayRef<DimExpr> sizes) {
  DimExpr all = 1;
  for (const DimExpr &size : sizes)
    all = all * size;
  return all;
}

namespace {

class PanelPacker {
public:
  PanelPacker(KernelBuilder &kernel, const Preparation &pack,
              const ContractionSpace &space)
      : k(kernel), emitter(kernel), pack(pack),
        packed(memoryType(space.b.element)),
        columns(tileColumns(space.sum, kernel.target)) {
    emitter.indices.width = columns;
    from = pack.from.scratch
               ? k.scratch(pack.from.index, memoryType(pack.from.element))
               : k.operand(pack.from.index);
    to = k.scratch(pack.scratch, packed);
  }
  Launch emit();

private:
  void panel(Value base, Value first, Value destination);
  void sideBySide(Value base, Value firstPanel, Value destination);
  void row(Value base, Value first, Value destination, Value mask);
  void rows(unsigned level, Value base, Value first, Value destination,
            Value mask);
  void transposed(Value base, Value first, Value destination);
  void transposeBlock(Value base, Value first, Value depth, Value destination);
  Value widen(Value x);

  KernelBuilder &k;
  ElementEmitter emitter;
  const Preparation &pack;
  Type packed;
  unsigned columns;
  Value from, to;
};

Value PanelPacker::widen(Value x) {
  Type type = typeLike(packed, x.getType()),
       element = getElementTypeOrSelf(x.getType());
  if (element == packed)
    return x;
  if (isa<FloatType>(packed))
    return k.b.create<arith::ExtFOp>(k.loc, type, x);
  if (element.getIntOrFloatBitWidth() > packed.getIntOrFloatBitWidth())
    return k.b.create<arith::TruncIOp>(k.loc, type, x);
  if (pack.from.element.isUnsignedInteger())
    return k.b.create<arith::ExtUIOp>(k.loc, type, x);
  return k.b.create<arith::ExtSIOp>(k.loc, type, x);
}

void PanelPacker::row(Value base, Value first, Value destination, Value mask) {
  ElementEmitter::Scope scope(emitter);
  emitter.mask = mask;
  IndexMath &math = emitter.indices;
  Ix lanes = math.lanes(first, pack.columns.size, columns);
  Ix linear = math.add(math.scalar(base, DimExpr(int64_t(1) << 40)),
                       math.scale(lanes, pack.columns.strideB));
  Value x = widen(emitter.loadLinear(from, pack.from.element, linear));
  k.b.create<vector::StoreOp>(k.loc, k.broadcast(x, columns), to, destination);
}

/// Rows of the digits from `level` on; a row of the panel takes `columns`
/// elements.
void PanelPacker::rows(unsigned level, Value base, Value first,
                       Value destination, Value mask) {
  const Axis &axis = pack.depth[level];
  DimExpr inner = int64_t(columns);
  for (const Axis &other : llvm::drop_begin(pack.depth, level + 1))
    inner = inner * other.size;
  k.loop(k.index(0), k.size(axis.size), k.index(1), [&](Value i) {
    Value at = k.add(base, k.mul(i, k.size(axis.strideB)));
    Value next = k.add(destination, k.mul(i, k.size(inner)));
    if (level + 1 == pack.depth.size())
      row(at, first, next, mask);
    else
      rows(level + 1, at, first, next, mask);
  });
}

void PanelPacker::transposeBlock(Value base, Value first, Value depth,
                                 Value destination) {
  int64_t lanes = k.target.lanes;
  auto type = VectorType::get({lanes}, packed);
  Value last = k.sub(k.size(pack.columns.size), k.index(1));
  for (int64_t group = 0; group < columns; group += lanes) {
    SmallVector<Value> square;
    for (int64_t i = 0; i < lanes; ++i) {
      // Columns beyond the last are never looked at, but their memory must
      // exist.
      Value column = k.min(k.add(first, k.index(group + i)), last);
      Value at = k.add(k.add(base, k.mul(column, k.size(pack.columns.strideB))),
                       depth);
      square.push_back(k.b.create<vector::LoadOp>(k.loc, type, from, at));
    }
    transposeSquare(k, square);
    for (auto [i, x] : llvm::enumerate(square)) {
      Value row = k.add(k.mul(depth, k.index(columns)),
                        k.index(int64_t(i) * columns + group));
      k.b.create<vector::StoreOp>(k.loc, x, to, k.add(destination, row));
    }
  }
}

void PanelPacker::transposed(Value base, Value first, Value destination) {
  Value depth = k.size(pack.depth[0].size), lanes = k.index(k.target.lanes);
  Value whole = k.sub(depth, k.rem(depth, lanes));
  k.loop(k.index(0), whole, lanes,
         [&](Value at) { transposeBlock(base, first, at, destination); });
  Value mask = k.mask(k.sub(k.size(pack.columns.size), first), columns);
  k.loop(whole, depth, k.index(1), [&](Value at) {
    row(k.add(base, at), first, k.add(destination, k.mul(at, k.index(columns))),
        mask);
  });
}

void PanelPacker::panel(Value base, Value first, Value destination) {
  if (pack.depth.size() == 1 && pack.depth[0].strideB.isConstant(1) &&
      pack.from.element.isF32()) {
    transposed(base, first, destination);
    return;
  }
  auto count = pack.columns.size.constant();
  Value mask;
  if (!count || *count % columns)
    mask = k.mask(k.sub(k.size(pack.columns.size), first), columns);
  rows(0, base, first, destination, mask);
}

/// Panels that are copied row by row: of a line from each row, little would
/// have been asked for ahead.
static constexpr int64_t panelsAtOnce = 4;

/// Some panels of a row-major matrix; fewer behind the last whole ones.
void PanelPacker::sideBySide(Value base, Value firstPanel, Value destination) {
  const Axis &axis = pack.depth[0];
  Value wide = k.index(columns), one = k.index(1);
  Value size = k.size(axis.size * DimExpr(int64_t(columns)));
  Value last = k.add(firstPanel, k.index(panelsAtOnce));
  Value whole =
      k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::sle,
                                k.mul(last, wide), k.size(pack.columns.size));
  auto branch = k.b.create<scf::IfOp>(k.loc, whole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPoint(branch.thenBlock()->getTerminator());
  k.loop(k.index(0), k.size(axis.size), one, [&](Value i) {
    Value at = k.add(base, k.mul(i, k.size(axis.strideB)));
    Value to = k.add(destination, k.mul(i, wide));
    for (int64_t p = 0; p < panelsAtOnce; ++p)
      row(at, k.mul(k.add(firstPanel, k.index(p)), wide),
          k.add(to, k.mul(k.index(p), size)), {});
  });
  k.b.setInsertionPoint(branch.elseBlock()->getTerminator());
  Value panels =
      k.size(DimExpr::ceilDiv(pack.columns.size, DimExpr(int64_t(columns))));
  k.loop(firstPanel, k.min(last, panels), one, [&](Value p) {
    panel(base, k.mul(p, wide),
          k.add(destination, k.mul(k.sub(p, firstPanel), size)));
  });
}

Launch PanelPacker::emit() {
  SmallVector<DimExpr> sizes, depths;
  for (const Axis &axis : pack.outer)
    sizes.push_back(axis.size);
  DimExpr panels =
      DimExpr::ceilDiv(pack.columns.size, DimExpr(int64_t(columns)));
  bool several = pack.depth.size() == 1 && pack.columns.strideB.isConstant(1) &&
                 estimate(panels) >= 4 * panelsAtOnce;
  int64_t perTask = several ? panelsAtOnce : 1;
  sizes.push_back(DimExpr::ceilDiv(panels, DimExpr(perTask)));
  for (const Axis &axis : pack.depth)
    depths.push_back(axis.size);
  DimExpr depth = productOf(depths);
  k.loop(k.begin(), k.end(), k.index(1), [&](Value task) {
    SmallVector<Value> digits = digitsOf(k, task, sizes);
    Value base = k.size(pack.from.offset);
    for (auto [digit, axis] : llvm::zip(digits, pack.outer))
      base = k.add(base, k.mul(digit, k.size(axis.strideB)));
    Value first = k.mul(digits.back(), k.index(perTask));
    Value matrix = k.div(task, k.size(sizes.back()));
    Value number = k.add(k.mul(matrix, k.size(panels)), first);
    Value to = k.mul(number, k.size(depth * DimExpr(int64_t(columns))));
    if (several)
      sideBySide(base, first, to);
    else
      panel(base, k.mul(first, k.index(columns)), to);
  });
  return k.finish(productOf(sizes), 8 * estimate(depth) * columns * perTask);
}

/// Row-major copy of any value, of its elements or wider ones.
Launch copyRows(KernelBuilder &k, const Preparation &copy, bool &ok) {
  ElementEmitter emitter(k);
  Type element = copy.from.element;
  Value to = k.scratch(copy.scratch, memoryType(element));
  graph::DimVector sizes = emitter.dimsOf(copy.value);
  DimExpr rowLength = sizes.empty() ? DimExpr(1) : sizes.back();
  SmallVector<DimExpr> outer;
  if (!sizes.empty())
    outer.assign(sizes.begin(), sizes.end() - 1);
  unsigned width =
      sizes.empty() || rowLength.isConstant(1) ? 1 : 2 * k.target.lanes;
  emitter.indices.width = width;
  k.loop(k.begin(), k.end(), k.index(1), [&](Value task) {
    SmallVector<Ix> index;
    for (auto [digit, size] : llvm::zip(digitsOf(k, task, outer), outer))
      index.push_back(emitter.indices.scalar(digit, size));
    auto store = [&](Value start, Value mask) {
      ElementEmitter::Scope scope(emitter);
      emitter.mask = mask;
      SmallVector<Ix> at = index;
      if (!sizes.empty())
        at.push_back(width == 1
                         ? emitter.indices.scalar(start, rowLength)
                         : emitter.indices.lanes(start, rowLength, width));
      if (Value x = emitter.emit(copy.value, at))
        emitter.storeLinear(to, element, k.broadcast(x, width),
                            emitter.linearize(copy.value, at));
    };
    if (width == 1)
      store(k.index(0), {});
    else
      k.laneLoop(k.index(0), k.size(rowLength), width, store);
  });
  ok = !emitter.failed();
  return k.finish(productOf(outer), 16 * estimate(rowLength));
}

} // namespace

FailureOr<Launch>
emitPreparation(const Preparation &preparation, const ContractionSpace &space,
                graph::FusionOp fusion, graph::DimAnalysis &dims,
                const KernelTarget &target, ModuleOp kernels, StringRef name) {
  KernelBuilder kernel(fusion, dims, target, kernels, name);
  if (preparation.kind == Preparation::PackPanels)
    return PanelPacker(kernel, preparation, space).emit();
  if (preparation.kind == Preparation::Pad)
    return emitPaddedImage(kernel, preparation);
  bool ok = true;
  Launch launch = copyRows(kernel, preparation, ok);
  return ok ? FailureOr<Launch>(launch) : FailureOr<Launch>(failure());
}

} // namespace zenith::kernels
