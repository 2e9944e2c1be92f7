// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Padded copies of feature maps, for convolutions that cannot read their input
// where it lies.

#include "lowering/builder/RowTasks.h"
#include "lowering/elements/LoopNests.h"
#include "lowering/packing/PackPanels.h"
#include "lowering/schedule/ElementsSchedule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {

/// Copies a feature map channels-last, with zeros in the padding and between
/// dilated positions. Where rows are contiguous and channels are not, it
/// transposes squares of positions and channels in registers, or interleaves
/// the vectors of a few channels.
class InputPadder {
public:
  InputPadder(KernelBuilder &kernel, const Preparation &pad)
      : k(kernel), emitter(kernel), pad(pad) {
    element = getElementTypeOrSelf(pad.value.getType());
    to = k.scratch(pad.scratch, memoryType(element));
    channels = pad.padded.back().size;
    byRows = rowsAreContiguous();
    if (auto known = channels.constant(); byRows && known)
      interleaved =
          *known < int64_t(k.target.lanes) && k.target.shuffles ? *known : 0;
    byRows &= interleaved ||
              !channels.provablyAtMost(DimExpr(int64_t(k.target.lanes) - 1));
    width = byRows                   ? k.target.lanes
            : channels.isConstant(1) ? 1
                                     : 2 * k.target.lanes;
    emitter.indices.width = width;
  }
  Launch emit();
  bool failed() const { return emitter.failed(); }

private:
  bool rowsAreContiguous();
  void rowOfPositions(SmallVector<Value> position, Value linear);
  void transposePositions(SmallVector<LaneIndex> index, Value first);
  void interleaveChannels(SmallVector<LaneIndex> index, Value first);
  void zeros(Value first, Value last);
  void positions(unsigned level, SmallVector<Value> position, Value linear);
  void singlePosition(ArrayRef<Value> position, Value linear);
  void lanesOf(function_ref<void(Value start, Value mask)> body);
  Value inside(ArrayRef<Value> position, SmallVectorImpl<Value> &source);

  KernelBuilder &k;
  ElementEmitter emitter;
  const Preparation &pad;
  Type element;
  Value to;
  DimExpr channels;
  unsigned width;
  bool byRows;
  int64_t interleaved = 0; ///< channels, if few enough
};

bool InputPadder::rowsAreContiguous() {
  unsigned column = pad.padded.size() - 2;
  auto view = operandView(pad.value, k.dims);
  if (!view || pad.padded[column].step != 1 || pad.padded[column].stride != 1)
    return false;
  StridedDim digits = view->dims[pad.padded[column].dim];
  coalesce(digits);
  return digits.size() == 1 && digits[0].stride.isConstant(1);
}

/// Stores zeros to positions `first` to `last` of the copy.
void InputPadder::zeros(Value first, Value last) {
  Type type = registerType(element);
  Value zero =
      isa<FloatType>(type) ? k.constant(type, 0.0) : k.integer(type, 0);
  Value count = k.size(channels);
  DimExpr elements = int64_t(1) << 40;
  k.laneLoop(k.mul(first, count), k.mul(last, count), width,
             [&](Value at, Value mask) {
               ElementEmitter::Scope scope(emitter);
               emitter.active.mask = mask;
               emitter.memory.store(to, element, k.broadcast(zero, width),
                                    emitter.indices.lanes(at, elements));
             });
}

/// Copies a row by squares of positions and channels, to position `first` of
/// the copy and following ones.
void InputPadder::transposePositions(SmallVector<LaneIndex> index,
                                     Value first) {
  unsigned column = pad.padded.size() - 2;
  DimExpr extent = k.dims.dimOf(pad.value, pad.padded[column].dim);
  IndexMath &math = emitter.indices;
  forEachTile(emitter, pieceOfSquares(k.fusion, k.target), channels, extent,
              k.index(0), k.size(extent),
              [&](const LaneIndex &lanes, const LaneIndex &at) {
                index[pad.padded[column].dim] = at;
                index[pad.padded.back().dim] = lanes;
                Value x = emitter.emit(pad.value, index);
                if (!x)
                  return;
                LaneIndex start = math.scalar(k.mul(first, k.size(channels)),
                                              DimExpr(int64_t(1) << 40));
                LaneIndex target = math.add(math.scale(at, channels), lanes);
                emitter.memory.store(to, element, x, math.add(start, target));
              });
}

