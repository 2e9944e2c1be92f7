// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that kernels of a module share, and memory as their arguments.

#ifndef ZENITH_LOWERING_BUILDER_SHAREDFUNCTION_H
#define ZENITH_LOWERING_BUILDER_SHAREDFUNCTION_H

#include "lowering/builder/KernelBuilder.h"

namespace zenith::kernels {

/// Calls the function `name` of the kernels' module, passing memory as memory
/// of unknown size. The first call creates it: `write` builds its body.
void callShared(
    KernelBuilder &kernel, const std::string &name,
    llvm::ArrayRef<mlir::Value> operands,
    llvm::function_ref<void(mlir::OpBuilder &, mlir::Block &)> write);

/// A memref of known size seen as memory of unknown size, as kernel arguments
/// are.
mlir::Value asMemory(mlir::OpBuilder &b, mlir::Location loc,
                     mlir::Value buffer);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_BUILDER_SHAREDFUNCTION_H
