// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resizing one dimension of a value.
#ifndef ZENITH_FRONTENDS_ONNX_LAYERS_RESIZEREADING_H
#define ZENITH_FRONTENDS_ONNX_LAYERS_RESIZEREADING_H

#include "frontends/onnx/import/NodeReading.h"
#include "frontends/onnx/import/ScalarValue.h"
#include "frontends/onnx/layers/ResizePlan.h"

namespace zenith::onnx {

/// A dimension that changes; `scale` is unknown where a size is. What only the
/// run knows is an f32 scalar.
struct ResizeAxis {
  int64_t dim = 0;
  DimExpr input, output;
  std::optional<double> scale;
  double cropStart = 0, cropEnd = 1;
  Value scaleValue, cropStartValue, cropEndValue; // null: as above

  bool isOpen() const { return scaleValue || cropStartValue; }
};

/// Each element `times` times.
Value repeatElements(ImportBuilder &b, Value x, int64_t dim, int64_t times);
/// Resizes a dimension whose sizes or scale are known at run time only.
Value resizeDynamic(NodeReading &n, Value x, const ResizeStyle &style,
                    const ResizeAxis &axis);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_LAYERS_RESIZEREADING_H
