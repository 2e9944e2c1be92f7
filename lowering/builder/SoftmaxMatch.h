// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exponentials and divisions of a softmax, whose short forms are exact
// enough because arguments are never positive and sums never below 1.

#ifndef ZENITH_LOWERING_BUILDER_SOFTMAXMATCH_H
#define ZENITH_LOWERING_BUILDER_SOFTMAXMATCH_H

#include "mlir/IR/Operation.h"

namespace zenith::kernels {

/// exp(x - max(x)): the exponentials of a softmax, whose arguments are never
/// positive.
bool isShiftedExp(mlir::Operation *op);
/// An exponential inside a softmax, where its short form is accurate enough.
bool isFastExp(mlir::Operation *op);
/// Such an exponential divided by the sum over it: a softmax, whose divisor is
/// never less than 1.
bool isShareOfSum(mlir::Operation *op);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_BUILDER_SOFTMAXMATCH_H