/// The same for few channels: interleaves a vector of positions of each channel
/// into as many vectors that run through positions and channels.
void InputPadder::interleaveChannels(SmallVector<LaneIndex> index,
                                     Value first) {
  unsigned column = pad.padded.size() - 2;
  DimExpr extent = k.dims.dimOf(pad.value, pad.padded[column].dim);
  IndexMath &math = emitter.indices;
  int64_t lanes = width;
  k.laneLoop(k.index(0), k.size(extent), width, [&](Value start, Value mask) {
    ElementEmitter::Scope scope(emitter);
    emitter.active.mask = mask;
    index[pad.padded[column].dim] = math.lanes(start, extent);
    SmallVector<Value> planes;
    for (int64_t channel = 0; channel < interleaved; ++channel) {
      index[pad.padded.back().dim] = LaneIndex(DimExpr(channel));
      Value x = emitter.emit(pad.value, index);
      if (!x)
        return;
      planes.push_back(k.broadcast(x, width));
    }
    Value end = k.mul(k.sub(k.size(extent), start), k.index(interleaved));
    Value base = k.mul(k.add(first, start), k.index(interleaved));
    for (int64_t part = 0; part < interleaved; ++part) {
      Value x = planes[0];
      for (int64_t channel = interleaved > 1; channel < interleaved;
           ++channel) {
        SmallVector<int64_t> source;
        for (int64_t lane = 0; lane < lanes; ++lane) {
          int64_t at = part * lanes + lane, position = at / interleaved;
          bool own = at % interleaved == channel, begins = channel == 1;
          source.push_back(own ? lanes + position : begins ? position : lane);
        }
        x = k.b.create<vector::ShuffleOp>(k.loc, x, planes[channel], source);
      }
      if (mask)
        emitter.active.mask = k.mask(k.sub(end, k.index(part * lanes)), width);
      LaneIndex target = math.lanes(k.add(base, k.index(part * lanes)),
                                    DimExpr(int64_t(1) << 40));
      emitter.memory.store(to, element, x, target);
    }
  });
}

