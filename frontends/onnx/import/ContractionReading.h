// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products that several import rules are made of.
#ifndef ZENITH_FRONTENDS_ONNX_IMPORT_CONTRACTIONREADING_H
#define ZENITH_FRONTENDS_ONNX_IMPORT_CONTRACTIONREADING_H

#include "frontends/onnx/import/NodeReading.h"

namespace zenith::onnx {

/// A product that batches over the first `batch` dimensions and contracts one
/// dimension of each side.
Value dot(ImportBuilder &b, Value lhs, Value rhs, int64_t batch,
          int64_t lhsContracting, int64_t rhsContracting);
/// Matrix product with broadcast batches, as NumPy; operands of rank 1 or more.
Value matmul(ImportBuilder &b, Value lhs, Value rhs);
/// Convolution of operands with features in dimension 1, by the node's
/// attributes; the node's error where they do not fit.
Value convolve(NodeReading &n, Value input, Value kernel);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_IMPORT_CONTRACTIONREADING_H
