// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Depthwise convolutions by dot products: bytes of four rows of the feature map
// (VNNI), or bf16 of two, lie side by side in a register, and one instruction
// adds the products of all of them. Several columns of results share each such
// register, and several rows of bytes. Padding holds the zero point.

#include "lowering/kernels/DotWindowKernel.h"
#include "ir/encodings/DepthwiseDots.h"
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

/// Taps of a group of rows: the index of its first row, counted from the first
/// tap, and the tap along a row.
using GroupOfTaps = std::pair<int64_t, int64_t>;

class DotWindowKernel {
public:
  DotWindowKernel(const EmissionContext &context,
                  const DotWindowSchedule &schedule, const WindowKeys &keys)
      : k(context.fusion, context.dims, context.target, context.kernels,
          context.name),
        emitter(k), schedule(schedule), keys(keys), space(schedule.loops.space),
        anchor(schedule.loops.anchor), lane(schedule.loops.lane),
        window(schedule.window), group(window.group), width(keys.lanes) {
    emitter.indices.width = width;
    element = memoryType(getElementTypeOrSelf(window.weights.getType()));
    groupsType = VectorType::get({group * width}, element);
    sumType =
        VectorType::get({width}, schedule.isOfFloats() ? Type(k.b.getF32Type())
                                                       : k.b.getI32Type());
    for (unsigned loop = 0; loop < space.rank(); ++loop)
      if (loop != lane && loop != schedule.downLoop &&
          !(schedule.along && loop == schedule.alongLoop))
        outer.push_back(loop);
  }
  FailureOr<KernelPlan> run();

private:
  Value interleaved(ArrayRef<Value> rows);
  Value elementsAt(Value memory, Value offset);
  Value splat(int64_t number) {
    return k.constant(DenseElementsAttr::get(
        groupsType, APInt(element.getIntOrFloatBitWidth(), uint64_t(number))));
  }
  Value addDot(Value sum, Value x, Value y);
  void readWeights(Value channel);
  void enterRows(ArrayRef<LaneIndex> loopIndex, Value firstRow);
  Value groupAt(int64_t number, Value column, int64_t distance);
  void emitBlock(ArrayRef<LaneIndex> loopIndex, const LaneIndex &column,
                 int64_t count);
  void emitColumns(ArrayRef<LaneIndex> loopIndex);
  void emitRowBlock(Value number, const LaneIndex &lanes);

  KernelBuilder k;
  ElementEmitter emitter;
  const DotWindowSchedule &schedule;
  const WindowKeys &keys;
  const IterationSpace &space;
  Operation *anchor;
  unsigned lane;
  const graph::DepthwiseDots &window;
  int64_t group, width;
  Type element; ///< of weights, in memory; that of the input has its bits
  VectorType groupsType, sumType;
  SmallVector<unsigned> outer;

  // For the current channels.
  std::map<GroupOfTaps, Value> weights;
  Value start; ///< sums begin here
  // For the current rows: where each begins, and which elements of each group
  // are not padding.
  SmallVector<Value> rowOffsets, inside;
};

} // namespace

/// Interleaves the rows of a group, the elements of a channel side by side.
Value DotWindowKernel::interleaved(ArrayRef<Value> rows) {
  auto joined = [&](Value x, Value y, int64_t count) -> Value {
    auto places = llvm::to_vector(llvm::seq<int64_t>(2 * count));
    return k.b.create<vector::ShuffleOp>(k.loc, x, y, places);
  };
  Value all = joined(rows[0], rows[1], width);
  if (group == 4)
    all = joined(all, joined(rows[2], rows[3], width), 2 * width);
  SmallVector<int64_t> places;
  for (int64_t channel = 0; channel < width; ++channel)
    for (int64_t row = 0; row < group; ++row)
      places.push_back(row * width + channel);
  return k.b.create<vector::ShuffleOp>(k.loc, all, all, places);
}

