// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matmuls and convolutions that several import rules are made of.
#ifndef ZENITH_FRONTENDS_ONNX_LAYERS_CONTRACTIONREADING_H
#define ZENITH_FRONTENDS_ONNX_LAYERS_CONTRACTIONREADING_H

#include "frontends/onnx/import/NodeReading.h"

namespace zenith::onnx {

/// A dot_general that batches over the first `batch` dimensions and contracts
/// one dimension of each side.
Value dot(ImportBuilder &b, Value lhs, Value rhs, int64_t batch,
          int64_t lhsContracting, int64_t rhsContracting);
/// Matmul with broadcast batches, as in NumPy; operands have rank 1 or more.
Value matmul(ImportBuilder &b, Value lhs, Value rhs);
/// Convolution of a padded input with a kernel of [outputs, inputs / groups,
/// spatial...] whose sizes are known at run time only: a product with the
/// elements that each tap reads.
Value convolveByGather(ImportBuilder &b, Value input, Value kernel,
                       llvm::ArrayRef<int64_t> strides,
                       llvm::ArrayRef<int64_t> dilations, int64_t groups);
/// Convolution of operands with features in dimension 1, by the node's
/// attributes; the node's error if the attributes do not fit.
Value convolve(NodeReading &n, Value input, Value kernel);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_LAYERS_CONTRACTIONREADING_H
