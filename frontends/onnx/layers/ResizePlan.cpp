// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Positions, filters and borders of resized dimensions.
#include "frontends/onnx/layers/ResizePlan.h"

#include <algorithm>
#include <cmath>

using namespace zenith;
using namespace zenith::onnx;

PositionForm zenith::onnx::positionForm(const ResizeStyle &style,
                                        const ResizedAxis &axis) {
  // The resized length by the scale, before rounding.
  double length = axis.scale * double(axis.input);
  double last = double(axis.input) - 1, lastOutput = length - 1;
  switch (style.coordinates) {
  case Coordinates::HalfPixel:
    return {0.5, 1, axis.scale, -0.5};
  case Coordinates::HalfPixelSymmetric: {
    double adjustment = double(axis.output) / length;
    double offset = double(axis.input) / 2 * (1 - adjustment);
    return {0.5, 1, axis.scale, offset - 0.5};
  }
  case Coordinates::HalfPixelPyTorch:
    if (axis.output <= 1)
      return {0, 0, 1, 0};
    return {0.5, 1, axis.scale, -0.5};
  case Coordinates::HalfPixelNearest:
    return {0.5, 1, axis.scale, 0};
  case Coordinates::AlignCorners:
    if (axis.output <= 1 || lastOutput <= 0)
      return {0, 0, 1, 0};
    return {0, last, lastOutput, 0};
  case Coordinates::Asymmetric:
    return {0, 1, axis.scale, 0};
  case Coordinates::CropAndResize:
    if (axis.output <= 1 || lastOutput <= 0)
      return {0, 0, 1, 0.5 * (axis.cropStart + axis.cropEnd) * last};
    return {0, (axis.cropEnd - axis.cropStart) * last, lastOutput,
            axis.cropStart * last};
  }
  return {};
}

double zenith::onnx::nearestElement(NearestRule rule, double position) {
  switch (rule) {
  case NearestRule::PreferFloor:
    return std::ceil(position - 0.5);
  case NearestRule::PreferCeil:
    return std::floor(position + 0.5);
  case NearestRule::Floor:
    return std::floor(position);
  case NearestRule::Ceil:
    return std::ceil(position);
  }
  return position;
}

double zenith::onnx::filterWeight(const ResizeStyle &style, double distance) {
  double d = std::abs(distance), a = style.cubicCoefficient;
  if (style.mode == ResizeMode::Linear)
    return std::max(0.0, 1 - d);
  if (d <= 1)
    return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

static void addTap(ResizeTaps &taps, int64_t index, double weight) {
  for (auto &[known, sum] : taps)
    if (known == index) {
      sum += weight;
      return;
    }
  taps.emplace_back(index, weight);
}

static ResizeTaps tapsAt(const ResizeStyle &style, const ResizedAxis &axis,
                         double position) {
  int64_t last = axis.input - 1;
  auto inside = [&](double index) {
    return int64_t(std::clamp(index, 0.0, double(last)));
  };
  if (style.mode == ResizeMode::Nearest)
    return {{inside(nearestElement(style.rule, position)), 1.0}};
  // Downscaling stretches the filter so that every element counts.
  double stretch = style.antialias ? std::min(axis.scale, 1.0) : 1.0;
  double reach = (style.mode == ResizeMode::Linear ? 1.0 : 2.0) / stretch;
  double first = std::floor(position) - std::floor(reach) - 1,
         end = std::floor(position) + std::floor(reach) + 2, sum = 0;
  ResizeTaps taps;
  for (double index = first; index <= end; ++index) {
    double weight = filterWeight(style, (index - position) * stretch);
    bool isOutside = index < 0 || index > double(last);
    if (weight == 0 || (isOutside && style.excludeOutside))
      continue;
    sum += weight;
    addTap(taps, inside(index), weight);
  }
  if (taps.empty()) // all of the filter lies outside
    return {{inside(std::floor(position)), 1.0}};
  for (auto &tap : taps)
    tap.second /= sum;
  std::sort(taps.begin(), taps.end());
  return taps;
}

AxisTaps zenith::onnx::axisTaps(const ResizeStyle &style,
                                const ResizedAxis &axis) {
  PositionForm form = positionForm(style, axis);
  AxisTaps result;
  for (int64_t x = 0; x < axis.output; ++x) {
    double position = form.at(double(x));
    result.outside.push_back(
        style.coordinates == Coordinates::CropAndResize &&
        (position < 0 || position > double(axis.input - 1)));
    result.outputs.push_back(tapsAt(style, axis, position));
  }
  return result;
}
