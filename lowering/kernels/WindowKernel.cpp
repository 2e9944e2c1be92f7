// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of windows that move over space, with lanes along the channels or
// along a row: positions whose window lies inside run without a test, several
// of them at a time so that they share what they read; the border runs one
// position or vector at a time.

#include "lowering/kernels/FusionKernels.h"
#include "lowering/kernels/Schedule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {
/// The window along one dimension of the result.
struct Span {
  unsigned dim;
  int64_t stride, low, count, dilation;
  DimExpr size; ///< of the operand

  /// First position whose window doesn't begin in the padding, and the position
  /// behind the last that doesn't end in it.
  DimExpr firstInside() const {
    return std::max<int64_t>(0, (low + stride - 1) / stride);
  }
  DimExpr endInside(const DimExpr &positions) const {
    DimExpr last = size - 1 + low - (count - 1) * dilation;
    DimExpr end = DimExpr::min(DimExpr::floorDiv(last, stride) + 1, positions);
    return DimExpr::max(end, firstInside());
  }
};

// One native vector: several positions in flight fill the registers.
unsigned lanesOfWindow(const EmissionContext &context) {
  return std::min(
      4 * context.target.lanes,
      std::max(1u, context.target.lanes * 4 / widestBytes(context.fusion)));
}

class WindowKernel {
public:
  WindowKernel(const EmissionContext &context, IterationSpace &space,
               Operation *anchor, ArrayRef<Span> spans, unsigned lane,
               unsigned column)
      : kernel(context.fusion, context.dims, context.target, context.kernels,
               context.name),
        emitter(kernel), space(space), anchor(anchor), spans(spans), lane(lane),
        column(column) {
    emitter.indices.width = lanesOfWindow(context);
    for (unsigned loop = 0; loop < space.rank(); ++loop)
      if (loop != lane && loop != column)
        outer.push_back(loop);
  }

  FailureOr<KernelPlan> run();

private:
  const Span *spanOf(unsigned loop) const {
    for (const Span &span : spans)
      if (span.dim == space.dimOf(loop))
        return &span;
    return nullptr;
  }
  void emitElements(ArrayRef<Ix> loopIndex);
  Value rowInside(ArrayRef<Ix> loopIndex);
  void emitInside(SmallVector<Ix> loopIndex);
  void emitPositions(SmallVector<Ix> loopIndex, const Ix &base, int64_t count);
  void emitBorder(SmallVector<Ix> loopIndex, Value inside);
  bool lanesAlongRow() const { return lane == column; }
  void emitRow(SmallVector<Ix> loopIndex);
  void emitRows(SmallVector<Ix> loopIndex, Value inside);
  SmallVector<Ix> withKnownRange(SmallVector<Ix> loopIndex);

  KernelBuilder kernel;
  ElementEmitter emitter;
  IterationSpace &space;
  Operation *anchor;
  ArrayRef<Span> spans;
  unsigned lane, column;
  SmallVector<unsigned> outer;
};
} // namespace

void WindowKernel::emitElements(ArrayRef<Ix> loopIndex) {
  SmallVector<Ix> index = space.shapeIndex(emitter.indices, loopIndex);
  auto results = kernel.fusion.getBody().front().getTerminator()->getOperands();
  SmallVector<Value> values;
  for (Value result : results)
    values.push_back(emitter.emit(result, index));
  for (auto [number, value] : llvm::enumerate(values))
    emitter.store(number, value, index);
}

