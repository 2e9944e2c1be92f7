// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes that convolutions and pooling share: strides, dilations, and
// padding in its four spellings.
#ifndef ZENITH_FRONTENDS_ONNX_LAYERS_WINDOWREADING_H
#define ZENITH_FRONTENDS_ONNX_LAYERS_WINDOWREADING_H

#include "frontends/onnx/import/NodeReading.h"

namespace zenith::onnx {

/// One entry per spatial dimension.
struct Window {
  llvm::SmallVector<int64_t> size, strides, dilations, low, high;
  DimVector outputDims;
};

/// A window attribute with one positive entry per spatial dimension, 1 if the
/// node has none.
llvm::SmallVector<int64_t> positiveAttribute(NodeReading &n, const char *name,
                                             size_t count);

/// Reads the attributes of a window of `size` over `spatialDims`; with
/// `ceil_mode` the last window may begin in the input and end after the
/// padding, which then grows. Attributes that do not fit give an error of the
/// node.
Window readWindow(NodeReading &n, llvm::ArrayRef<int64_t> size,
                  llvm::ArrayRef<DimExpr> spatialDims);

/// The window that a pooling node moves over its input; the node's error if
/// there is none.
std::optional<Window> poolingWindow(NodeReading &n);
/// Reduces windows over the spatial dimensions of [batch, features,
/// spatial...].
Value reduceWindow(NodeReading &n, graph::ReduceKind kind, Value value,
                   const Window &window);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_LAYERS_WINDOWREADING_H
