// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module of kernels to object files, on several threads, with the same bytes
// for any number of them.

#ifndef ZENITH_LOWERING_CPU_COMPILEKERNELS_H
#define ZENITH_LOWERING_CPU_COMPILEKERNELS_H

#include "lowering/cpu/EmitObject.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
}
namespace mlir {
class ModuleOp;
}

namespace zenith::cpu {

/// One emitted file: an object, or text where EmitKind says so.
struct EmittedFile {
  std::string name; ///< "kernels0", "host"
  std::string bytes;
};

/// Builds an LLVM module that goes with the kernels (the host's entry
/// functions).
using ModuleBuilder =
    std::function<llvm::Expected<std::unique_ptr<llvm::Module>>(
        llvm::LLVMContext &)>;

struct KernelCompileOptions {
  unsigned threads = 0; ///< 0 = as many as cores; the bytes don't depend on it
  EmitKind emit = EmitKind::Object;
  ModuleBuilder extraModule; ///< emitted first, as "host"; may be empty
  /// Asked before each module, from any thread: true gives up. May be empty.
  std::function<bool()> stopped;
};

/// Divides the functions of `kernels` in order among modules of about 16, each
/// with contexts of its own, and compiles them. A public function is a kernel
/// and gets a task function (translateKernels); private functions are called by
/// kernels and are compiled once. `kernels` is not changed. Errors carry the
/// diagnostics met.
llvm::Expected<std::vector<EmittedFile>>
compileKernels(mlir::ModuleOp kernels, const target::CPUTarget &target,
               const KernelCompileOptions &options = {});

/// Cores that this process may use.
unsigned defaultCompileThreads();

/// Calls body(0) .. body(count - 1) on up to `threads` threads.
void parallelJobs(unsigned count, unsigned threads,
                  llvm::function_ref<void(unsigned)> body);

} // namespace zenith::cpu

#endif // ZENITH_LOWERING_CPU_COMPILEKERNELS_H
