// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scores of all neighbours of a beam: comparisons with one target for each
// generator.

#include "passes/search/states/BeamScores.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::search {

BeamScores::BeamScores(RowBuilder &ops, OpBuilder &builder, Location location,
                       const BeamStep &step)
    : ops(ops), builder(builder), location(location), step(step) {
  auto elementOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getElementType();
  };
  UniqueOp unique = step.unique;
  TopKOp best = step.best;
  stateElement = elementOf(unique.getRows());
  scoreElement = elementOf(best.getValues());
  int64_t most = std::max(step.positions(), generators());
  auto unsignedType = [&](unsigned bits) {
    return builder.getIntegerType(bits, /*isSigned=*/false);
  };
  position = unsignedType(most < 256 ? 8 : most < 65536 ? 16 : 32);
  // Indices of elements and of candidates nearly always fit 32 bits.
  bool isSmall = step.mostLayerRows > 0 && most > 0 &&
                 step.mostLayerRows <= INT32_MAX / most;
  index = builder.getIntegerType(isSmall ? 32 : 64);
}

std::vector<int64_t> BeamScores::sources() const {
  std::vector<int64_t> sources;
  for (const std::vector<int64_t> &permutation : step.permutations)
    sources.insert(sources.end(), permutation.begin(), permutation.end());
  return sources;
}

Value BeamScores::target() {
  std::vector<int64_t> row(step.target.begin(), step.target.end());
  return ops.constant(row, {step.positions()}, stateElement);
}

/// Scores from the mask of elements that differ from the target.
Value BeamScores::scoreOf(Value differs, int64_t dim) {
  if (!step.countsPositions)
    return ops.convert(ops.fold(ReduceKind::any, differs, {dim}), scoreElement);
  return ops.fold(ReduceKind::sum, ops.convert(differs, scoreElement), {dim});
}

CountNeighboursOp BeamScores::counts() {
  assert(isMoved() && "only neighbours are counted");
  Type number = ops.number(0).getType();
  return builder.create<CountNeighboursOp>(
      location, number, number, ops.type({anySize}, builder.getI1Type()),
      step.layer,
      ops.constant(sources(), {generators(), step.positions()},
                   builder.getIntegerType(32, /*isSigned=*/false)),
      step.known);
}

Value BeamScores::scoresAmong(Value among) {
  // As many positions as there are may differ.
  const unsigned bits = scoreElement.getIntOrFloatBitWidth();
  const bool isWide = uint64_t(step.positions()) < llvm::maxUIntN(bits);
  Type element = isWide ? scoreElement
                        : builder.getIntegerType(2 * bits, /*isSigned=*/false);
  RankedTensorType list = ops.type({anySize}, element);
  Value most = ops.constant(
      {int64_t(llvm::maxUIntN(element.getIntOrFloatBitWidth()))}, {}, element);
  return ops.select(among, ops.convert(scores(), element),
                    ops.broadcast(most, list, {}, count()));
}

/// Position p of the neighbour along g is position g[p] of the state: the state
/// itself is compared with the target permuted by the inverse, and no neighbour
/// is materialised.
Value BeamScores::scoresOfNeighbours() {
  std::vector<int64_t> targets(generators() * step.positions());
  for (auto [g, permutation] : llvm::enumerate(step.permutations))
    for (auto [p, source] : llvm::enumerate(permutation))
      targets[g * step.positions() + source] = int64_t(step.target[p]);
  Value size = ops.count(step.layer);
  RankedTensorType cube =
      ops.type({anySize, generators(), step.positions()}, stateElement);
  Value differs = ops.compare(
      CompareDirection::ne, ops.broadcast(step.layer, cube, {0, 2}, size),
      ops.broadcast(
          ops.constant(targets, {generators(), step.positions()}, stateElement),
          cube, {1, 2}, size));
  return ops.reshape(scoreOf(differs, 2), ops.type({anySize}, scoreElement),
                     count());
}

Value BeamScores::scores() {
  if (isMoved())
    return scoresOfNeighbours();
  UniqueOp unique = step.unique;
  Value candidates = unique.getOperand();
  auto type = cast<RankedTensorType>(candidates.getType());
  Value wanted = ops.broadcast(
      target(), type, {1},
      type.isDynamicDim(0) ? ValueRange(ops.count(candidates)) : ValueRange());
  return scoreOf(ops.compare(CompareDirection::ne, candidates, wanted), 1);
}

Value BeamScores::count() {
  UniqueOp unique = step.unique;
  return isMoved() ? ops.mul(ops.count(step.layer), ops.number(generators()))
                   : ops.count(unique.getOperand());
}

Value BeamScores::rows(Value places) {
  UniqueOp unique = step.unique;
  if (!isMoved())
    return ops.pick(unique.getOperand(), places);
  Value n = ops.count(places);
  Value all = ops.broadcast(ops.number(generators()), ops.listType(), {}, n);
  Value parent = ops.div(places, all), generator = ops.rem(places, all);
  // Computed apart, so that rows are copied in vectors of their own element
  // type.
  RankedTensorType list = ops.type({anySize}, index);
  auto apart = builder.create<BarrierOp>(
      location, TypeRange{list, list},
      ValueRange{ops.convert(parent, index), ops.convert(generator, index)});
  Value moves = ops.pick(
      ops.constant(sources(), {generators(), step.positions()}, position),
      apart.getResult(1));
  moves =
      ops.reshape(moves, ops.type({anySize, step.positions(), 1}, position), n);
  auto dims = GatherDimsAttr::get(
      builder.getContext(), /*offsetDims=*/{}, /*collapsedSliceDims=*/{1},
      /*operandBatchingDims=*/{0}, /*startIndicesBatchingDims=*/{0},
      /*startIndexMap=*/{1}, /*indexVectorDim=*/2);
  return builder.create<GatherOp>(location, unique.getRows().getType(),
                                  ops.pick(step.layer, apart.getResult(0)),
                                  moves, dims, ArrayRef<int64_t>{1, 1});
}

} // namespace zenith::search
