// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Int8 depthwise convolutions by dot products (VNNI): bytes of four rows of the
// feature map lie side by side in a register, and one instruction adds the
// products of all four. Several rows and columns of results share each such
// register. Padding holds the zero point.

#include "lowering/kernels/Int8WindowKernel.h"
#include "ir/encodings/Int8Depthwise.h"
#include "lowering/builder/RowTasks.h"
#include "lowering/elements/LoopNests.h"
#include "lowering/microkernels/Int8Dot.h"
#include "lowering/schedule/LaneChoice.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {

constexpr int64_t quad = 4;

/// The filter along a column of the feature map, where quads of taps are made,
/// and along a row, if it moves there too. One-dimensional feature maps have
/// rows only.
struct Sides {
  const WindowDim *down = nullptr, *along = nullptr;
  unsigned downLoop = 0, alongLoop = 0;
};

/// Results that are computed together.
struct Blocking {
  int64_t rows = 1, columns = 1;
};

/// Taps of a quad of rows: the index of its first row, counted from the first
/// tap, and the tap along a row.
using QuadOfTaps = std::pair<int64_t, int64_t>;

class Int8WindowKernel {
public:
  Int8WindowKernel(const EmissionContext &context, IterationSpace &space,
                   const WindowShape &shape, unsigned lane, Sides sides)
      : k(context.fusion, context.dims, context.target, context.kernels,
          context.name),
        emitter(k), space(space), anchor(shape.anchor), lane(lane),
        sides(sides), window(*graph::matchInt8Depthwise(
                          cast<graph::ConvolutionOp>(shape.anchor))) {
    width = k.target.lanes;
    emitter.indices.width = width;
    bytesType = VectorType::get({quad * width}, k.b.getI8Type());
    sumType = VectorType::get({width}, k.b.getI32Type());
    for (unsigned loop = 0; loop < space.rank(); ++loop)
      if (loop != lane && loop != sides.downLoop &&
          !(sides.along && loop == sides.alongLoop))
        outer.push_back(loop);
    blocking = chooseBlocking();
  }
  FailureOr<KernelPlan> run();

private:
  int64_t tapsAlong() const { return sides.along ? sides.along->count : 1; }
  int64_t quadsOf(int64_t rows) const {
    const WindowDim &down = *sides.down;
    return llvm::divideCeil(
        (rows - 1) * down.stride + (down.count - 1) * down.dilation + 1, quad);
  }
  /// Rows of taps above the first row of a quad, for one row of results.
  int64_t tapOfQuad(int64_t number, int64_t row) const {
    return quad * number - row * sides.down->stride;
  }
  bool meetsTaps(int64_t tap) const {
    return tap > -quad && tap <= (sides.down->count - 1) * sides.down->dilation;
  }
  Blocking chooseBlocking() const;
  double costOf(Blocking blocking) const;

  Value interleaved(ArrayRef<Value> rows);
  Value bytesAt(Value memory, Value offset);
  Value splat(int64_t byte) {
    return k.constant(
        DenseElementsAttr::get(bytesType, APInt(8, uint64_t(byte))));
  }
  void readWeights(Value channel);
  void enterRows(ArrayRef<LaneIndex> loopIndex, Value firstRow);
  Value quadAt(int64_t number, Value column, int64_t distance);
  void emitBlock(ArrayRef<LaneIndex> loopIndex, const LaneIndex &column,
                 int64_t count);
  void emitColumns(ArrayRef<LaneIndex> loopIndex);
  void emitRowBlock(Value number, const LaneIndex &lanes);
  DimExpr rowBlocks() const {
    return DimExpr::ceilDiv(space.size(sides.downLoop), blocking.rows);
  }

  KernelBuilder k;
  ElementEmitter emitter;
  IterationSpace &space;
  Operation *anchor;
  unsigned lane;
  Sides sides;
  graph::Int8Depthwise window;
  int64_t width;
  VectorType bytesType, sumType;
  SmallVector<unsigned> outer;
  Blocking blocking;

  // For the current channels.
  std::map<QuadOfTaps, Value> weights;
  Value start; ///< sums begin here
  // For the current rows: where each begins, and which bytes of each quad are
  // not padding.
  SmallVector<Value> rowOffsets, inside;
};

} // namespace

