// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scores of all neighbours of a beam: sums of rows of a table, or comparisons
// of moved positions.

#include "passes/search/BeamScores.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::search {

static constexpr int64_t anySize = ShapedType::kDynamic;

BeamScores::BeamScores(RowOps &ops, OpBuilder &builder, Location location,
                       const BeamStep &step)
    : ops(ops), builder(builder), location(location), step(step) {
  auto elementOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getElementType();
  };
  UniqueOp unique = step.unique;
  TopKOp best = step.best;
  stateElement = elementOf(unique.getRows());
  scoreElement = elementOf(best.getValues());
  for (uint64_t number : step.target)
    numbers = std::max(numbers, int64_t(number) + 2);
  hasTable = isMoved() && chooseTable();
  radix = hasTable ? paddedGenerators() : generators();
  int64_t most = std::max(step.positions(), radix);
  auto unsignedType = [&](unsigned bits) {
    return builder.getIntegerType(bits, /*isSigned=*/false);
  };
  position = unsignedType(most < 256 ? 8 : most < 65536 ? 16 : 32);
  // Places of elements in a layer, and numbers, fit 32 bits nearly always.
  bool isSmall = step.mostLayerRows > 0 && most > 0 &&
                 step.mostLayerRows <= INT32_MAX / most;
  index = builder.getIntegerType(isSmall ? 32 : 64);
}

/// As many as vectors of scores have lanes.
int64_t BeamScores::paddedGenerators() const {
  constexpr int64_t lanes = 16;
  return generators() < lanes ? int64_t(llvm::PowerOf2Ceil(generators()))
                              : int64_t(llvm::alignTo(generators(), lanes));
}

/// A table of scores is read at one place per position of a state: no gain
/// where it outgrows caches. Its largest score stands for no neighbour.
bool BeamScores::chooseTable() const {
  constexpr int64_t mostBytes = 1 << 20;
  unsigned bits = scoreElement.getIntOrFloatBitWidth();
  return step.countsPositions && stateElement.isUnsignedInteger() &&
         bits <= 32 && step.positions() < (int64_t(1) << bits) - 1 &&
         step.positions() * numbers <=
             mostBytes / (paddedGenerators() * bits / 8);
}

/// What each number in each position adds to the score of each neighbour:
/// position p of the neighbour along g is position g[p] of the state.
Value BeamScores::table() {
  std::vector<int64_t> table(step.positions() * numbers * radix);
  int64_t most = (int64_t(1) << scoreElement.getIntOrFloatBitWidth()) - 1;
  for (int64_t number = 0; number < numbers; ++number) {
    for (auto [g, permutation] : llvm::enumerate(step.permutations))
      for (int64_t p = 0; p < step.positions(); ++p)
        table[(permutation[p] * numbers + number) * radix + g] +=
            number != int64_t(step.target[p]);
    for (int64_t g = generators(); g < radix; ++g)
      table[number * radix + g] = most;
  }
  return ops.constant(table, {step.positions(), numbers, radix}, scoreElement);
}

/// A number beyond the table is clamped to its last row: it differs from all.
Value BeamScores::scoresByTable() {
  Value size = ops.count(step.layer);
  auto dims = GatherDimsAttr::get(
      builder.getContext(), /*offsetDims=*/{2}, /*collapsedSliceDims=*/{1},
      /*operandBatchingDims=*/{0}, /*startIndicesBatchingDims=*/{1},
      /*startIndexMap=*/{1}, /*indexVectorDim=*/2);
  Value places = ops.reshape(
      step.layer, ops.type({anySize, step.positions(), 1}, stateElement), size);
  Value parts = builder.create<GatherOp>(
      location, ops.type({anySize, step.positions(), radix}, scoreElement),
      table(), places, dims, ArrayRef<int64_t>{1, 1, radix});
  Value scores = ops.fold(ReduceKind::sum, parts, {1});
  return ops.reshape(scores, ops.type({anySize}, scoreElement),
                     ops.mul(size, ops.number(radix)));
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

/// Scores from where elements differ from the target's.
Value BeamScores::scoreOf(Value differs, int64_t dim) {
  if (!step.countsPositions)
    return ops.convert(ops.fold(ReduceKind::any, differs, {dim}), scoreElement);
  return ops.fold(ReduceKind::sum, ops.convert(differs, scoreElement), {dim});
}

/// A state per lane: positions come first.
Value BeamScores::scoresByPermutation() {
  Value size = ops.count(step.layer);
  auto columns = builder.create<BarrierOp>(
      location, TypeRange(ops.type({step.positions(), anySize}, stateElement)),
      ValueRange(ops.transpose(step.layer)));
  Value moved = ops.pick(
      columns.getResult(0),
      // Narrow places let a vector hold as many elements as it has bytes.
      ops.constant(sources(), {generators() * step.positions()}, position));
  RankedTensorType cube =
      ops.type({generators(), step.positions(), anySize}, stateElement);
  Value differs =
      ops.compare(CompareDirection::ne, ops.reshape(moved, cube, size),
                  ops.broadcast(target(), cube, {1}, size));
  Value scores = ops.transpose(scoreOf(differs, 1));
  return ops.reshape(scores, ops.type({anySize}, scoreElement),
                     ops.mul(size, ops.number(generators())));
}

Value BeamScores::scores() {
  if (hasTable)
    return scoresByTable();
  if (isMoved())
    return scoresByPermutation();
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

/// Rows of the layer that candidates are neighbours of.
Value BeamScores::quotient(Value numbers) {
  auto type = cast<RankedTensorType>(numbers.getType());
  return ops.div(numbers, ops.broadcast(ops.convert(ops.number(radix),
                                                    type.getElementType()),
                                        type, {}, ops.count(numbers)));
}

Value BeamScores::rows(Value numbers) {
  UniqueOp unique = step.unique;
  if (!isMoved())
    return ops.pick(unique.getOperand(), numbers);
  Value n = ops.count(numbers);
  Value parents = quotient(numbers);
  Value generator =
      ops.rem(numbers, ops.broadcast(ops.number(radix), ops.listType(), {}, n));
  // Computed apart, so that rows are moved by as many elements at a time as
  // their own type allows.
  RankedTensorType list = ops.type({anySize}, index);
  auto apart = builder.create<BarrierOp>(
      location, TypeRange{list, list},
      ValueRange{ops.convert(parents, index), ops.convert(generator, index)});
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

/// Without the numbers of no candidate.
Value BeamScores::places(Value numbers) {
  if (!isMoved() || radix == generators())
    return numbers;
  Value narrow = ops.convert(numbers, index);
  auto type = cast<RankedTensorType>(narrow.getType());
  Value padding =
      ops.broadcast(ops.convert(ops.number(radix - generators()), index), type,
                    {}, ops.count(numbers));
  return ops.convert(ops.sub(narrow, ops.mul(quotient(narrow), padding)),
                     ops.i64());
}

} // namespace zenith::search
