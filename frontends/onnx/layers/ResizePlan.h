// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sources of a resized dimension: which elements of the original dimension
// an output reads, with which weights.
#ifndef ZENITH_FRONTENDS_ONNX_LAYERS_RESIZEPLAN_H
#define ZENITH_FRONTENDS_ONNX_LAYERS_RESIZEPLAN_H

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace zenith::onnx {

enum class ResizeMode { Nearest, Linear, Cubic };
enum class NearestRule { PreferFloor, PreferCeil, Floor, Ceil };
enum class Coordinates {
  HalfPixel,
  HalfPixelSymmetric,
  HalfPixelPyTorch,
  HalfPixelNearest, // of tf_half_pixel_for_nn
  AlignCorners,
  Asymmetric,
  CropAndResize
};

struct ResizeStyle {
  ResizeMode mode = ResizeMode::Nearest;
  NearestRule rule = NearestRule::PreferFloor;
  Coordinates coordinates = Coordinates::HalfPixel;
  double cubicCoefficient = -0.75;
  bool excludeOutside = false, antialias = false;
  double extrapolation = 0;
};

/// Original position of output x: (x + shift) * numerator / denominator +
/// offset.
struct PositionForm {
  double shift = 0, numerator = 1, denominator = 1, offset = 0;
  double at(double x) const {
    return (x + shift) * numerator / denominator + offset;
  }
};

struct ResizedAxis {
  int64_t input = 1, output = 1;
  double scale = 1;
  double cropStart = 0, cropEnd = 1;
};

PositionForm positionForm(const ResizeStyle &style, const ResizedAxis &axis);
double nearestElement(NearestRule rule, double position);
/// Weight of an element at a distance from the position.
double filterWeight(const ResizeStyle &style, double distance);

/// The sources of one output: elements inside the input, each once, with
/// weights.
using ResizeTaps = std::vector<std::pair<int64_t, double>>;

struct AxisTaps {
  std::vector<ResizeTaps> outputs;
  std::vector<bool> outside; // the output is the extrapolation value
};

AxisTaps axisTaps(const ResizeStyle &style, const ResizedAxis &axis);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_LAYERS_RESIZEPLAN_H
