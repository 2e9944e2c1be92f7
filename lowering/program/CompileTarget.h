// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target of a module, as its `host.target` attribute says.

#ifndef ZENITH_LOWERING_PROGRAM_COMPILETARGET_H
#define ZENITH_LOWERING_PROGRAM_COMPILETARGET_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace mlir {
class ModuleOp;
}
namespace zenith::kernels {
struct KernelTarget;
}

namespace zenith::pipeline {

/// True for "opencl" and "opencl:N".
bool isOpenCLTarget(llvm::StringRef target);

/// What kernels for `target` ("cpu", "cpu:NAME", "opencl", "opencl:N") are
/// shaped for.
llvm::Expected<kernels::KernelTarget> kernelTargetOf(llvm::StringRef target);

/// The module's target text; "cpu" where it has none.
llvm::StringRef targetOf(mlir::ModuleOp module);

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PROGRAM_COMPILETARGET_H