Value DotWindowKernel::addDot(Value sum, Value x, Value y) {
  if (!schedule.isOfFloats())
    return addInt8Dot(k.b, k.loc, sum, x, y, vnniLanes(k.target));
  return addBF16Dot(k.b, k.loc, sum, x, y);
}

/// An element of each current channel.
Value DotWindowKernel::elementsAt(Value memory, Value offset) {
  auto type = VectorType::get({width}, element);
  if (!emitter.active.mask)
    return k.b.create<vector::LoadOp>(k.loc, type, memory, offset);
  return k.b.create<vector::MaskedLoadOp>(
      k.loc, type, memory, offset, emitter.active.mask, k.integer(type, 0));
}

void DotWindowKernel::readWeights(Value channel) {
  const WindowDim &down = *schedule.down;
  Value memory = k.memoryOf(cast<BlockArgument>(window.weights));
  int64_t channels = *space.size(lane).constant();
  auto type = VectorType::get({width}, element);
  std::map<GroupOfTaps, Value> taps;
  for (int64_t y = 0; y < down.count; ++y)
    for (int64_t x = 0; x < schedule.tapsAlong(); ++x)
      taps[{y * down.dilation, x}] = elementsAt(
          memory,
          k.add(channel, k.index((y * schedule.tapsAlong() + x) * channels)));
  weights.clear();
  for (int64_t row = 0; row < schedule.rows; ++row)
    for (int64_t number = 0; number < schedule.groupsOf(schedule.rows);
         ++number) {
      int64_t first = schedule.tapOfGroup(number, row);
      for (int64_t x = 0; x < schedule.tapsAlong() && schedule.meetsTaps(first);
           ++x) {
        Value &ofGroup = weights[{first, x}];
        SmallVector<Value> rows;
        for (int64_t i = 0; i < group && !ofGroup; ++i) {
          auto tap = taps.find({first + i, x});
          rows.push_back(tap == taps.end() ? k.integer(type, 0) : tap->second);
        }
        if (!ofGroup)
          ofGroup = interleaved(rows);
      }
    }
  // The sum over a filter of zero points, which stand for zero.
  Value zero = k.constant(k.b.getZeroAttr(sumType));
  start = zero;
  if (window.zeroPoint == 0)
    return;
  for (int64_t number = 0; number < schedule.groupsOf(schedule.rows); ++number)
    for (int64_t x = 0; x < schedule.tapsAlong(); ++x)
      if (schedule.meetsTaps(schedule.tapOfGroup(number, 0)))
        start = addDot(start, splat(window.zeroPoint),
                       weights[{schedule.tapOfGroup(number, 0), x}]);
  start = k.b.create<arith::SubIOp>(k.loc, zero, start);
}

