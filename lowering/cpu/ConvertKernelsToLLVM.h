// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last conversion: kernels as loops over memrefs and vectors become LLVM
// functions on bare pointers.

#ifndef ZENITH_LOWERING_CPU_CONVERTKERNELSTOLLVM_H
#define ZENITH_LOWERING_CPU_CONVERTKERNELSTOLLVM_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/LogicalResult.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm
namespace mlir {
class ModuleOp;
}

namespace zenith::target {
struct CPUTarget;
}

namespace zenith::cpu {

/// Dialects that a kernel may consist of, with their translations to LLVM IR.
void registerKernelDialects(mlir::DialectRegistry &registry);

/// Converts the func.funcs of `kernels` to the LLVM dialect, in place. Errors
/// are diagnostics.
llvm::LogicalResult convertKernelsToLLVM(mlir::ModuleOp kernels);

/// Translates converted kernels to LLVM IR for `target` and gives each public
/// kernel NAME its task function `void NAME__task(ptr pointers, ptr sizes, i64
/// begin, i64 end)`, which unpacks the arrays: memref arguments come from
/// `pointers`, index arguments but the last two from `sizes`, in order.
llvm::Expected<std::unique_ptr<llvm::Module>>
translateKernels(mlir::ModuleOp kernels, const target::CPUTarget &target,
                 llvm::LLVMContext &context, llvm::StringRef name);

} // namespace zenith::cpu

#endif // ZENITH_LOWERING_CPU_CONVERTKERNELSTOLLVM_H
