// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads of an image at positions between its elements, which sampling, regions
// of interest and deformable convolutions are made of.
#ifndef ZENITH_FRONTENDS_ONNX_IMPORT_SAMPLEREADING_H
#define ZENITH_FRONTENDS_ONNX_IMPORT_SAMPLEREADING_H

#include "frontends/onnx/import/ScalarValue.h"

namespace zenith::onnx {

/// One element that a point reads along one dimension, for all points.
struct SampleTap {
  Value index;  // an integer; brought inside where it is not
  Value weight; // null: 1
  Value inside; // the element counts as 0 where this is false; null: it is
};

/// [batch, features, size...] read at `points` of shape [batch, points...]:
/// one list of taps per dimension of `size`, whose products are summed. The
/// result is [batch, features, points...] in the weights' type; `element` where
/// there are no weights. With `images` point row i reads image images[i].
Value sampleSum(ImportBuilder &b, Value image,
                llvm::ArrayRef<llvm::SmallVector<SampleTap>> taps,
                Value images = {});
/// Both neighbours of a position along a dimension of `size`, those outside
/// counting as zeros; their numbers are of type `index`.
llvm::SmallVector<SampleTap> linearTaps(ImportBuilder &b, ScalarValue position,
                                        const DimExpr &size, mlir::Type index);
/// Type of the numbers of elements along dimensions of these sizes: i32 where
/// they are sure to fit, since twice as many share a vector, else i64.
mlir::Type indexType(ImportBuilder &b, llvm::ArrayRef<DimExpr> sizes);
/// f64 for f64, else f32.
mlir::Type wideFloat(ImportBuilder &b, mlir::Type element);
/// A size as a scalar of a float type.
ScalarValue floatSize(ImportBuilder &b, const DimExpr &size, mlir::Type type);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_IMPORT_SAMPLEREADING_H
