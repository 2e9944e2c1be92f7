// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cycle model of Winograd convolution: multiply-adds or the memory of the
// filter, whichever takes longer, and the transforms of inputs and outputs.

#include "passes/cost/WinogradCycles.h"

#include "ir/dims/OneFactor.h"
#include "ir/encodings/Winograd.h"
#include "ir/matchers/ChannelsLast.h"
#include "ir/matchers/ParameterDependence.h"
#include "ir/matchers/TypeOf.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::cost {

/// Tiles of `tile` results along the spatial dimension that is `before` the
/// last one. A direct convolution has one tile per position.
static DimExpr tilesAlong(ConvolutionOp op, int64_t tile, size_t before,
                          bool direct, int64_t taps,
                          ArrayRef<DimExpr> results) {
  size_t spatial = results.size() - 1;
  if (before >= spatial)
    return DimExpr(1);
  size_t i = spatial - 1 - before;
  const DimExpr &size = results[spatial - before];
  // Each row of padding is one of a row's taps, which a direct convolution
  // leaves out.
  int64_t outside = (op.getLow()[i] + op.getHigh()[i]) / taps;
  if (direct)
    return before && outside ? DimExpr::max(size - DimExpr(outside), 1) : size;
  DimExpr phases = op.getKernelDilation()[i];
  return phases * DimExpr::ceilDiv(size, phases * DimExpr(tile));
}

/// Whether a direct convolution multiplies pairs of bf16, at twice the rate of
/// f32.
static bool multipliesPairs(ConvolutionOp op,
                            const target::TargetModel &target) {
  return target.bf16Pairs && typeOf(op.getInput()).getElementType().isBF16() &&
         typeOf(op.getKernel()).getElementType().isBF16();
}

/// Each weight comes from memory once, while others are multiplied; transforms
/// are a few instructions per element.
DimExpr winogradCycles(ConvolutionOp op, int64_t tile,
                       const target::TargetModel &target,
                       ArrayRef<DimExpr> results) {
  // Tiles of fewer rows take almost as long.
  const auto rowsOfTile = int64_t(target.mr);
  // Instructions of two units per element and point.
  double transform = 6.4 / double(target.lanes);
  bool direct = tile == 1;
  WinogradFilter filter = *winogradFilter(op, direct ? 2 : tile);
  auto kernel = cast<RankedTensorType>(op.getKernel().getType());
  ArrayRef<int64_t> channels = kernel.getShape().take_back(2);
  double inputs = double(channels[0]), outputs = double(channels[1]);
  auto along = [&](size_t before, int64_t ofTile) {
    return tilesAlong(op, ofTile, before, direct, filter.down.taps, results);
  };
  DimExpr tiles = oneFactor(results[0] * along(0, filter.across.tile) *
                            along(1, filter.down.tile) * along(2, 1));
  double points = double(direct ? filter.taps() : filter.points()),
         ofWord = direct && multipliesPairs(op, target) ? 2 : 1,
         weights = points * double(filter.planes) * inputs * outputs / ofWord;
  DimExpr multiplyAdds =
      DimExpr::max(tiles, DimExpr(rowsOfTile)) *
      DimExpr(int64_t(weights / target.multiplyAddsPerCycle()));
  double around = direct ? 0 : transform * points * (inputs + outputs);
  return DimExpr::max(
             multiplyAdds,
             DimExpr(int64_t(4 * weights / target.memoryBytesPerCycle))) +
         tiles * DimExpr(int64_t(around));
}

DimExpr isFasterWinograd(ConvolutionOp op, int64_t tile, int64_t than,
                         const target::TargetModel &target,
                         ArrayRef<DimExpr> results) {
  constexpr int64_t clearly = 85, of = 100;
  DimExpr gain = DimExpr(clearly) * winogradCycles(op, than, target, results) -
                 DimExpr(of) * winogradCycles(op, tile, target, results);
  return DimExpr::min(DimExpr::max(gain, DimExpr(0)), DimExpr(1));
}

/// A parameter filter of a channels-last convolution that has a Winograd
/// transform, with enough outputs to be worth the input transform.
static bool isSuitable(ConvolutionOp op, const target::TargetModel &target) {
  RankedTensorType kernel = typeOf(op.getKernel());
  auto ones = [](ArrayRef<int64_t> values) {
    return llvm::all_of(values, [](int64_t value) { return value == 1; });
  };
  auto isPadding = [&](ArrayRef<int64_t> padding) {
    return llvm::all_of_zip(
        padding, op.getKernelDilation(), kernel.getShape().drop_back(2),
        [](int64_t value, int64_t dilation, int64_t taps) {
          return value >= 0 && value <= (taps - 1) * dilation;
        });
  };
  auto sumsInF32 = [](Value value) {
    Type element = typeOf(value).getElementType();
    return element.isF32() || element.isBF16() || element.isF16();
  };
  // With dilation, a tile holds positions of one phase; the rows of a task hold
  // those of all phases.
  constexpr int64_t mostPhases = 64;
  auto isNear = [](int64_t dilation) { return dilation <= mostPhases; };
  constexpr int64_t wide = 16;
  int64_t lanes = target.lanes,
          halfCacheLine = target.elementsOfLine(sizeof(float)) / 2;
  // With narrow vectors two of them gain nothing; with wide ones a single
  // vector of outputs already does.
  int64_t fewestOutputs = lanes >= wide ? lanes : 2 * lanes + 1;
  return isChannelsLast(op) && op.getGroups() == 1 && winogradFilter(op, 2) &&
         sumsInF32(op.getInput()) && sumsInF32(op.getKernel()) &&
         sumsInF32(op.getResult()) &&
         kernel.getShape().drop_back().back() % halfCacheLine == 0 &&
         kernel.getShape().back() >= fewestOutputs && ones(op.getStrides()) &&
         ones(op.getInputDilation()) && isPadding(op.getLow()) &&
         isPadding(op.getHigh()) &&
         llvm::all_of(op.getKernelDilation(), isNear) &&
         isParameter(op.getKernel());
}

/// Dynamic sizes are guessed: the input of the program is as large as most
/// networks are trained on, feature maps of later layers are smaller.
static SmallVector<DimExpr> likelySizes(ConvolutionOp op, DimAnalysis &dims) {
  constexpr int64_t anyExtent = 224;
  SmallVector<DimExpr> sizes;
  for (unsigned dim = 0; dim <= op.getStrides().size(); ++dim) {
    int64_t guess = dim == 0 ? 1 : anyExtent;
    auto value =
        dims.dimOf(op.getResult(), dim).evaluate([&](const std::string &) {
          return std::optional(guess);
        });
    sizes.push_back(std::max<int64_t>(1, value.value_or(guess)));
  }
  return sizes;
}

int64_t fastestTile(ConvolutionOp op, const target::TargetModel &target,
                    DimAnalysis &dims) {
  // Tasks keep tiles of the image in arrays of their own.
  int64_t best = 1;
  if (!target.stackArrays || !isSuitable(op, target))
    return best;
  SmallVector<DimExpr> sizes = likelySizes(op, dims);
  for (int64_t tile : {2, 4})
    if (isFasterWinograd(op, tile, best, target, sizes).isConstant(1))
      best = tile;
  return best;
}

} // namespace zenith::cost
