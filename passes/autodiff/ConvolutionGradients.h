// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cotangents of a convolution's operands.

#ifndef ZENITH_PASSES_AUTODIFF_CONVOLUTIONGRADIENTS_H
#define ZENITH_PASSES_AUTODIFF_CONVOLUTIONGRADIENTS_H

#include "passes/autodiff/GradientRule.h"

namespace zenith::autodiff {

/// Refused where the size of the window is known at run time only, and where a
/// large window reads an input of unknown size.
GradientAnswer convolutionAnswer(graph::ConvolutionOp op);
/// The convolution of the cotangent with the kernel turned round.
mlir::Value inputCotangent(graph::ConvolutionOp op, RuleBuilder &rule,
                           mlir::Value cotangent);
/// The convolution of the input with the cotangent, over the batch.
mlir::Value kernelCotangent(graph::ConvolutionOp op, RuleBuilder &rule,
                            mlir::Value cotangent);

} // namespace zenith::autodiff

#endif // ZENITH_PASSES_AUTODIFF_CONVOLUTIONGRADIENTS_H
