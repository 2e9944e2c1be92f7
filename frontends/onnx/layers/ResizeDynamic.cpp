// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resizes dimensions whose sizes are known at run time only: positions and
// weights are then computed at run time.
#include "frontends/onnx/import/IndexReading.h"
#include "frontends/onnx/import/SampleReading.h"
#include "frontends/onnx/layers/ResizeReading.h"

#include <cmath>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;
using llvm::SmallVector;

static DimVector alongDim(int64_t rank, int64_t dim, const DimExpr &size) {
  DimVector dims(rank, DimExpr(1));
  dims[dim] = size;
  return dims;
}

/// True if every output i reads element i / scale, for all sizes.
static bool onlyRepeats(const ResizeStyle &style, const ResizeAxis &axis) {
  if (style.mode != ResizeMode::Nearest || !axis.scale ||
      *axis.scale != std::floor(*axis.scale) || *axis.scale > 64 ||
      axis.output != axis.input * DimExpr(int64_t(*axis.scale)))
    return false;
  // In these modes outputs read the same neighbours at every multiple of the
  // scale.
  if (style.coordinates != Coordinates::HalfPixel &&
      style.coordinates != Coordinates::HalfPixelPyTorch &&
      style.coordinates != Coordinates::Asymmetric)
    return false;
  constexpr int64_t sample = 4;
  int64_t times = int64_t(*axis.scale);
  AxisTaps taps = axisTaps(style, {sample, sample * times, *axis.scale, 0, 1});
  for (int64_t i = 0; i < sample * times; ++i)
    if (taps.outputs[i][0].first != i / times)
      return false;
  return true;
}

/// Weights of the elements around i * stride that every output `factor` * i +
/// phase reads, at distances from -`before` on, where the ends of the input are
/// repeated beyond it.
struct PhaseWeights {
  int64_t factor, stride, before, after;
  std::vector<std::vector<double>> ofPhase;
};

/// Where the size grows or shrinks by a small integer and positions do not
/// depend on the size; nothing otherwise.
static std::optional<PhaseWeights> phaseWeights(const ResizeStyle &style,
                                                const ResizeAxis &axis) {
  constexpr int64_t mostTimes = 8;
  // An output of one element has another position in PyTorch's convention, but
  // an input that grows gives none.
  bool fromPyTorch = style.coordinates == Coordinates::HalfPixelPyTorch;
  if (!axis.scale || style.mode == ResizeMode::Nearest ||
      style.excludeOutside ||
      (style.coordinates != Coordinates::HalfPixel &&
       style.coordinates != Coordinates::Asymmetric && !fromPyTorch))
    return std::nullopt;
  int64_t factor = std::llround(*axis.scale),
          stride = std::llround(1 / *axis.scale);
  bool grows = *axis.scale == double(factor) && factor > 1 &&
               factor <= mostTimes &&
               axis.output == axis.input * DimExpr(factor);
  bool shrinks = *axis.scale == 1 / double(stride) && stride > 1 &&
                 stride <= mostTimes &&
                 axis.output == DimExpr::floorDiv(axis.input, DimExpr(stride));
  if (!grows && (!shrinks || fromPyTorch || style.antialias))
    return std::nullopt;
  int64_t reach = style.mode == ResizeMode::Linear ? 1 : 2;
  // In the middle of an input that is long enough no end is near.
  constexpr int64_t middle = 8;
  PhaseWeights result{grows ? factor : 1, grows ? 1 : stride, 0, 0, {}};
  int64_t length = 2 * middle * result.stride;
  PositionForm form =
      positionForm(style, {length, length / result.stride * result.factor,
                           *axis.scale, 0, 1});
  for (int64_t phase = 0; phase < result.factor; ++phase) {
    double position = form.at(double(middle * result.factor + phase)) -
                      double(middle * result.stride);
    int64_t base = int64_t(std::floor(position));
    result.before = std::max(result.before, reach - 1 - base);
    result.after = std::max(result.after, base + reach);
  }
  for (int64_t phase = 0; phase < result.factor; ++phase) {
    double position = form.at(double(middle * result.factor + phase)) -
                      double(middle * result.stride);
    std::vector<double> weights;
    double sum = 0;
    for (int64_t at = -result.before; at <= result.after; ++at) {
      double distance = double(at) - position;
      weights.push_back(std::abs(distance) < double(reach)
                            ? filterWeight(style, distance)
                            : 0);
      sum += weights.back();
    }
    for (double &weight : weights)
      weight /= sum;
    result.ofPhase.push_back(std::move(weights));
  }
  return result;
}

