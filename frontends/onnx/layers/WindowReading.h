// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes that convolutions and pooling share: strides, dilations, and
// padding in its four spellings.
#ifndef ZENITH_FRONTENDS_ONNX_LAYERS_WINDOWREADING_H
#define ZENITH_FRONTENDS_ONNX_LAYERS_WINDOWREADING_H

#include "frontends/onnx/import/NodeReading.h"

namespace zenith::onnx {

/// One entry per spatial dimension. Padding that depends on the size of the
/// input is not in `low` and `high` but added to the input before.
struct Window {
  llvm::SmallVector<int64_t> strides, dilations, low, high;
  DimVector size, addedLow, addedHigh, outputDims;

  /// The positions that a window of size `size` spans.
  DimExpr reach(size_t i) const {
    return (size[i] - DimExpr(1)) * DimExpr(dilations[i]) + DimExpr(1);
  }
  /// All padding before the first element.
  DimExpr lowPadding(size_t i) const { return addedLow[i] + DimExpr(low[i]); }
  bool addsPadding() const;
};

/// A window attribute with one positive entry per spatial dimension, 1 if the
/// node has none.
llvm::SmallVector<int64_t> positiveAttribute(NodeReading &n, const char *name,
                                             size_t count);

/// Sizes of the spatial dimensions of a kernel of [outputs, inputs,
/// spatial...]: those that the node's kernel_shape gives where the kernel's are
/// open.
DimVector kernelSize(NodeReading &n, const DimVector &kernel);

/// Reads the attributes of a window of `size` over `spatialDims`; with
/// `ceil_mode` the last window may begin in the input and end after the
/// padding, which then grows. Attributes that do not fit give an error of the
/// node.
Window readWindow(NodeReading &n, llvm::ArrayRef<DimExpr> size,
                  llvm::ArrayRef<DimExpr> spatialDims);
/// The input of [batch, features, spatial...] with the padding that the window
/// adds to it; `fill` is a scalar.
Value withAddedPadding(ImportBuilder &b, Value input, Value fill,
                       const Window &window);
/// A value below every element.
Value lowestValue(ImportBuilder &b, mlir::Type element);
/// Constant sizes of a window.
llvm::SmallVector<int64_t> constantSize(const Window &window);

/// The window that a pooling node moves over its input; the node's error if
/// there is none.
std::optional<Window> poolingWindow(NodeReading &n);
/// Reduces windows over the spatial dimensions of [batch, features,
/// spatial...].
Value reduceWindow(NodeReading &n, graph::ReduceKind kind, Value value,
                   const Window &window);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_LAYERS_WINDOWREADING_H
