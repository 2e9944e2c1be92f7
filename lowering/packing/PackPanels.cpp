// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs all panels of a right-hand side, and copies operands that strides
// cannot express.

#include "lowering/packing/PackPanels.h"
#include "lowering/builder/AffineOperand.h"
#include "lowering/builder/RowTasks.h"
#include "lowering/packing/PanelWriter.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

Value matrixOffset(KernelBuilder &k, const Preparation &preparation,
                   ArrayRef<Value> digits) {
  Value offset = k.size(preparation.from.offset);
  for (auto [digit, axis] : llvm::zip(digits, preparation.outer))
    offset = k.add(offset, k.mul(digit, k.size(axis.strideB)));
  return offset;
}

namespace {

Launch packPanels(KernelBuilder &k, const Preparation &pack,
                  const ContractionSpace &space) {
  unsigned columns = nrOf(space.sum, k.target);
  PanelWriter::Layout layout;
  layout.from = memoryOf(k, pack.from);
  layout.element = pack.from.element;
  layout.columns = pack.columns;
  layout.kAxes = pack.kAxes;
  layout.kInterleave = pack.kInterleave;
  layout.packed =
      memoryType(pack.kInterleave > 1 ? pack.from.element : space.b.element);
  layout.to = k.scratch(pack.scratch, layout.packed);
  layout.width = columns;
  SmallVector<DimExpr> sizes, kSizes;
  for (const Axis &axis : pack.outer)
    sizes.push_back(axis.size);
  DimExpr panels =
      DimExpr::ceilDiv(pack.columns.size, DimExpr(int64_t(columns)));
  constexpr int64_t atOnce = panelsPerCopy;
  bool several = pack.kAxes.size() == 1 && pack.columns.strideB.isConstant(1) &&
                 estimate(panels) >= 4 * atOnce;
  int64_t perTask = several ? atOnce : 1;
  sizes.push_back(DimExpr::ceilDiv(panels, DimExpr(perTask)));
  for (const Axis &axis : pack.kAxes)
    kSizes.push_back(axis.size);
  kSizes.back() = paddedK(kSizes.back(), pack.kInterleave);
  DimExpr kSize = productOf(kSizes);
  layout.size = kSize * DimExpr(int64_t(columns));
  PanelWriter writer(k, layout);
  k.loop(k.begin(), k.end(), k.index(1), [&](Value task) {
    SmallVector<Value> digits = digitsOf(k, task, sizes);
    Value base = matrixOffset(k, pack, digits);
    Value first = k.mul(digits.back(), k.index(perTask));
    Value last = k.add(first, k.index(perTask));
    if (several)
      last = k.min(last, k.size(panels));
    Value matrix = k.div(task, k.size(sizes.back()));
    Value number = k.add(k.mul(matrix, k.size(panels)), first);
    writer.panels(base, first, last, perTask,
                  k.mul(number, k.size(layout.size)));
  });
  return k.finish(productOf(sizes), 8 * estimate(kSize) * columns * perTask);
}

/// Row-major copy of any value, with its own element type or a wider one.
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
    SmallVector<LaneIndex> index;
    for (auto [digit, size] : llvm::zip(digitsOf(k, task, outer), outer))
      index.push_back(emitter.indices.scalar(digit, size));
    auto store = [&](Value start, Value mask) {
      ElementEmitter::Scope scope(emitter);
      emitter.active.mask = mask;
      SmallVector<LaneIndex> at = index;
      if (!sizes.empty())
        at.push_back(width == 1
                         ? emitter.indices.scalar(start, rowLength)
                         : emitter.indices.lanes(start, rowLength, width));
      if (Value x = emitter.emit(copy.value, at))
        emitter.memory.store(to, element, k.broadcast(x, width),
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
                const TargetModel &target, ModuleOp kernels, StringRef name) {
  KernelBuilder kernel(fusion, dims, target, kernels, name);
  if (preparation.kind == Preparation::PackPanels)
    return packPanels(kernel, preparation, space);
  if (preparation.kind == Preparation::TransposeA)
    return emitTransposedRows(kernel, preparation);
  if (preparation.kind == Preparation::Pad)
    return emitPaddedInput(kernel, preparation);
  bool ok = true;
  Launch launch = copyRows(kernel, preparation, ok);
  return ok ? FailureOr<Launch>(launch) : FailureOr<Launch>(failure());
}

} // namespace zenith::kernels