/// A row of positions; `position` lacks the column.
void InputPadder::rowOfPositions(SmallVector<Value> position, Value linear) {
  unsigned column = position.size();
  DimExpr extent = k.dims.dimOf(pad.value, pad.padded[column].dim);
  SmallVector<Value> source;
  Value isRow = inside(position, source);
  Value first = k.mul(linear, k.size(pad.padded[column].size));
  Value last = k.add(first, k.size(pad.padded[column].size));
  Value low = k.add(first, k.index(pad.padded[column].low));
  Value high = k.add(low, k.size(extent));
  auto branch = k.b.create<scf::IfOp>(k.loc, isRow, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPoint(branch.thenBlock()->getTerminator());
  zeros(first, low);
  SmallVector<LaneIndex> index(pad.padded.size());
  for (auto [i, from] : llvm::enumerate(source))
    index[pad.padded[i].dim] = emitter.indices.scalar(
        from, k.dims.dimOf(pad.value, pad.padded[i].dim));
  if (interleaved)
    interleaveChannels(std::move(index), low);
  else
    transposePositions(std::move(index), low);
  zeros(high, last);
  k.b.setInsertionPoint(branch.elseBlock()->getTerminator());
  zeros(first, last);
}

void InputPadder::lanesOf(function_ref<void(Value, Value)> body) {
  if (width == 1)
    body(k.index(0), {});
  else
    k.laneLoop(k.index(0), k.size(channels), width, body);
}

/// Whether a position of the copy is one of the input, which is then `source`.
Value InputPadder::inside(ArrayRef<Value> position,
                          SmallVectorImpl<Value> &source) {
  Value all;
  auto require = [&](arith::CmpIPredicate predicate, Value x, Value y) {
    Value holds = k.b.create<arith::CmpIOp>(k.loc, predicate, x, y);
    all =
        all ? k.b.create<arith::AndIOp>(k.loc, all, holds).getResult() : holds;
  };
  for (auto [i, at] : llvm::enumerate(position)) {
    const PaddedDim &dim = pad.padded[i];
    Value from = k.sub(k.mul(at, k.index(dim.stride)), k.index(dim.low));
    if (dim.low)
      require(arith::CmpIPredicate::sge, from, k.index(0));
    from = k.max(from, k.index(0));
    if (dim.step != 1) {
      require(arith::CmpIPredicate::eq, k.rem(from, k.index(dim.step)),
              k.index(0));
      from = k.div(from, k.index(dim.step));
    }
    Value extent = k.size(k.dims.dimOf(pad.value, dim.dim));
    require(arith::CmpIPredicate::slt, from, extent);
    source.push_back(from);
  }
  return all;
}

void InputPadder::singlePosition(ArrayRef<Value> position, Value linear) {
  SmallVector<Value> source;
  Value isInside = inside(position, source);
  Value start = k.mul(linear, k.size(channels));
  auto branch = k.b.create<scf::IfOp>(k.loc, isInside, /*withElseRegion=*/true);
  IndexMath &math = emitter.indices;
  auto channelIndex = [&](Value at) {
    return width == 1 ? math.scalar(at, channels)
                      : math.lanes(at, channels, width);
  };
  auto storeAt = [&](Value x, Value at) {
    LaneIndex to = math.add(math.scalar(start, DimExpr(int64_t(1) << 40)),
                            channelIndex(at));
    emitter.memory.store(this->to, element, k.broadcast(x, width), to);
  };
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPoint(branch.thenBlock()->getTerminator());
  lanesOf([&](Value at, Value mask) {
    ElementEmitter::Scope scope(emitter);
    emitter.active.mask = mask;
    SmallVector<LaneIndex> index(pad.padded.size());
    for (auto [i, from] : llvm::enumerate(source))
      index[pad.padded[i].dim] =
          math.scalar(from, k.dims.dimOf(pad.value, pad.padded[i].dim));
    index[pad.padded.back().dim] = channelIndex(at);
    if (Value x = emitter.emit(pad.value, index))
      storeAt(x, at);
  });
  k.b.setInsertionPoint(branch.elseBlock()->getTerminator());
  Type type = registerType(element);
  Value zero =
      isa<FloatType>(type) ? k.constant(type, 0.0) : k.integer(type, 0);
  lanesOf([&](Value at, Value mask) {
    ElementEmitter::Scope scope(emitter);
    emitter.active.mask = mask;
    storeAt(zero, at);
  });
}

void InputPadder::positions(unsigned level, SmallVector<Value> position,
                            Value linear) {
  if (level + 1 == pad.padded.size()) {
    singlePosition(position, linear);
    return;
  }
  if (byRows && level + 2 == pad.padded.size()) {
    rowOfPositions(position, linear);
    return;
  }
  Value size = k.size(pad.padded[level].size);
  k.loop(k.index(0), size, k.index(1), [&](Value i) {
    SmallVector<Value> next = position;
    next.push_back(i);
    positions(level + 1, next, k.add(k.mul(linear, size), i));
  });
}

Launch InputPadder::emit() {
  DimExpr perTask = channels;
  for (const PaddedDim &dim : llvm::drop_begin(pad.padded, 2))
    perTask = perTask * dim.size;
  k.loop(k.begin(), k.end(), k.index(1), [&](Value task) {
    SmallVector<Value> digits =
        digitsOf(k, task, {pad.padded[0].size, pad.padded[1].size});
    positions(2, digits, task);
  });
  return k.finish(pad.padded[0].size * pad.padded[1].size,
                  8 * estimate(perTask));
}

} // namespace

FailureOr<Launch> emitPaddedInput(KernelBuilder &kernel,
                                  const Preparation &pad) {
  InputPadder padder(kernel, pad);
  Launch launch = padder.emit();
  return padder.failed() ? FailureOr<Launch>(failure())
                         : FailureOr<Launch>(launch);
}

} // namespace zenith::kernels