/// Values of one size whose elements along the dimension take turns.
static Value interleaved(ImportBuilder &b, int64_t dim,
                         llvm::ArrayRef<Value> phases) {
  if (phases.size() == 1)
    return phases.front();
  DimVector single = b.dims(phases.front()), joined = single;
  single.insert(single.begin() + dim + 1, DimExpr(1));
  joined[dim] = joined[dim] * DimExpr(int64_t(phases.size()));
  SmallVector<Value> parts;
  for (Value phase : phases)
    parts.push_back(b.reshape(phase, single));
  return b.reshape(b.concat(dim + 1, parts), joined);
}

/// Weighted sums of strided parts, whose phases are interleaved: no position is
/// data.
static Value weighOpenPhases(ImportBuilder &b, Value x, const ResizeAxis &axis,
                             const PhaseWeights &weights) {
  Type element = getElementTypeOrSelf(x.getType());
  // An input without elements has no ends to repeat. Where only the last one is
  // repeated, that of such an input is a zero, which no output reads: parts
  // then begin at constants.
  DimExpr end =
      weights.before ? DimExpr::min(axis.input, DimExpr(1)) : DimExpr(1);
  auto ends = [&](const DimExpr &start, int64_t count) {
    SmallVector<Value> parts(count, b.sliceDim(x, axis.dim, start, end));
    return parts;
  };
  SmallVector<Value> parts = ends(DimExpr(0), weights.before);
  parts.push_back(x);
  // The last output ends before the input does.
  if (weights.factor > 1 || weights.after >= weights.stride) {
    DimExpr last = axis.input - end;
    if (!weights.before) {
      DimVector none(b.dims(x).size(), DimExpr(0)), one = none;
      one[axis.dim] = end;
      x = b.pad(x, b.scalarConstant(element, 0), one, none);
      last = axis.input;
    }
    parts.append(ends(last, weights.after));
  }
  Value padded = b.concat(axis.dim, parts);
  DimExpr count = weights.factor > 1 ? axis.input : axis.output;
  SmallVector<Value> phases;
  for (const std::vector<double> &ofPhase : weights.ofPhase) {
    Value sum;
    for (auto [at, weight] : llvm::enumerate(ofPhase)) {
      if (weight == 0)
        continue;
      Value part = b.sliceDim(padded, axis.dim, end * DimExpr(int64_t(at)),
                              count, weights.stride);
      Value term =
          weight == 1
              ? part
              : b.binary<graph::MulOp>(part, b.scalarConstant(element, weight));
      sum = sum ? b.binary<graph::AddOp>(sum, term) : term;
    }
    phases.push_back(sum);
  }
  return interleaved(b, axis.dim, phases);
}

/// True for linear interpolation between aligned corners where the size grows
/// by a small integer.
static bool growsBetweenCorners(const ResizeStyle &style,
                                const ResizeAxis &axis) {
  constexpr double mostTimes = 8;
  return style.mode == ResizeMode::Linear && !style.excludeOutside &&
         style.coordinates == Coordinates::AlignCorners && axis.scale &&
         *axis.scale > 1 && *axis.scale <= mostTimes &&
         *axis.scale == std::floor(*axis.scale) &&
         axis.output == axis.input * DimExpr(int64_t(*axis.scale));
}

/// Output factor * i + phase lies less than 1 from i, on one side of it for the
/// first phase and the last: weights are vectors, but no position is data.
static Value weighBetweenCorners(ImportBuilder &b, Value x,
                                 const ResizeAxis &axis) {
  auto factor = int64_t(*axis.scale);
  Type f32 = b.builder.getF32Type(),
       element = getElementTypeOrSelf(x.getType());
  int64_t rank = b.dims(x).size();
  DimVector column = alongDim(rank, axis.dim, axis.input),
            border(rank, DimExpr(0));
  border[axis.dim] = DimExpr(1);
  // What lies beyond the ends has weight 0.
  Value padded = b.pad(x, b.scalarConstant(element, 0), border, border);
  ScalarValue number(b, b.iota(0, {axis.input}, f32)),
      size = floatSize(b, axis.input, f32),
      spacing = size * double(factor) - 1.0;
  SmallVector<Value> phases;
  for (int64_t phase = 0; phase < factor; ++phase) {
    ScalarValue distance =
        (number * double(1 - factor) + (size - 1.0) * double(phase)) / spacing;
    Value sum;
    auto add = [&](int64_t from, ScalarValue weight) {
      Value term = b.binary<graph::MulOp>(
          b.sliceDim(padded, axis.dim, DimExpr(from), axis.input),
          b.reshape(weight.to(element), column));
      sum = sum ? b.binary<graph::AddOp>(sum, term) : term;
    };
    if (phase + 1 < factor)
      add(0, (distance * -1.0).max(0.0));
    add(1, 1.0 - distance.abs());
    if (phase > 0)
      add(2, distance.max(0.0));
    phases.push_back(sum);
  }
  return interleaved(b, axis.dim, phases);
}