/// Instructions per result.
double Int8WindowKernel::costOf(Blocking block) const {
  // Loads, a shuffle and their latency.
  constexpr double costOfQuad = 4.5;
  int64_t quads = quadsOf(block.rows), products = 0;
  for (int64_t row = 0; row < block.rows; ++row)
    for (int64_t number = 0; number < quads; ++number)
      products += meetsTaps(tapOfQuad(number, row)) ? tapsAlong() : 0;
  int64_t columns = 1;
  if (sides.along)
    columns = std::min((block.columns - 1) * sides.along->stride +
                           (tapsAlong() - 1) * sides.along->dilation + 1,
                       block.columns * tapsAlong());
  return (double(products) +
          costOfQuad * double(quads * columns) / double(block.columns)) /
         double(block.rows);
}

Blocking Int8WindowKernel::chooseBlocking() const {
  // Half of the registers; more columns gain nothing.
  constexpr int64_t mostColumns = 8;
  const int64_t accumulators = k.target.registers / 2;
  auto rows = space.size(sides.downLoop).constant();
  Blocking best;
  double least = 0;
  for (int64_t count = 1; count <= std::min(accumulators, rows.value_or(1));
       ++count) {
    Blocking block{count, 1};
    if (sides.along)
      block.columns = std::min(accumulators / count, mostColumns);
    double cost = costOf(block);
    if (least == 0 || cost < least)
      least = cost, best = block;
  }
  return best;
}

/// Interleaves four rows, the bytes of a channel side by side.
Value Int8WindowKernel::interleaved(ArrayRef<Value> rows) {
  auto joined = [&](Value x, Value y, int64_t count) -> Value {
    auto places = llvm::to_vector(llvm::seq<int64_t>(2 * count));
    return k.b.create<vector::ShuffleOp>(k.loc, x, y, places);
  };
  Value all = joined(joined(rows[0], rows[1], width),
                     joined(rows[2], rows[3], width), 2 * width);
  SmallVector<int64_t> places;
  for (int64_t channel = 0; channel < width; ++channel)
    for (int64_t row = 0; row < quad; ++row)
      places.push_back(row * width + channel);
  return k.b.create<vector::ShuffleOp>(k.loc, all, all, places);
}

/// A byte of each current channel.
Value Int8WindowKernel::bytesAt(Value memory, Value offset) {
  auto type = VectorType::get({width}, k.b.getI8Type());
  if (!emitter.active.mask)
    return k.b.create<vector::LoadOp>(k.loc, type, memory, offset);
  return k.b.create<vector::MaskedLoadOp>(
      k.loc, type, memory, offset, emitter.active.mask, k.integer(type, 0));
}

void Int8WindowKernel::readWeights(Value channel) {
  const WindowDim &down = *sides.down;
  Value memory = k.memoryOf(cast<BlockArgument>(window.weights));
  int64_t channels = *space.size(lane).constant();
  auto type = VectorType::get({width}, k.b.getI8Type());
  std::map<QuadOfTaps, Value> taps;
  for (int64_t y = 0; y < down.count; ++y)
    for (int64_t x = 0; x < tapsAlong(); ++x)
      taps[{y * down.dilation, x}] = bytesAt(
          memory, k.add(channel, k.index((y * tapsAlong() + x) * channels)));
  weights.clear();
  for (int64_t row = 0; row < blocking.rows; ++row)
    for (int64_t number = 0; number < quadsOf(blocking.rows); ++number) {
      int64_t first = tapOfQuad(number, row);
      for (int64_t x = 0; x < tapsAlong() && meetsTaps(first); ++x) {
        Value &ofQuad = weights[{first, x}];
        SmallVector<Value> rows;
        for (int64_t i = 0; i < quad && !ofQuad; ++i) {
          auto tap = taps.find({first + i, x});
          rows.push_back(tap == taps.end() ? k.integer(type, 0) : tap->second);
        }
        if (!ofQuad)
          ofQuad = interleaved(rows);
      }
    }
  // The sum over a filter of zero points, which stand for zero.
  Value zero = k.integer(sumType, 0);
  start = zero;
  if (window.zeroPoint == 0)
    return;
  for (int64_t number = 0; number < quadsOf(blocking.rows); ++number)
    for (int64_t x = 0; x < tapsAlong(); ++x)
      if (meetsTaps(tapOfQuad(number, 0)))
        start =
            addInt8Dot(k.b, k.loc, start, splat(window.zeroPoint),
                       weights[{tapOfQuad(number, 0), x}], vnniLanes(k.target));
  start = k.b.create<arith::SubIOp>(k.loc, zero, start);
}