/// Rows in the padding are read from the nearest row inside, and then replaced.
void DotWindowKernel::enterRows(ArrayRef<LaneIndex> loopIndex, Value firstRow) {
  const WindowDim &down = *schedule.down;
  graph::DimVector dims = emitter.dimsOf(window.input);
  DimExpr rowStride = dims.back();
  for (unsigned d = down.dim + 1; d + 1 < dims.size(); ++d)
    rowStride = rowStride * dims[d];
  SmallVector<LaneIndex> index = space.shapeIndex(emitter.indices, loopIndex);
  index[down.dim] = LaneIndex(0);
  if (schedule.along)
    index[schedule.along->dim] = LaneIndex(0);
  Value origin =
      emitter.indices.laneBase(emitter.linearize(window.input, index));
  Value top = k.sub(k.mul(firstRow, k.index(down.stride)), k.index(down.low)),
        last = k.sub(k.size(down.size), k.index(1));
  int64_t groups = schedule.groupsOf(schedule.rows);
  rowOffsets.clear();
  inside.clear();
  Type bits = k.b.getIntegerType(group * width);
  bool padded =
      !(down.low <= 0 && down.endInside(space.size(schedule.downLoop)) ==
                             space.size(schedule.downLoop)) ||
      groups * group > schedule.rowsRead(schedule.rows);
  for (int64_t number = 0; number < groups; ++number) {
    Value held;
    for (int64_t i = 0; i < group; ++i) {
      int64_t below = group * number + i;
      if (below >= schedule.rowsRead(schedule.rows)) {
        rowOffsets.push_back(Value());
        continue;
      }
      Value row = k.add(top, k.index(below));
      Value nearest = k.max(k.min(row, last), k.index(0));
      rowOffsets.push_back(k.add(origin, k.mul(nearest, k.size(rowStride))));
      Value is = k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::eq, row,
                                           nearest);
      APInt places = APInt::getSplat(unsigned(group * width),
                                     APInt(unsigned(group), 1 << i));
      Value some = k.b.create<arith::SelectOp>(
          k.loc, is, k.constant(k.b.getIntegerAttr(bits, places)),
          k.constant(k.b.getIntegerAttr(bits, 0)));
      held =
          held ? k.b.create<arith::OrIOp>(k.loc, held, some).getResult() : some;
    }
    auto one = VectorType::get({1}, bits);
    held = k.b.create<vector::BroadcastOp>(k.loc, one, held);
    held = k.b.create<vector::BitCastOp>(
        k.loc, VectorType::get({group * width}, k.b.getI1Type()), held);
    inside.push_back(padded ? held : Value());
  }
}

/// Group `number` of the positions `distance` elements after those of `column`.
/// Rows that no result reads are padding.
Value DotWindowKernel::groupAt(int64_t number, Value column, int64_t distance) {
  Value memory = k.memoryOf(cast<BlockArgument>(window.input));
  SmallVector<Value> rows;
  for (int64_t i = 0; i < group; ++i) {
    Value at = rowOffsets[number * group + i];
    if (!at) {
      rows.push_back(k.integer(VectorType::get({width}, element), 0));
      continue;
    }
    if (column)
      at = k.add(k.add(at, column), k.index(distance));
    rows.push_back(elementsAt(memory, at));
  }
  Value all = interleaved(rows);
  return inside[number]
             ? k.b.create<arith::SelectOp>(k.loc, inside[number], all,
                                           splat(window.zeroPoint))
                   .getResult()
             : all;
}

/// Results of some columns of the current rows.
void DotWindowKernel::emitBlock(ArrayRef<LaneIndex> loopIndex,
                                const LaneIndex &column, int64_t count) {
  ElementEmitter::Scope scope(emitter);
  int64_t groups = schedule.groupsOf(schedule.rows), rows = schedule.rows,
          channels = *space.size(lane).constant();
  SmallVector<Value> sums(rows * count, start);
  int64_t stride = 1, dilation = 1;
  LaneIndex first = column;
  Value offsetOfColumn;
  if (schedule.along) {
    stride = schedule.along->stride, dilation = schedule.along->dilation;
    offsetOfColumn =
        emitter.indices.value(emitter.indices.scale(column, stride * channels));
    first = emitter.indices.shift(emitter.indices.scale(column, stride),
                                  -schedule.along->low);
  }
  // Positions from the left, each for all taps that read it.
  for (int64_t position = 0;
       position <= (count - 1) * stride + (schedule.tapsAlong() - 1) * dilation;
       ++position) {
    SmallVector<std::pair<int64_t, int64_t>> readers;
    for (int64_t x = 0; x < schedule.tapsAlong(); ++x)
      if (int64_t at = position - x * dilation;
          at >= 0 && at % stride == 0 && at / stride < count)
        readers.push_back({at / stride, x});
    bool outside = schedule.along && emitter.indices.provablyOutside(
                                         emitter.indices.shift(first, position),
                                         0, schedule.along->size);
    if (readers.empty() || (outside && window.zeroPoint == 0))
      continue;
    int64_t low = schedule.along ? schedule.along->low : 0;
    for (int64_t number = 0; number < groups; ++number) {
      Value elements = outside ? splat(window.zeroPoint)
                               : groupAt(number, offsetOfColumn,
                                         (position - low) * channels);
      for (auto [result, x] : readers)
        for (int64_t row = 0; row < rows; ++row)
          if (int64_t tap = schedule.tapOfGroup(number, row);
              schedule.meetsTaps(tap)) {
            Value &sum = sums[row * count + result];
            sum = addDot(sum, elements, weights[{tap, x}]);
          }
    }
  }
  std::vector<SmallVector<LaneIndex>> at, indices;
  auto floats = VectorType::get({width}, k.b.getF32Type());
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t result = 0; result < count; ++result) {
      SmallVector<LaneIndex> here(loopIndex);
      here[schedule.downLoop] =
          emitter.indices.shift(loopIndex[schedule.downLoop], row);
      if (schedule.along)
        here[schedule.alongLoop] = emitter.indices.shift(column, result);
      indices.push_back(space.shapeIndex(emitter.indices, here));
      Value &sum = sums[row * count + result];
      if (sumType != floats)
        sum = k.b.create<arith::SIToFPOp>(k.loc, floats, sum);
    }
  emitter.preset(anchor->getResult(0), indices, sums);
  for (ArrayRef<LaneIndex> index : indices)
    emitter.storeResults(index);
}

