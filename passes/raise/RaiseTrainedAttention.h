// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises attention in training steps.

#ifndef ZENITH_PASSES_RAISE_RAISETRAINEDATTENTION_H
#define ZENITH_PASSES_RAISE_RAISETRAINEDATTENTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace zenith::raise {

/// Raises attention whose weights the gradients read again.
void raiseTrainedAttention(mlir::func::FuncOp function);

} // namespace zenith::raise

#endif // ZENITH_PASSES_RAISE_RAISETRAINEDATTENTION_H
