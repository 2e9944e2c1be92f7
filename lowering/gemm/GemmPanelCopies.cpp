// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes blocks of panels to memory of the task, where they stay in cache.

#include "lowering/gemm/GemmPanelCopies.h"
#include "lowering/builder/SharedFunction.h"
#include "lowering/microkernels/MicroKernel.h"

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
                                        unsigned(gemm.nr), elements});
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
  Value rows = k.div(k.min(k.sub(all, first), size), k.index(gemm.nr));
  k.loop(firstPanel, lastPanel, one, [&](Value panel) {
    Value from = k.add(k.add(gemm.bBase, k.mul(panel, all)), first);
    writer->panels(from, k.index(0), one, /*most=*/1,
                   k.mul(k.sub(panel, firstPanel), size), rows);
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
