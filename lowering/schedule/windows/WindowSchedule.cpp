// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of filters, padding and strides along one dimension, and the loops
// around them.

#include "lowering/schedule/windows/WindowSchedule.h"
#include "lowering/schedule/LaneChoice.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

RowBlocking::RowBlocking(int64_t columns, int64_t first, int64_t end,
                         int64_t most) {
  int64_t least = columns + 1, after = columns - end;
  auto blocks = [&](int64_t count) { return (count + most - 1) / most; };
  left = columns;
  for (int64_t width = most; 2 * width > most && first < end; --width) {
    int64_t times = (end - first) / width, rest = columns - times * width;
    int64_t before = first + (rest - first - after + 1) / 2;
    int64_t all = blocks(before) + blocks(rest - before) + times;
    if (times < 2 || all >= least)
      continue;
    least = all;
    left = before, atOnce = width, repeats = times, right = rest - before;
  }
}

DimExpr WindowDim::firstInside() const {
  return std::max<int64_t>(0, (low + stride - 1) / stride);
}

DimExpr WindowDim::endInside(const DimExpr &positions) const {
  DimExpr last = DimExpr::floorDiv(behind(0), stride);
  return DimExpr::max(DimExpr::min(last + 1, positions), firstInside());
}

DimExpr WindowDim::behind(const DimExpr &position) const {
  return size - 1 + low - (count - 1) * dilation - position * DimExpr(stride);
}

/// The dimensions that the filter moves along; nothing where the input is
/// dilated.
static std::optional<std::vector<WindowDim>> spansOf(Operation *op,
                                                     graph::DimAnalysis &dims) {
  std::vector<WindowDim> spans;
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

std::optional<WindowLoops> WindowLoops::of(graph::FusionOp fusion,
                                           graph::DimAnalysis &dims) {
  Block &body = fusion.getBody().front();
  auto anchor = llvm::find_if(body, [](Operation &op) {
    return isa<graph::ReduceWindowOp, graph::ConvolutionOp>(op);
  });
  if (anchor == body.end())
    return std::nullopt;
  const graph::DimVector shape = dims.dimsOf(anchor->getResult(0));
  auto spans = spansOf(&*anchor, dims);
  SmallVector<SpaceRoot> roots;
  for (Value result : body.getTerminator()->getOperands()) {
    SpaceRoot root{result, {}, true};
    for (unsigned d = 0; d < shape.size(); ++d)
      root.dims.push_back(d);
    if (dims.dimsOf(result) != shape)
      return std::nullopt;
    roots.push_back(std::move(root));
  }
  if (!spans || spans->empty())
    return std::nullopt;
  IterationSpace space(dims, shape, roots);
  SmallVector<unsigned> candidates;
  for (unsigned loop = 0; loop < space.rank(); ++loop)
    candidates.push_back(loop);
  auto lane = chooseLaneLoop(space, candidates);
  std::optional<unsigned> column;
  bool laneMoves = false;
  for (unsigned loop : candidates)
    for (const WindowDim &span : *spans) {
      if (span.dim != space.dimOf(loop))
        continue;
      // A loop over a part of a dimension has other borders.
      if (space.size(loop) != shape[span.dim])
        return std::nullopt;
      laneMoves |= loop == *lane;
      column = loop;
    }
  if (laneMoves)
    column = lane;
  if (!column)
    return std::nullopt;
  return WindowLoops{space, &*anchor, std::move(*spans), *lane, *column};
}

const WindowDim *WindowLoops::spanOf(unsigned loop) const {
  for (const WindowDim &span : spans)
    if (span.dim == space.dimOf(loop))
      return &span;
  return nullptr;
}

std::optional<unsigned> WindowLoops::loopOf(const WindowDim &span) const {
  std::optional<unsigned> found;
  for (unsigned loop = 0; loop < space.rank(); ++loop)
    if (space.dimOf(loop) == span.dim)
      found = loop;
  return found;
}

double WindowLoops::flopsOf(graph::FusionOp fusion,
                            const DimExpr &length) const {
  // Cost of moving one element, in flops.
  constexpr double movement = 12;
  int64_t window = 1;
  for (const WindowDim &span : spans)
    window *= span.count;
  return double(length.constant().value_or(4096)) *
         (2 * double(window) + movement + costPerElement(fusion));
}

} // namespace zenith::kernels
