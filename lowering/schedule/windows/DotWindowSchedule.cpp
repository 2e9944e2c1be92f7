// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses tiles by the instructions of a result, and tasks by the first-level
// cache.

#include "lowering/schedule/windows/DotWindowSchedule.h"
#include "lowering/schedule/LaneChoice.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

DotWindowSchedule::DotWindowSchedule(const WindowLoops &loops)
    : loops(loops), window(*graph::matchDepthwiseDots(
                        cast<graph::ConvolutionOp>(loops.anchor))),
      group(window.group) {
  for (const WindowDim &span : loops.spans) {
    (down ? along : down) = &span;
    (along ? alongLoop : downLoop) = *loops.loopOf(span);
  }
}

int64_t DotWindowSchedule::groupsOf(int64_t rows) const {
  return llvm::divideCeil(rowsRead(rows), group);
}

int64_t DotWindowSchedule::mostRows() const {
  return isOfFloats() ? 1 : loops.space.size(downLoop).constant().value_or(1);
}

bool DotWindowSchedule::hasInstruction(const WindowLoops &loops,
                                       const TargetModel &target) {
  auto convolution = dyn_cast<graph::ConvolutionOp>(loops.anchor);
  return convolution &&
         (graph::matchInt8Depthwise(convolution) ? target.vnni
                                                 : target.bf16Pairs);
}

double DotWindowSchedule::costOf(int64_t rows, int64_t columns) const {
  // Loads, a shuffle and their latency.
  constexpr double costOfGroup = 4.5;
  int64_t groups = groupsOf(rows), products = 0;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t number = 0; number < groups; ++number)
      products += meetsTaps(tapOfGroup(number, row)) ? tapsAlong() : 0;
  int64_t read = 1;
  if (along)
    read = std::min((columns - 1) * along->stride +
                        (tapsAlong() - 1) * along->dilation + 1,
                    columns * tapsAlong());
  return (double(products) +
          costOfGroup * double(groups * read) / double(columns)) /
         double(rows);
}

double DotWindowSchedule::costOfBlock(graph::FusionOp fusion) const {
  return double(rows) * double(positions()) * double(channels()) *
         (costOf(rows, columns) + costPerElement(fusion));
}

SmallVector<int64_t, 3>
DotWindowSchedule::chosenTile(const TargetModel &target) const {
  // Half of the registers; more columns gain nothing.
  constexpr int64_t mostColumns = 8;
  const int64_t accumulators = target.registers / 2;
  int64_t all = mostRows();
  SmallVector<int64_t, 3> best{1, 1};
  double least = 0;
  for (int64_t count = 1; count <= std::min(accumulators, all); ++count) {
    int64_t wide = along ? std::min(accumulators / count, mostColumns) : 1;
    double cost = costOf(count, wide);
    if (least == 0 || cost < least)
      least = cost, best = {count, wide};
  }
  return best;
}

SmallVector<int64_t, 3>
DotWindowSchedule::chosenBlock(graph::FusionOp fusion,
                               const TargetModel &target) const {
  // A task's rows of the feature map fill less than half of the first-level
  // cache, 32 channels of each position, and its work is worth claiming.
  const double channelBytes = 32.0 * 4 / double(group);
  // Instructions, each of which does the work of several of f32.
  const double taskCost = target.taskFlops(0.1);
  const double cachedPositions = target.l1Share(7.0 / 16) / channelBytes;
  int64_t blocks = rowBlocks().constant().value_or(64);
  int64_t blocksOfTask = std::clamp<int64_t>(
      int64_t(cachedPositions) / (rows * positions()), 1, blocks);
  double cost = costOfBlock(fusion) * double(blocksOfTask);
  int64_t lanesOfTask = channels();
  if (cost > taskCost)
    lanesOfTask = std::min<int64_t>(
        channels(),
        llvm::alignTo(int64_t(double(channels()) * taskCost / cost) + 1,
                      4 * int64_t(target.lanes)));
  return {blocksOfTask, lanesOfTask};
}

bool DotWindowSchedule::supports(const WindowLoops &loops,
                                 graph::DimAnalysis &dims) {
  constexpr int64_t mostRows = 32, mostColumns = 16;
  auto convolution = dyn_cast<graph::ConvolutionOp>(loops.anchor);
  auto window = convolution ? graph::matchDepthwiseDots(convolution)
                            : std::optional<graph::DepthwiseDots>();
  if (!window || !isa<BlockArgument>(window->input) ||
      !isa<BlockArgument>(window->weights))
    return false;
  const IterationSpace &space = loops.space;
  auto type = cast<RankedTensorType>(convolution.getType());
  if (space.dimOf(loops.lane) + 1 != type.getRank() ||
      !space.size(loops.lane).isConstant(type.getShape().back()))
    return false;
  // Results must have the positions of the feature map.
  const graph::DimVector input = dims.dimsOf(window->input),
                         results = dims.dimsOf(convolution);
  for (unsigned d = 0; d + 1 < input.size(); ++d)
    if (input[d] != results[d] &&
        llvm::none_of(loops.spans,
                      [&](const WindowDim &span) { return span.dim == d; }))
      return false;
  // Each dimension of the filter is a loop.
  bool known = loops.spans.size() <= 2 &&
               llvm::all_of(loops.spans, [&](const WindowDim &span) {
                 return loops.loopOf(span).has_value();
               });
  if (!known)
    return false;
  DotWindowSchedule schedule(loops);
  if (!schedule.down ||
      schedule.down->count * schedule.down->dilation > mostRows)
    return false;
  // Rows between taps would be floats that a result does not read.
  if (schedule.isOfFloats() && schedule.down->dilation > 1)
    return false;
  if (!schedule.along)
    return true;
  const DimExpr &columns = space.size(schedule.alongLoop);
  return columns.constant() && schedule.along->firstInside().constant() &&
         schedule.along->endInside(columns).constant() &&
         schedule.along->count <= mostColumns;
}

} // namespace zenith::kernels