/// Outputs per input along the dimension.
static ScalarValue scaleOf(ImportBuilder &b, const ResizeAxis &axis) {
  Type f32 = b.builder.getF32Type();
  if (axis.scaleValue)
    return {b, axis.scaleValue};
  if (axis.scale)
    return {b, b.scalarConstant(f32, *axis.scale)};
  return floatSize(b, axis.output, f32) / floatSize(b, axis.input, f32);
}

/// Original positions of all outputs.
static ScalarValue positionsOf(ImportBuilder &b, const ResizeStyle &style,
                               const ResizeAxis &axis) {
  Type f32 = b.builder.getF32Type();
  ScalarValue x(b, b.iota(0, {axis.output}, f32)),
      input = floatSize(b, axis.input, f32),
      output = floatSize(b, axis.output, f32);
  ScalarValue scale = scaleOf(b, axis);
  Value single = output.compare(CompareDirection::le, 1.0);
  bool hasScale = axis.scale || axis.scaleValue;
  ScalarValue last = input - 1.0, length = hasScale ? scale * input : output,
              spacing = length - 1.0, zero = x.constant(0);
  switch (style.coordinates) {
  case Coordinates::HalfPixel:
    return (x + 0.5) / scale - 0.5;
  case Coordinates::HalfPixelSymmetric:
    return input / 2.0 * (1.0 - output / (scale * input)) + (x + 0.5) / scale -
           0.5;
  case Coordinates::HalfPixelPyTorch:
    return zero.where(single, (x + 0.5) / scale - 0.5);
  case Coordinates::HalfPixelNearest:
    return (x + 0.5) / scale;
  case Coordinates::AlignCorners:
    return zero.where(single, x * last / spacing);
  case Coordinates::Asymmetric:
    return x / scale;
  case Coordinates::CropAndResize:
    break;
  }
  auto bound = [&](Value open, double known) {
    return open ? ScalarValue(b, open) : input.constant(known);
  };
  ScalarValue start = bound(axis.cropStartValue, axis.cropStart),
              end = bound(axis.cropEndValue, axis.cropEnd);
  return ((start + end) * 0.5 * last)
      .where(single, start * last + x * (end - start) * last / spacing);
}

static ScalarValue nearestOf(NearestRule rule, ScalarValue position) {
  switch (rule) {
  case NearestRule::PreferFloor:
    return (position - 0.5).apply<graph::CeilOp>();
  case NearestRule::PreferCeil:
    return (position + 0.5).floor();
  case NearestRule::Floor:
    return position.floor();
  case NearestRule::Ceil:
    break;
  }
  return position.apply<graph::CeilOp>();
}

/// The run-time form of filterWeight in ResizePlan.
static ScalarValue weightOf(const ResizeStyle &style, ScalarValue distance) {
  ScalarValue d = distance.abs();
  double a = style.cubicCoefficient;
  if (style.mode == ResizeMode::Linear)
    return (1.0 - d).max(0.0);
  ScalarValue near = ((a + 2) * d - (a + 3)) * d * d + 1.0,
              far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
  return near.where(d.compare(CompareDirection::le, 1.0),
                    far.where(d.compare(CompareDirection::lt, 2.0), 0.0));
}