// Whether the row's windows stay inside along the outer dimensions.
Value WindowKernel::rowInside(ArrayRef<Ix> loopIndex) {
  Value inside = kernel.integer(kernel.b.getI1Type(), 1);
  for (unsigned loop : outer) {
    const Span *span = spanOf(loop);
    if (!span)
      continue;
    Value at = emitter.indices.value(loopIndex[loop]);
    auto both = [&](arith::CmpIPredicate predicate, const DimExpr &bound) {
      Value holds = kernel.b.create<arith::CmpIOp>(kernel.loc, predicate, at,
                                                   kernel.size(bound));
      inside = kernel.b.create<arith::AndIOp>(kernel.loc, inside, holds);
    };
    both(arith::CmpIPredicate::sge, span->firstInside());
    both(arith::CmpIPredicate::slt, span->endInside(space.size(loop)));
  }
  return inside;
}

// Neighbours in step; what follows the window then finds its value.
void WindowKernel::emitPositions(SmallVector<Ix> loopIndex, const Ix &base,
                                 int64_t count) {
  ElementEmitter::Scope scope(emitter);
  std::vector<SmallVector<Ix>> at, indices;
  int64_t step = lanesAlongRow() ? emitter.indices.width : 1;
  for (int64_t position = 0; position < count; ++position) {
    loopIndex[column] = emitter.indices.shift(base, position * step);
    at.push_back(loopIndex);
    indices.push_back(space.shapeIndex(emitter.indices, loopIndex));
  }
  emitter.preset(anchor->getResult(0), indices,
                 emitter.emitWindows(anchor, indices));
  for (ArrayRef<Ix> position : at)
    emitElements(position);
}

// New names for the outer positions of a row whose windows stay inside.
SmallVector<Ix> WindowKernel::withKnownRange(SmallVector<Ix> loopIndex) {
  for (unsigned loop : outer)
    if (const Span *span = spanOf(loop)) {
      Value at = kernel.max(emitter.indices.value(loopIndex[loop]),
                            kernel.size(span->firstInside()));
      loopIndex[loop] = emitter.indices.scalar(
          at, span->endInside(space.size(loop)), 1, span->firstInside());
    }
  return loopIndex;
}

// A row with lanes along it: a vector at either end under masks, and whole ones
// between them, of which the last begins early enough to end there.
void WindowKernel::emitRow(SmallVector<Ix> loopIndex) {
  constexpr int64_t atOnce = 4;
  int64_t width = emitter.indices.width;
  const Span *span = spanOf(column);
  const DimExpr &size = space.size(column);
  DimExpr first = span->firstInside(), end = span->endInside(size);
  auto blocks = [&](Value at, int64_t count) {
    emitPositions(
        loopIndex,
        emitter.indices.lanes(at, end - (count - 1) * width, 1, first), count);
  };
  auto border = [&](const DimExpr &start) {
    emitPositions(loopIndex,
                  emitter.indices.lanes(kernel.size(start), size, 1, start), 1);
  };
  bool leftBorder = !first.isConstant(0), rightBorder = end != size;
  if (leftBorder)
    border(0);
  DimExpr from = leftBorder ? DimExpr(width) : DimExpr(0),
          to = rightBorder ? size - width : size;
  Value low = kernel.size(from), high = kernel.max(low, kernel.size(to)),
        step = kernel.index(width);
  Value wide = kernel.index(atOnce * width);
  Value whole = kernel.sub(high, kernel.rem(kernel.sub(high, low), wide));
  kernel.loop(low, whole, wide, [&](Value at) { blocks(at, atOnce); });
  kernel.loop(whole, high, step, [&](Value at) {
    blocks(kernel.min(at, kernel.size(end - width)), 1);
  });
  if (rightBorder)
    border(size - width);
}

