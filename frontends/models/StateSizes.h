// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ops require of sizes, for programs that are interpreted.

#ifndef ZENITH_FRONTENDS_MODELS_STATESIZES_H
#define ZENITH_FRONTENDS_MODELS_STATESIZES_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace zenith::models {

/// Writes conditions on sizes as assertions, in the words that compiled
/// programs use: all targets refuse a contradiction alike.
llvm::Error stateSizes(mlir::ModuleOp module);

} // namespace zenith::models

#endif // ZENITH_FRONTENDS_MODELS_STATESIZES_H
