// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that kernels of a module share.

#ifndef ZENITH_LOWERING_BUILDER_SHAREDFUNCTION_H
#define ZENITH_LOWERING_BUILDER_SHAREDFUNCTION_H

#include "lowering/builder/KernelBuilder.h"

namespace zenith::kernels {

/// Calls the function of that name in the kernels' module, memory as memory of
/// unknown size; the first call has `write` give its body.
void callShared(
    KernelBuilder &kernel, const std::string &name,
    llvm::ArrayRef<mlir::Value> operands,
    llvm::function_ref<void(mlir::OpBuilder &, mlir::Block &)> write);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_BUILDER_SHAREDFUNCTION_H
