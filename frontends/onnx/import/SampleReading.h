// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interpolating reads of a feature map at fractional positions, which sampling,
// regions of interest and deformable convolutions are made of.
#ifndef ZENITH_FRONTENDS_ONNX_IMPORT_SAMPLEREADING_H
#define ZENITH_FRONTENDS_ONNX_IMPORT_SAMPLEREADING_H

#include "frontends/onnx/import/ScalarValue.h"

namespace zenith::onnx {

/// One element that a point reads along one dimension, for all points.
struct SampleTap {
  Value index;  // an integer; clamped to the dimension
  Value weight; // null: 1
  Value inside; // null: true; false: the element counts as 0
};

/// [batch, features, size...] read at `points` of shape [batch, points...]: one
/// list of taps per dimension of `size`, whose products are summed. The result
/// is [batch, features, points...] in the weights' type, or in `element` if
/// there are no weights. With `batchIndices`, row i of the points reads batch
/// entry batchIndices[i].
Value sampleSum(ImportBuilder &b, Value featureMap,
                llvm::ArrayRef<llvm::SmallVector<SampleTap>> taps,
                Value batchIndices = {});
/// Both neighbours of a position along a dimension of `size`; neighbours
/// outside count as zeros. Their indices have type `index`.
llvm::SmallVector<SampleTap> linearTaps(ImportBuilder &b, ScalarValue position,
                                        const DimExpr &size, mlir::Type index);
/// Type of the indices of elements along dimensions of these sizes: i32 if it
/// is sure to represent them, since a vector then holds twice as many, else
/// i64.
mlir::Type indexType(ImportBuilder &b, llvm::ArrayRef<DimExpr> sizes);
/// f64 for f64, else f32.
mlir::Type wideFloat(ImportBuilder &b, mlir::Type element);
/// A size as a scalar of a float type.
ScalarValue floatSize(ImportBuilder &b, const DimExpr &size, mlir::Type type);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_IMPORT_SAMPLEREADING_H
