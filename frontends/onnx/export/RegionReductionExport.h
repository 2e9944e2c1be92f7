// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions that ONNX has no operator for: windows as dimensions of their own,
// and steps of a Scan.
#ifndef ZENITH_FRONTENDS_ONNX_EXPORT_REGIONREDUCTIONEXPORT_H
#define ZENITH_FRONTENDS_ONNX_EXPORT_REGIONREDUCTIONEXPORT_H

#include "frontends/onnx/export/ExportBuilder.h"

namespace zenith::onnx {

/// The attributes of reduce_window and reduce_window_with.
struct Windows {
  mlir::RankedTensorType result; ///< one element per window
  llvm::ArrayRef<int64_t> window, strides, low, high, baseDilation, dilation;
};

template <typename WindowOp> Windows windowsOf(WindowOp op, mlir::Type result) {
  return {mlir::cast<mlir::RankedTensorType>(result),
          op.getWindow(),
          op.getStrides(),
          op.getLow(),
          op.getHigh(),
          op.getBaseDilation(),
          op.getDilation()};
}

/// The dimensions over which windows move, and the window dimensions of the
/// value that `sideBySide` gives.
llvm::SmallVector<int64_t> windowedDims(const Windows &windows);
llvm::SmallVector<int64_t> sideBySideDims(const Windows &windows);

/// The elements of each window in a dimension of their own, after the windows'
/// dimension, for each windowed dimension. `padding` is a scalar. Fails if the
/// shape is dynamic or the result has more than 2^24 elements.
std::string sideBySide(ExportBuilder &b, const Windows &windows, Value operand,
                       const std::string &padding);

/// Reduces values along their first dimension from `start`, which has the shape
/// `types` as the results; `step` gives the next state from (so far, next).
ExportBuilder::Names reduceSteps(
    ExportBuilder &b, mlir::TypeRange types, ExportBuilder::Names start,
    ExportBuilder::Names values,
    llvm::function_ref<ExportBuilder::Names(llvm::ArrayRef<std::string> soFar,
                                            llvm::ArrayRef<std::string> next)>
        step);

/// Moves `dims` of a value of these sizes to the front and merges them.
std::string reducedDimsFirst(ExportBuilder &b, const std::string &value,
                             llvm::ArrayRef<Size> sizes,
                             llvm::ArrayRef<int64_t> dims);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_EXPORT_REGIONREDUCTIONEXPORT_H
