// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds that ONNX has no operator for: windows side by side, and steps of a
// Scan.
#ifndef ZENITH_FRONTENDS_ONNX_EXPORT_REDUCTIONEXPORT_H
#define ZENITH_FRONTENDS_ONNX_EXPORT_REDUCTIONEXPORT_H

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

/// The dimensions over which windows move, and those that a value has of them
/// after `sideBySide`.
llvm::SmallVector<int64_t> windowedDims(const Windows &windows);
llvm::SmallVector<int64_t> sideBySideDims(const Windows &windows);

/// The elements of each window in a dimension of their own, behind that of the
/// windows, for each windowed dimension. `padding` is a scalar. Fails where
/// the shape is dynamic or more than 2^24 elements come out.
std::string sideBySide(ExportBuilder &b, const Windows &windows, Value operand,
                       const std::string &padding);

/// Folds values along their first dimension from `start`, which has the shape
/// `types` as the results; `step` gives what follows from (so far, next).
ExportBuilder::Names foldSteps(
    ExportBuilder &b, mlir::TypeRange types, ExportBuilder::Names start,
    ExportBuilder::Names values,
    llvm::function_ref<ExportBuilder::Names(llvm::ArrayRef<std::string> soFar,
                                            llvm::ArrayRef<std::string> next)>
        step);

/// Brings `dims` of a value of these sizes to the front and makes them one.
std::string foldedFirst(ExportBuilder &b, const std::string &value,
                        llvm::ArrayRef<Size> sizes,
                        llvm::ArrayRef<int64_t> dims);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_EXPORT_REDUCTIONEXPORT_H
