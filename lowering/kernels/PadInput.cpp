// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies images for convolutions that can't read them where they lie.

#include "lowering/builder/RowTasks.h"
#include "lowering/elements/LoopNests.h"
#include "lowering/kernels/PackPanels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {

/// Copies an image with its channels last, zeros around it and between dilated
/// neighbours. Where the channels lie far apart and the pixels of a row side by
/// side, it turns squares of them around in registers; a few channels are woven
/// into each other.
class ImagePadder {
public:
  ImagePadder(KernelBuilder &kernel, const Preparation &pad)
      : k(kernel), emitter(kernel), pad(pad) {
    element = getElementTypeOrSelf(pad.value.getType());
    to = k.scratch(pad.scratch, memoryType(element));
    channels = pad.padded.back().size;
    byRows = pixelsAreContiguous();
    if (auto known = channels.constant(); byRows && known)
      woven =
          *known < int64_t(k.target.lanes) && !k.target.printed ? *known : 0;
    byRows &=
        woven || !channels.provablyAtMost(DimExpr(int64_t(k.target.lanes) - 1));
    width = byRows                   ? k.target.lanes
            : channels.isConstant(1) ? 1
                                     : 2 * k.target.lanes;
    emitter.indices.width = width;
  }
  Launch emit();
  bool failed() const { return emitter.failed(); }

private:
  bool pixelsAreContiguous();
  void rowOfPixels(SmallVector<Value> position, Value linear);
  void turnPixels(SmallVector<LaneIndex> index, Value first);
  void weavePixels(SmallVector<LaneIndex> index, Value first);
  void zeros(Value first, Value last);
  void pixels(unsigned level, SmallVector<Value> position, Value linear);
  void pixel(ArrayRef<Value> position, Value linear);
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
  int64_t woven = 0; ///< channels, if few enough
};

bool ImagePadder::pixelsAreContiguous() {
  unsigned column = pad.padded.size() - 2;
  auto view = operandView(pad.value, k.dims);
  if (!view || pad.padded[column].step != 1 || pad.padded[column].stride != 1)
    return false;
  StridedDim digits = view->dims[pad.padded[column].dim];
  coalesce(digits);
  return digits.size() == 1 && digits[0].stride.isConstant(1);
}

/// Pixels `first` to `last` of the copy.
void ImagePadder::zeros(Value first, Value last) {
  Type type = registerType(element);
  Value zero =
      isa<FloatType>(type) ? k.constant(type, 0.0) : k.integer(type, 0);
  Value count = k.size(channels);
  DimExpr elements = int64_t(1) << 40;
  k.laneLoop(k.mul(first, count), k.mul(last, count), width,
             [&](Value at, Value mask) {
               ElementEmitter::Scope scope(emitter);
               emitter.mask = mask;
               emitter.storeLinear(to, element, k.broadcast(zero, width),
                                   emitter.indices.lanes(at, elements));
             });
}

/// Pixels of a row by squares of pixels and channels, to the copy from pixel
/// `first` on.
void ImagePadder::turnPixels(SmallVector<LaneIndex> index, Value first) {
  unsigned column = pad.padded.size() - 2;
  DimExpr extent = k.dims.dimOf(pad.value, pad.padded[column].dim);
  IndexMath &math = emitter.indices;
  forEachTile(emitter, channels, extent, k.index(0), k.size(extent),
              [&](const LaneIndex &lanes, const LaneIndex &pixel) {
                index[pad.padded[column].dim] = pixel;
                index[pad.padded.back().dim] = lanes;
                Value x = emitter.emit(pad.value, index);
                if (!x)
                  return;
                LaneIndex start = math.scalar(k.mul(first, k.size(channels)),
                                              DimExpr(int64_t(1) << 40));
                LaneIndex place = math.add(math.scale(pixel, channels), lanes);
                emitter.storeLinear(to, element, x, math.add(start, place));
              });
}

