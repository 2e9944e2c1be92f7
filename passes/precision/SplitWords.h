// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 64-bit integers as pairs of words.

#ifndef ZENITH_PASSES_PRECISION_SPLITWORDS_H
#define ZENITH_PASSES_PRECISION_SPLITWORDS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace zenith::precision {

/// Computes integers of the types that `lacks` names (of i64 and ui64) on pairs
/// of ui32. Scalars of the host stay. Fails, with a diagnostic, at an op that
/// has no rule.
mlir::LogicalResult splitWords(mlir::func::FuncOp function,
                               llvm::function_ref<bool(mlir::Type)> lacks);

} // namespace zenith::precision

#endif // ZENITH_PASSES_PRECISION_SPLITWORDS_H
