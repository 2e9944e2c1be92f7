// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes that convolutions and pooling share: strides, dilations, and
// padding in its four spellings.
#ifndef ZENITH_FRONTENDS_ONNX_WINDOWIMPORT_H
#define ZENITH_FRONTENDS_ONNX_WINDOWIMPORT_H

#include "frontends/onnx/NodeImport.h"

namespace zenith::onnx {

/// One entry per spatial dimension.
struct Window {
  llvm::SmallVector<int64_t> size, strides, dilations, low, high;
  DimVector outputDims;
};

/// Reads the attributes of a window of `size` over `spatialDims`; with
/// `ceil_mode` the last window may begin in the input and end behind the
/// padding, which then grows. Sticks an error in the node where something does
/// not fit.
Window readWindow(NodeImport &n, llvm::ArrayRef<int64_t> size,
                  llvm::ArrayRef<DimExpr> spatialDims);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_WINDOWIMPORT_H