/// Rows in the padding are read from the nearest row inside, and then replaced.
void Int8WindowKernel::enterRows(ArrayRef<LaneIndex> loopIndex,
                                 Value firstRow) {
  const WindowDim &down = *sides.down;
  graph::DimVector dims = emitter.dimsOf(window.bytes);
  DimExpr rowStride = dims.back();
  for (unsigned d = down.dim + 1; d + 1 < dims.size(); ++d)
    rowStride = rowStride * dims[d];
  SmallVector<LaneIndex> index = space.shapeIndex(emitter.indices, loopIndex);
  index[down.dim] = LaneIndex(0);
  if (sides.along)
    index[sides.along->dim] = LaneIndex(0);
  Value origin =
      emitter.indices.laneBase(emitter.linearize(window.bytes, index));
  Value top = k.sub(k.mul(firstRow, k.index(down.stride)), k.index(down.low)),
        last = k.sub(k.size(down.size), k.index(1));
  int64_t quads = quadsOf(blocking.rows);
  rowOffsets.clear();
  inside.clear();
  Type bits = k.b.getIntegerType(quad * width);
  bool padded = !(down.low <= 0 && down.endInside(space.size(sides.downLoop)) ==
                                       space.size(sides.downLoop)) ||
                quads * quad > (blocking.rows - 1) * down.stride +
                                   (down.count - 1) * down.dilation + 1;
  for (int64_t number = 0; number < quads; ++number) {
    Value held;
    for (int64_t i = 0; i < quad; ++i) {
      Value row = k.add(top, k.index(quad * number + i));
      Value nearest = k.max(k.min(row, last), k.index(0));
      rowOffsets.push_back(k.add(origin, k.mul(nearest, k.size(rowStride))));
      Value is = k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::eq, row,
                                           nearest);
      APInt places = APInt::getSplat(quad * width, APInt(quad, 1 << i));
      Value some = k.b.create<arith::SelectOp>(
          k.loc, is, k.constant(k.b.getIntegerAttr(bits, places)),
          k.constant(k.b.getIntegerAttr(bits, 0)));
      held =
          held ? k.b.create<arith::OrIOp>(k.loc, held, some).getResult() : some;
    }
    auto one = VectorType::get({1}, bits);
    held = k.b.create<vector::BroadcastOp>(k.loc, one, held);
    held = k.b.create<vector::BitCastOp>(
        k.loc, VectorType::get({quad * width}, k.b.getI1Type()), held);
    inside.push_back(padded ? held : Value());
  }
}

/// Quad `number` of the positions `distance` bytes after those of `column`.
Value Int8WindowKernel::quadAt(int64_t number, Value column, int64_t distance) {
  Value memory = k.memoryOf(cast<BlockArgument>(window.bytes));
  SmallVector<Value> rows;
  for (int64_t i = 0; i < quad; ++i) {
    Value at = rowOffsets[number * quad + i];
    if (column)
      at = k.add(k.add(at, column), k.index(distance));
    rows.push_back(bytesAt(memory, at));
  }
  Value all = interleaved(rows);
  return inside[number]
             ? k.b.create<arith::SelectOp>(k.loc, inside[number], all,
                                           splat(window.zeroPoint))
                   .getResult()
             : all;
}