/// The same for few channels: a vector of pixels of each gives as many vectors
/// that run through pixels and channels.
void ImagePadder::weavePixels(SmallVector<LaneIndex> index, Value first) {
  unsigned column = pad.padded.size() - 2;
  DimExpr extent = k.dims.dimOf(pad.value, pad.padded[column].dim);
  IndexMath &math = emitter.indices;
  int64_t lanes = width;
  k.laneLoop(k.index(0), k.size(extent), width, [&](Value start, Value mask) {
    ElementEmitter::Scope scope(emitter);
    emitter.mask = mask;
    index[pad.padded[column].dim] = math.lanes(start, extent);
    SmallVector<Value> planes;
    for (int64_t channel = 0; channel < woven; ++channel) {
      index[pad.padded.back().dim] = LaneIndex(DimExpr(channel));
      Value x = emitter.emit(pad.value, index);
      if (!x)
        return;
      planes.push_back(k.broadcast(x, width));
    }
    Value end = k.mul(k.sub(k.size(extent), start), k.index(woven));
    Value base = k.mul(k.add(first, start), k.index(woven));
    for (int64_t part = 0; part < woven; ++part) {
      Value x = planes[0];
      for (int64_t channel = woven > 1; channel < woven; ++channel) {
        SmallVector<int64_t> source;
        for (int64_t lane = 0; lane < lanes; ++lane) {
          int64_t at = part * lanes + lane, pixel = at / woven;
          bool own = at % woven == channel, begins = channel == 1;
          source.push_back(own ? lanes + pixel : begins ? pixel : lane);
        }
        x = k.b.create<vector::ShuffleOp>(k.loc, x, planes[channel], source);
      }
      if (mask)
        emitter.mask = k.mask(k.sub(end, k.index(part * lanes)), width);
      LaneIndex place = math.lanes(k.add(base, k.index(part * lanes)),
                                   DimExpr(int64_t(1) << 40));
      emitter.storeLinear(to, element, x, place);
    }
  });
}

/// A row of pixels; `position` lacks the column.
void ImagePadder::rowOfPixels(SmallVector<Value> position, Value linear) {
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
  if (woven)
    weavePixels(std::move(index), low);
  else
    turnPixels(std::move(index), low);
  zeros(high, last);
  k.b.setInsertionPoint(branch.elseBlock()->getTerminator());
  zeros(first, last);
}

void ImagePadder::lanesOf(function_ref<void(Value, Value)> body) {
  if (width == 1)
    body(k.index(0), {});
  else
    k.laneLoop(k.index(0), k.size(channels), width, body);
}

/// Whether a pixel of the copy is one of the image, and which.
Value ImagePadder::inside(ArrayRef<Value> position,
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

void ImagePadder::pixel(ArrayRef<Value> position, Value linear) {
  SmallVector<Value> source;
  Value isPixel = inside(position, source);
  Value start = k.mul(linear, k.size(channels));
  auto branch = k.b.create<scf::IfOp>(k.loc, isPixel, /*withElseRegion=*/true);
  IndexMath &math = emitter.indices;
  auto channelIndex = [&](Value at) {
    return width == 1 ? math.scalar(at, channels)
                      : math.lanes(at, channels, width);
  };
  auto storeAt = [&](Value x, Value at) {
    LaneIndex to = math.add(math.scalar(start, DimExpr(int64_t(1) << 40)),
                            channelIndex(at));
    emitter.storeLinear(this->to, element, k.broadcast(x, width), to);
  };
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPoint(branch.thenBlock()->getTerminator());
  lanesOf([&](Value at, Value mask) {
    ElementEmitter::Scope scope(emitter);
    emitter.mask = mask;
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
    emitter.mask = mask;
    storeAt(zero, at);
  });
}

void ImagePadder::pixels(unsigned level, SmallVector<Value> position,
                         Value linear) {
  if (level + 1 == pad.padded.size()) {
    pixel(position, linear);
    return;
  }
  if (byRows && level + 2 == pad.padded.size()) {
    rowOfPixels(position, linear);
    return;
  }
  Value size = k.size(pad.padded[level].size);
  k.loop(k.index(0), size, k.index(1), [&](Value i) {
    SmallVector<Value> next = position;
    next.push_back(i);
    pixels(level + 1, next, k.add(k.mul(linear, size), i));
  });
}

Launch ImagePadder::emit() {
  DimExpr perTask = channels;
  for (const PaddedDim &dim : llvm::drop_begin(pad.padded, 2))
    perTask = perTask * dim.size;
  k.loop(k.begin(), k.end(), k.index(1), [&](Value task) {
    SmallVector<Value> digits =
        digitsOf(k, task, {pad.padded[0].size, pad.padded[1].size});
    pixels(2, digits, task);
  });
  return k.finish(pad.padded[0].size * pad.padded[1].size,
                  8 * estimate(perTask));
}

} // namespace

FailureOr<Launch> emitPaddedImage(KernelBuilder &kernel,
                                  const Preparation &pad) {
  ImagePadder padder(kernel, pad);
  Launch launch = padder.emit();
  return padder.failed() ? FailureOr<Launch>(failure())
                         : FailureOr<Launch>(launch);
}

} // namespace zenith::kernels
