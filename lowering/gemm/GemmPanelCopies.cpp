// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes blocks of panels to memory of the task, where they stay in cache.

#include "lowering/gemm/GemmPanelCopies.h"
#include "lowering/builder/SharedFunction.h"
#include "lowering/microkernels/MicroKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

int64_t panelsPerKBlock(const GemmContext &gemm) {
  return gemm.space.taps.empty() ? gemm.schedule.panelsPerTask : 1;
}

int64_t GemmPanelCopies::count() const {
  const GemmSchedule &schedule = gemm.schedule;
  if (!schedule.widens())
    return schedule.panelsPerTask;
  if (!schedule.storesAccumulators())
    return 1;
  bool joinsPanels = !schedule.joins(JoinedTasks::RowBlocks);
  return panelsPerKBlock(gemm) * (joinsPanels ? schedule.joined.count : 1);
}

GemmPanelCopies::GemmPanelCopies(const GemmContext &gemm)
    : gemm(gemm), k(gemm.k) {
  const ContractionSpace &space = gemm.space;
  bool widens = gemm.schedule.widens();
  int64_t elements = gemm.schedule.taskPanels->elements;
  Type element = widens ? space.sum : memoryType(space.copied);
  panels = asMemory(k.b, k.loc, gemm.allocate(count() * elements, element));
  Axis across = space.columns;
  if (widens)
    across = {DimExpr(gemm.nr), DimExpr(0), DimExpr(1)};
  writer.emplace(k, PanelWriter::Layout{gemm.b, space.b.element, across,
                                        space.kAxis, panels, element,
                                        unsigned(gemm.nr), elements,
                                        widens ? 1 : space.kInterleave});
}

Value GemmPanelCopies::panelBase(Value column) const {
  Value number = k.div(column, k.index(gemm.nr));
  return k.mul(k.sub(number, firstCopied),
               k.index(gemm.schedule.taskPanels->elements));
}

/// The rows of a panel are contiguous in both memories.
void GemmPanelCopies::widen(Value kBlock, Value firstPanel, Value lastPanel) {
  Value size = k.index(gemm.schedule.taskPanels->elements), one = k.index(1);
  Value first = k.mul(kBlock, size), all = k.size(gemm.space.panelElements());
  Value wide = k.index(gemm.nr);
  Value rows = k.div(k.min(k.sub(all, first), size), wide);
  k.loop(firstPanel, lastPanel, one, [&](Value panel) {
    Value to = k.mul(k.sub(panel, firstPanel), size);
    if (const auto &codes = gemm.space.codes) {
      decode(*codes, panel, k.div(first, wide), rows, to);
      return;
    }
    Value from = k.add(k.add(gemm.bBase, k.mul(panel, all)), first);
    writer->panels(from, k.index(0), one, /*most=*/1, to, rows);
  });
}

/// Writes `rows` rows of a panel, from row `firstK` on: (integer - zero) *
/// scale.
void GemmPanelCopies::decode(const graph::CodedPanels &codes, Value panel,
                             Value firstK, Value rows, Value destination) {
  constexpr int64_t lowBits = 15, bitsOfCode = 4;
  OpBuilder &b = k.b;
  auto bytes = VectorType::get({gemm.nr}, b.getI8Type()),
       words = VectorType::get({gemm.nr}, b.getI32Type()),
       floats = VectorType::get({gemm.nr}, b.getF32Type());
  auto load = [&](VectorType type, Value operand, Value row,
                  int64_t perPanel) -> Value {
    Value at = k.add(k.mul(panel, k.index(perPanel)), row);
    return b.create<vector::LoadOp>(k.loc, type,
                                    k.memoryOf(cast<BlockArgument>(operand)),
                                    k.mul(at, k.index(gemm.nr)));
  };
  int64_t blocks = int64_t(llvm::divideCeil(codes.k, codes.block)),
          fields = codes.isHalved ? 2 : 1;
  auto elementOf = [](Value value) {
    return getElementTypeOrSelf(value.getType());
  };
  bool hasFloatZeros = codes.zeros && elementOf(codes.zeros).isF32();
  auto widen = [&](Value x) -> Value {
    if (elementOf(codes.integers).isUnsignedInteger())
      return b.create<arith::ExtUIOp>(k.loc, words, x);
    return b.create<arith::ExtSIOp>(k.loc, words, x);
  };
  k.loop(k.index(0), rows, k.index(1), [&](Value row) {
    Value at = k.add(firstK, row), block = k.div(at, k.index(codes.block));
    Value x = load(bytes, codes.integers, k.div(at, k.index(fields)),
                   int64_t(llvm::divideCeil(codes.k, fields)));
    if (codes.isHalved) {
      Value shift = b.create<arith::IndexCastOp>(
          k.loc, b.getI8Type(),
          k.mul(k.rem(at, k.index(fields)), k.index(bitsOfCode)));
      x = b.create<arith::ShRUIOp>(k.loc, x,
                                   k.broadcast(shift, unsigned(gemm.nr)));
      x = b.create<arith::AndIOp>(k.loc, x, k.integer(bytes, lowBits));
    }
    if (codes.isHalved && !hasFloatZeros) // the difference fits in a byte
      x = b.create<arith::SubIOp>(k.loc, x,
                                  codes.zeros
                                      ? load(bytes, codes.zeros, block, blocks)
                                      : k.integer(bytes, codes.zero));
    x = widen(x);
    if (!codes.isHalved && codes.zeros && !hasFloatZeros)
      x = b.create<arith::SubIOp>(
          k.loc, x, widen(load(bytes, codes.zeros, block, blocks)));
    x = b.create<arith::SIToFPOp>(k.loc, floats, x);
    if (hasFloatZeros)
      x = b.create<arith::SubFOp>(k.loc, x,
                                  load(floats, codes.zeros, block, blocks));
    x = b.create<arith::MulFOp>(k.loc, x,
                                load(floats, codes.scales, block, blocks));
    b.create<vector::StoreOp>(k.loc, x, panels,
                              k.add(destination, k.mul(row, k.index(gemm.nr))));
  });
}

void GemmPanelCopies::copy(Value kBlock, Value firstPanel, Value lastPanel) {
  firstCopied = firstPanel;
  if (gemm.schedule.widens()) {
    widen(kBlock, firstPanel, lastPanel);
    return;
  }
  const Axis &kAxis = gemm.space.kAxis;
  int64_t kc = gemm.schedule.taskPanels->elements / gemm.nr;
  Value first = k.mul(kBlock, k.index(kc));
  Value rows = k.min(k.sub(k.size(kAxis.size), first), k.index(kc));
  Value base = k.add(gemm.bBase, k.mul(first, k.size(kAxis.strideB)));
  writer->panels(base, firstPanel, lastPanel, gemm.schedule.panelsPerTask,
                 k.index(0), rows);
}

} // namespace zenith::kernels