/// Results of some columns of the current rows.
void Int8WindowKernel::emitBlock(ArrayRef<LaneIndex> loopIndex,
                                 const LaneIndex &column, int64_t count) {
  ElementEmitter::Scope scope(emitter);
  int64_t quads = quadsOf(blocking.rows), rows = blocking.rows,
          channels = *space.size(lane).constant();
  SmallVector<Value> sums(rows * count, start);
  int64_t stride = 1, dilation = 1;
  LaneIndex first = column;
  Value bytesOfColumn;
  if (sides.along) {
    stride = sides.along->stride, dilation = sides.along->dilation;
    bytesOfColumn =
        emitter.indices.value(emitter.indices.scale(column, stride * channels));
    first = emitter.indices.shift(emitter.indices.scale(column, stride),
                                  -sides.along->low);
  }
  // Positions from the left, each for all taps that read it.
  for (int64_t position = 0;
       position <= (count - 1) * stride + (tapsAlong() - 1) * dilation;
       ++position) {
    SmallVector<std::pair<int64_t, int64_t>> readers;
    for (int64_t x = 0; x < tapsAlong(); ++x)
      if (int64_t at = position - x * dilation;
          at >= 0 && at % stride == 0 && at / stride < count)
        readers.push_back({at / stride, x});
    bool outside = sides.along && emitter.indices.provablyOutside(
                                      emitter.indices.shift(first, position), 0,
                                      sides.along->size);
    if (readers.empty() || (outside && window.zeroPoint == 0))
      continue;
    int64_t low = sides.along ? sides.along->low : 0;
    for (int64_t number = 0; number < quads; ++number) {
      Value bytes =
          outside ? splat(window.zeroPoint)
                  : quadAt(number, bytesOfColumn, (position - low) * channels);
      for (auto [result, x] : readers)
        for (int64_t row = 0; row < rows; ++row)
          if (int64_t tap = tapOfQuad(number, row); meetsTaps(tap)) {
            Value &sum = sums[row * count + result];
            sum = addInt8Dot(k.b, k.loc, sum, bytes, weights[{tap, x}],
                             vnniLanes(k.target));
          }
    }
  }
  std::vector<SmallVector<LaneIndex>> at, indices;
  auto floats = VectorType::get({width}, k.b.getF32Type());
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t result = 0; result < count; ++result) {
      SmallVector<LaneIndex> here(loopIndex);
      here[sides.downLoop] =
          emitter.indices.shift(loopIndex[sides.downLoop], row);
      if (sides.along)
        here[sides.alongLoop] = emitter.indices.shift(column, result);
      indices.push_back(space.shapeIndex(emitter.indices, here));
      Value &sum = sums[row * count + result];
      sum = k.b.create<arith::SIToFPOp>(k.loc, floats, sum);
    }
  emitter.preset(anchor->getResult(0), indices, sums);
  for (ArrayRef<LaneIndex> index : indices)
    emitter.storeResults(index);
}

void Int8WindowKernel::emitColumns(ArrayRef<LaneIndex> loopIndex) {
  if (!sides.along)
    return emitBlock(loopIndex, LaneIndex(0), 1);
  const DimExpr &size = space.size(sides.alongLoop);
  int64_t columns = *size.constant(),
          first = *sides.along->firstInside().constant(),
          end = *sides.along->endInside(size).constant();
  RowBlocking parts(columns, std::min(first, columns), std::min(end, columns),
                    blocking.columns);
  auto known = [&](int64_t from, int64_t count) {
    for (int64_t blocks = llvm::divideCeil(count, blocking.columns); blocks > 0;
         --blocks) {
      int64_t some = llvm::divideCeil(count, blocks);
      emitBlock(loopIndex, LaneIndex(DimExpr(from)), some);
      from += some, count -= some;
    }
  };
  known(0, parts.left);
  int64_t behind = parts.left + parts.repeats * parts.atOnce;
  k.loop(k.index(parts.left), k.index(behind), k.index(parts.atOnce),
         [&](Value at) {
           LaneIndex base = emitter.indices.scalar(
               at, DimExpr(end - (parts.atOnce - 1)), 1, DimExpr(first));
           emitBlock(loopIndex, base, parts.atOnce);
         });
  known(behind, parts.right);
}

/// The last block overlaps the one before where needed.
void Int8WindowKernel::emitRowBlock(Value number, const LaneIndex &lanes) {
  ElementEmitter::Scope scope(emitter);
  SmallVector<LaneIndex> loopIndex(space.rank(), LaneIndex(0));
  Value blocks = k.size(rowBlocks());
  Value block = outer.empty() ? number : k.rem(number, blocks);
  unflattenRow(emitter, space, outer,
               outer.empty() ? number : k.div(number, blocks), loopIndex);
  DimExpr last = space.size(sides.downLoop) - blocking.rows;
  Value firstRow = k.min(k.mul(block, k.index(blocking.rows)), k.size(last));
  loopIndex[sides.downLoop] = emitter.indices.scalar(firstRow, last + 1);
  loopIndex[lane] = lanes;
  enterRows(loopIndex, firstRow);
  emitColumns(loopIndex);
}