void DotWindowKernel::emitColumns(ArrayRef<LaneIndex> loopIndex) {
  if (!schedule.along)
    return emitBlock(loopIndex, LaneIndex(0), 1);
  const DimExpr &size = space.size(schedule.alongLoop);
  int64_t columns = *size.constant(),
          first = *schedule.along->firstInside().constant(),
          end = *schedule.along->endInside(size).constant();
  RowBlocking parts(columns, std::min(first, columns), std::min(end, columns),
                    schedule.columns);
  auto known = [&](int64_t from, int64_t count) {
    for (int64_t blocks = llvm::divideCeil(count, schedule.columns); blocks > 0;
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
void DotWindowKernel::emitRowBlock(Value number, const LaneIndex &lanes) {
  ElementEmitter::Scope scope(emitter);
  SmallVector<LaneIndex> loopIndex(space.rank(), LaneIndex(0));
  Value blocks = k.size(schedule.rowBlocks());
  Value block = outer.empty() ? number : k.rem(number, blocks);
  unflattenRow(emitter, space, outer,
               outer.empty() ? number : k.div(number, blocks), loopIndex);
  DimExpr last = space.size(schedule.downLoop) - schedule.rows;
  Value firstRow = k.min(k.mul(block, k.index(schedule.rows)), k.size(last));
  loopIndex[schedule.downLoop] = emitter.indices.scalar(firstRow, last + 1);
  loopIndex[lane] = lanes;
  enterRows(loopIndex, firstRow);
  emitColumns(loopIndex);
}

FailureOr<KernelPlan> DotWindowKernel::run() {
  int64_t blocksOfTask = keys.block[0], lanesOfTask = keys.block[1];
  int64_t channels = *space.size(lane).constant();
  int64_t chunks = llvm::divideCeil(channels, lanesOfTask);
  DimExpr rows = schedule.rowBlocks();
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
  double cost = schedule.costOfBlock(k.fusion) * double(blocksOfTask);
  Launch launch = k.finish(parts * DimExpr(chunks), cost / double(chunks));
  if (!addLaunch(plan, unlessFailed(emitter, std::move(launch))))
    return failure();
  return plan;
}

FailureOr<KernelPlan> emitDotWindow(const EmissionContext &context,
                                    const WindowLoops &loops,
                                    const WindowKeys &keys) {
  DotWindowSchedule schedule(loops);
  schedule.setTile(keys.tile);
  return DotWindowKernel(context, schedule, keys).run();
}

} // namespace zenith::kernels
