// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host programs to LLVM functions of type zenith_entry_fn.

#ifndef ZENITH_LOWERING_PROGRAM_LOWERHOSTPROGRAM_H
#define ZENITH_LOWERING_PROGRAM_LOWERHOSTPROGRAM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm
namespace zenith::target {
struct CPUTarget;
}

namespace zenith::pipeline {

/// Names of the kernels in the order of `module @kernels`, those that only run
/// on the host last: the program's kernel table, whose positions profiles and
/// devices see.
std::vector<std::string> kernelNames(mlir::ModuleOp module);

/// By position of the graph.param: whether an entry other than @prepare reads
/// it.
std::vector<bool> parametersOfEntries(mlir::ModuleOp module);

/// The kernels that a device can run, or those that only the host can.
mlir::OwningOpRef<mlir::ModuleOp> kernelsFor(mlir::ModuleOp kernels,
                                             bool hostOnly);

/// Lowers every host.program of `module` into an LLVM module that calls the
/// kernels' task functions and the runtime; for a module whose target is
/// OpenCL, through the run's device. Only reads `module`, so several threads
/// may do so at once. Fails where an entry's dimensions are not determined by
/// its arguments.
llvm::Expected<std::unique_ptr<llvm::Module>>
lowerHostPrograms(mlir::ModuleOp module, const target::CPUTarget &target,
                  llvm::LLVMContext &context);

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PROGRAM_LOWERHOSTPROGRAM_H
