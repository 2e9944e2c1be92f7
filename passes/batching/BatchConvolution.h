// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the batched form of a convolution.

#ifndef ZENITH_PASSES_BATCHING_BATCHCONVOLUTION_H
#define ZENITH_PASSES_BATCHING_BATCHCONVOLUTION_H

#include "passes/batching/Batcher.h"

namespace zenith::batching {

/// Rows of the input join its batches; rows of the kernel its output features;
/// rows of both are groups, or batches of a product where only the run knows
/// how many there are, because `groups` is a number.
llvm::LogicalResult batchConvolution(graph::ConvolutionOp op, Batcher &batcher);

} // namespace zenith::batching

#endif // ZENITH_PASSES_BATCHING_BATCHCONVOLUTION_H
