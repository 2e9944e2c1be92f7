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
    for (int tap = 1 - reach; tap <= reach; ++tap) {
      ScalarValue at = base + double(tap),
                  weight = weightOf(style, at - position);
      if (style.excludeOutside)
        weight = weight.where(
            b.binary<graph::AndOp>(at.compare(CompareDirection::ge, 0.0),
                                   at.compare(CompareDirection::le, last)),
            0.0);
      sum = sum + weight;
      Value term = b.binary<graph::MulOp>(
          read(at), b.reshape(weight.to(element), column));
      result = result ? b.binary<graph::AddOp>(result, term) : term;
    }
    result = b.binary<graph::DivOp>(result, b.reshape(sum.to(element), column));
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