/// A product with a matrix of weights: where the size shrinks, an antialiasing
/// filter reads so many elements as the scale says. Elements before and after
/// the input are its first and last one.
static Value resizeByFilter(ImportBuilder &b, Value x, const ResizeStyle &style,
                            const ResizeAxis &axis) {
  Type f32 = b.builder.getF32Type(), i64 = b.builder.getI64Type();
  ScalarValue stretch = scaleOf(b, axis).min(1.0);
  double narrow = style.mode == ResizeMode::Linear ? 1 : 2;
  ScalarValue reach =
      (stretch.constant(narrow) / stretch).apply<graph::CeilOp>();
  DimExpr border = b.nameCount((reach + 2.0).max(0.0).to(i64)),
          wide = axis.input + border * DimExpr(2);
  ScalarValue at =
      ScalarValue(b, b.iota(0, {wide}, i64)) - ScalarValue(b, b.scalar(border));
  ScalarValue row(
      b, b.reshape(positionsOf(b, style, axis), {axis.output, DimExpr(1)})),
      column(b, b.reshape(at.to(f32), {DimExpr(1), wide}));
  ScalarValue weights = weightOf(style, (column - row) * stretch),
              last = floatSize(b, axis.input, f32) - 1.0;
  if (style.excludeOutside)
    weights = weights.where(
        b.binary<graph::AndOp>(column.compare(CompareDirection::ge, 0.0),
                               column.compare(CompareDirection::le, last)),
        0.0);
  ScalarValue sum(b, b.reduce(graph::ReduceKind::sum, weights, {1}, true));
  Type element = getElementTypeOrSelf(x.getType());
  Value matrix = (weights / sum).to(element);
  Value clamped =
      at.max(0.0).min(ScalarValue(b, b.scalar(axis.input - DimExpr(1))));
  Value elements = gatherAlong(b, x, axis.dim, clamped);
  DimVector result = b.dims(elements);
  int64_t rank = result.size();
  result.erase(result.begin() + axis.dim);
  result.push_back(axis.output);
  auto numbers =
      graph::DotDimsAttr::get(b.builder.getContext(), {}, {}, {axis.dim}, {1});
  Value resized = b.emit<graph::DotGeneralOp>(b.typeOf(result, element),
                                              elements, matrix, numbers);
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < rank; ++i)
    order.push_back(i < axis.dim ? i : i == axis.dim ? rank - 1 : i - 1);
  return b.transpose(resized, order);
}

Value zenith::onnx::resizeDynamic(NodeReading &n, Value x,
                                  const ResizeStyle &style,
                                  const ResizeAxis &axis) {
  ImportBuilder &b = n.b;
  if (onlyRepeats(style, axis))
    return repeatElements(b, x, axis.dim, int64_t(*axis.scale));
  if (style.antialias && style.mode != ResizeMode::Nearest &&
      !(axis.scale && *axis.scale >= 1))
    return resizeByFilter(b, x, style, axis);
  if (auto weights = phaseWeights(style, axis))
    return weighOpenPhases(b, x, axis, *weights);
  if (growsBetweenCorners(style, axis))
    return weighBetweenCorners(b, x, axis);
  int64_t rank = b.dims(x).size();
  DimVector column = alongDim(rank, axis.dim, axis.output);
  Type i64 = b.builder.getI64Type();
  ScalarValue position = positionsOf(b, style, axis),
              last = floatSize(b, axis.input, b.builder.getF32Type()) - 1.0;
  auto read = [&](ScalarValue at) {
    return gatherAlong(b, x, axis.dim, at.max(0.0).min(last).to(i64));
  };
  Value result;
  if (style.mode == ResizeMode::Nearest) {
    result = read(nearestOf(style.rule, position));
  } else {
    Type element = getElementTypeOrSelf(x.getType());
    int reach = style.mode == ResizeMode::Linear ? 1 : 2;
    ScalarValue base = position.floor(), sum = base.constant(0);
    SmallVector<ScalarValue> taps, weights;
    for (int tap = 1 - reach; tap <= reach; ++tap) {
      ScalarValue at = base + double(tap),
                  weight = weightOf(style, at - position);
      if (style.excludeOutside)
        weight = weight.where(
            b.binary<graph::AndOp>(at.compare(CompareDirection::ge, 0.0),
                                   at.compare(CompareDirection::le, last)),
            0.0);
      sum = sum + weight;
      taps.push_back(at);
      weights.push_back(weight);
    }
    for (auto [at, weight] : llvm::zip(taps, weights)) {
      Value share = (weight / sum).to(element),
            term = b.binary<graph::MulOp>(read(at), b.reshape(share, column));
      result = result ? b.binary<graph::AddOp>(result, term) : term;
    }
  }
  if (style.coordinates != Coordinates::CropAndResize)
    return result;
  Value isOutside =
      b.binary<graph::OrOp>(position.compare(CompareDirection::lt, 0.0),
                            position.compare(CompareDirection::gt, last));
  return b.select(b.reshape(isOutside, column),
                  b.scalarConstant(getElementTypeOrSelf(result.getType()),
                                   style.extrapolation),
                  result);
}