FailureOr<KernelPlan> Int8WindowKernel::run() {
  // A task's rows of the feature map fill less than half of the first-level
  // cache, 32 channels of each position, and its work is worth claiming.
  constexpr double channelBytes = 32;
  // Instructions, each of which does the work of several of f32.
  const double taskCost = k.target.taskFlops(0.1);
  const double cachedPositions = k.target.l1Share(7.0 / 16) / channelBytes;
  double columns =
             sides.along ? double(*space.size(sides.alongLoop).constant()) : 1,
         blocks = double(rowBlocks().constant().value_or(64)),
         lanes = double(*space.size(lane).constant());
  double blockCost = double(blocking.rows) * columns * lanes *
                     (costOf(blocking) + costPerElement(k.fusion));
  int64_t positions = int64_t(double(blocking.rows) * columns),
          blocksOfTask = std::clamp<int64_t>(
              int64_t(cachedPositions) / positions, 1, int64_t(blocks));
  double cost = blockCost * double(blocksOfTask);
  int64_t channels = *space.size(lane).constant(), lanesOfTask = channels;
  if (cost > taskCost)
    lanesOfTask = std::min<int64_t>(
        channels,
        llvm::alignTo(int64_t(lanes * taskCost / cost) + 1, 4 * width));
  int64_t chunks = llvm::divideCeil(channels, lanesOfTask);
  DimExpr rows = rowBlocks();
  for (unsigned loop : outer)
    rows = rows * space.size(loop);
  DimExpr parts = DimExpr::ceilDiv(rows, blocksOfTask);
  Value one = k.index(1);
  k.loop(k.begin(), k.end(), one, [&](Value task) {
    Value from = k.mul(k.div(task, k.index(chunks)), k.index(blocksOfTask));
    Value to = k.min(k.add(from, k.index(blocksOfTask)), k.size(rows));
    Value low = k.mul(k.rem(task, k.index(chunks)), k.index(lanesOfTask));
    Value high = k.min(k.index(channels), k.add(low, k.index(lanesOfTask)));
    forEachLaneBlock(
        emitter, space, lane, low, high, [&](const LaneIndex &lanes) {
          readWeights(emitter.indices.laneBase(lanes));
          k.loop(from, to, one,
                 [&](Value number) { emitRowBlock(number, lanes); });
        });
  });
  KernelPlan plan;
  Launch launch = k.finish(parts * DimExpr(chunks), cost / double(chunks));
  if (!addLaunch(plan, unlessFailed(emitter, std::move(launch))))
    return failure();
  return plan;
}

/// Null `down`: the shape is not supported.
static Sides sidesOf(const IterationSpace &space, const WindowShape &shape) {
  Sides sides;
  if (shape.spans.empty() || shape.spans.size() > 2)
    return {};
  for (const WindowDim &span : shape.spans) {
    std::optional<unsigned> found;
    for (unsigned loop = 0; loop < space.rank(); ++loop)
      if (space.dimOf(loop) == span.dim)
        found = loop;
    if (!found)
      return {};
    (sides.down ? sides.along : sides.down) = &span;
    (sides.along ? sides.alongLoop : sides.downLoop) = *found;
  }
  return sides;
}

bool suitsInt8Window(const EmissionContext &context,
                     const IterationSpace &space, const WindowShape &shape,
                     unsigned lane) {
  constexpr int64_t mostRows = 32, mostColumns = 16;
  auto convolution = dyn_cast<graph::ConvolutionOp>(shape.anchor);
  auto window = convolution ? graph::matchInt8Depthwise(convolution)
                            : std::optional<graph::Int8Depthwise>();
  if (!window || !context.target.vnni || !isa<BlockArgument>(window->bytes) ||
      !isa<BlockArgument>(window->weights))
    return false;
  auto type = cast<RankedTensorType>(convolution.getType());
  if (space.dimOf(lane) + 1 != type.getRank() ||
      !space.size(lane).isConstant(type.getShape().back()))
    return false;
  // Results must have the positions of the feature map.
  const graph::DimVector input = context.dims.dimsOf(window->bytes),
                         results = context.dims.dimsOf(convolution);
  for (unsigned d = 0; d + 1 < input.size(); ++d)
    if (input[d] != results[d] &&
        llvm::none_of(shape.spans,
                      [&](const WindowDim &span) { return span.dim == d; }))
      return false;
  Sides sides = sidesOf(space, shape);
  if (!sides.down || sides.down->count * sides.down->dilation > mostRows)
    return false;
  if (!sides.along)
    return true;
  const DimExpr &columns = space.size(sides.alongLoop);
  return columns.constant() && sides.along->firstInside().constant() &&
         sides.along->endInside(columns).constant() &&
         sides.along->count <= mostColumns;
}

FailureOr<KernelPlan> emitInt8Window(const EmissionContext &context,
                                     IterationSpace &space,
                                     const WindowShape &shape, unsigned lane) {
  return Int8WindowKernel(context, space, shape, lane, sidesOf(space, shape))
      .run();
}

} // namespace zenith::kernels