// Rows whose windows stay inside along the outer dimensions need no tests
// there.
void WindowKernel::emitRows(SmallVector<Ix> loopIndex, Value inside) {
  auto branch =
      kernel.b.create<scf::IfOp>(kernel.loc, inside, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(kernel.b);
  kernel.b.setInsertionPoint(branch.thenBlock()->getTerminator());
  {
    ElementEmitter::Scope scope(emitter);
    emitRow(withKnownRange(loopIndex));
  }
  kernel.b.setInsertionPoint(branch.elseBlock()->getTerminator());
  ElementEmitter::Scope scope(emitter);
  emitRow(loopIndex);
}

void WindowKernel::emitInside(SmallVector<Ix> loopIndex) {
  loopIndex = withKnownRange(std::move(loopIndex));
  const Span *span = spanOf(column);
  DimExpr first = span->firstInside(),
          end = span->endInside(space.size(column));
  forEachLaneBlock(emitter, space, lane, kernel.index(0),
                   kernel.size(space.size(lane)), [&](const Ix &lanes) {
                     loopIndex[lane] = lanes;
                     Value low = kernel.size(first), high = kernel.size(end);
                     for (int64_t positions : {6, 2, 1}) {
                       Value count = kernel.sub(high, low),
                             step = kernel.index(positions);
                       Value whole = kernel.sub(high, kernel.rem(count, step));
                       auto known = kernel.constantOf(count);
                       if (known && *known < positions)
                         continue;
                       kernel.loop(low, whole, step, [&](Value at) {
                         Ix base = emitter.indices.scalar(
                             at, end - (positions - 1), 1, first);
                         emitPositions(loopIndex, base, positions);
                       });
                       low = whole;
                     }
                   });
}

// Positions left and right of the inside ones, or all of a row that isn't
// inside.
void WindowKernel::emitBorder(SmallVector<Ix> loopIndex, Value inside) {
  const Span *span = spanOf(column);
  Value first = kernel.size(span->firstInside()),
        end = kernel.size(span->endInside(space.size(column)));
  Value gap = kernel.b.create<arith::SelectOp>(
      kernel.loc, inside, kernel.sub(end, first), kernel.index(0));
  Value count = kernel.sub(kernel.size(space.size(column)), gap);
  kernel.loop(kernel.index(0), count, kernel.index(1), [&](Value number) {
    ElementEmitter::Scope scope(emitter);
    Value left = kernel.b.create<arith::CmpIOp>(
        kernel.loc, arith::CmpIPredicate::slt, number, first);
    Value at = kernel.b.create<arith::SelectOp>(kernel.loc, left, number,
                                                kernel.add(number, gap));
    loopIndex[column] = emitter.indices.scalar(at, space.size(column));
    forEachLaneBlock(emitter, space, lane, kernel.index(0),
                     kernel.size(space.size(lane)), [&](const Ix &lanes) {
                       loopIndex[lane] = lanes;
                       emitElements(loopIndex);
                     });
  });
}

FailureOr<KernelPlan> WindowKernel::run() {
  DimExpr rows = space.rows({lane, column});
  DimExpr length = lanesAlongRow() ? space.size(lane)
                                   : space.size(lane) * space.size(column);
  RowTasks tasks =
      RowTasks::plan(rows, length, elementsPerTask, /*cutRows=*/false);
  int64_t window = 1;
  for (const Span &span : spans)
    window *= span.count;
  forEachRow(kernel, tasks, [&](Value row, Value, Value) {
    ElementEmitter::Scope scope(emitter);
    SmallVector<Ix> loopIndex(space.rank(), Ix(0));
    unflattenRow(emitter, space, outer, row, loopIndex);
    Value inside = rowInside(loopIndex);
    if (lanesAlongRow()) {
      emitRows(loopIndex, inside);
      return;
    }
    kernel.ifThen(inside, [&] {
      ElementEmitter::Scope scope(emitter);
      emitInside(loopIndex);
    });
    emitBorder(loopIndex, inside);
  });
  double elements =
      tasks.rowsPerTask * double(length.constant().value_or(4096));
  Launch launch =
      kernel.finish(tasks.tasks, elements * (2 * double(window) +
                                             costPerElement(kernel.fusion)));
  if (emitter.failed()) {
    launch.kernel.erase();
    return failure();
  }
  KernelPlan plan;
  plan.launches.push_back(std::move(launch));
  return plan;
}

// The dimensions that a window moves along; nothing where the operand is
// dilated.
static std::optional<std::vector<Span>> spansOf(Operation *op,
                                                graph::DimAnalysis &dims) {
  std::vector<Span> spans;
  auto add = [&](unsigned dim, int64_t stride, int64_t low, int64_t count,
                 int64_t dilation, DimExpr size) {
    if (count > 1 || low != 0 || stride > 1)
      spans.push_back({dim, stride, low, count, dilation, std::move(size)});
  };
  if (auto window = dyn_cast<graph::ReduceWindowOp>(op)) {
    for (auto [d, size] : llvm::enumerate(dims.dimsOf(window.getOperand()))) {
      if (window.getBaseDilation()[d] != 1)
        return std::nullopt;
      add(d, window.getStrides()[d], window.getLow()[d], window.getWindow()[d],
          window.getDilation()[d], size);
    }
    return spans;
  }
  auto conv = cast<graph::ConvolutionOp>(op);
  auto numbers = conv.getDims();
  auto kernelType = cast<RankedTensorType>(conv.getKernel().getType());
  for (auto [s, d] : llvm::enumerate(numbers.getInputSpatial())) {
    int64_t count = kernelType.getDimSize(numbers.getKernelSpatial()[s]);
    if (conv.getInputDilation()[s] != 1 || count < 0)
      return std::nullopt;
    add(numbers.getOutputSpatial()[s], conv.getStrides()[s], conv.getLow()[s],
        count, conv.getKernelDilation()[s], dims.dimOf(conv.getInput(), d));
  }
  return spans;
}

// Whether a row is worth lanes along it: three vectors at least, of which the
// outer ones hold the borders.
static bool fillsVectors(const Span &span, const DimExpr &positions,
                         const EmissionContext &context) {
  auto count = positions.constant(), first = span.firstInside().constant(),
       end = span.endInside(positions).constant();
  int64_t width = lanesOfWindow(context);
  return span.stride <= 2 && count && first && end && *count >= 3 * width &&
         *first <= width && *end >= *count - width;
}

FailureOr<KernelPlan> emitWindow(const EmissionContext &context) {
  graph::FusionOp fusion = context.fusion;
  Block &body = fusion.getBody().front();
  auto anchor = llvm::find_if(body, [](Operation &op) {
    return isa<graph::ReduceWindowOp, graph::ConvolutionOp>(op);
  });
  if (anchor == body.end())
    return emitPointwise(context);
  const graph::DimVector shape = context.dims.dimsOf(anchor->getResult(0));
  auto spans = spansOf(&*anchor, context.dims);
  SmallVector<SpaceRoot> roots;
  for (Value result : body.getTerminator()->getOperands()) {
    SpaceRoot root{result, {}, true};
    for (unsigned d = 0; d < shape.size(); ++d)
      root.dims.push_back(d);
    if (context.dims.dimsOf(result) != shape)
      return emitPointwise(context);
    roots.push_back(std::move(root));
  }
  if (!spans || spans->empty())
    return emitPointwise(context);
  IterationSpace space(context.dims, shape, roots);
  SmallVector<unsigned> candidates;
  for (unsigned loop = 0; loop < space.rank(); ++loop)
    candidates.push_back(loop);
  auto lane = chooseLaneLoop(space, candidates);
  std::optional<unsigned> column;
  bool laneMoves = false;
  for (unsigned loop : candidates)
    for (const Span &span : *spans) {
      if (span.dim != space.dimOf(loop))
        continue;
      laneMoves |= loop == *lane;
      if (loop == *lane && !fillsVectors(span, space.size(loop), context))
        return emitPointwise(context);
      column = loop;
    }
  if (laneMoves)
    column = lane;
  if (!column)
    return emitPointwise(context);
  return WindowKernel(context, space, &*anchor, *spans, *lane, *column).run();
}

} // namespace zenith::kernels
