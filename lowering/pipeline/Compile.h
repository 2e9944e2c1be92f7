// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler as a function: a GraphIR module in, a program that can run out.

#ifndef ZENITH_LOWERING_PIPELINE_COMPILE_H
#define ZENITH_LOWERING_PIPELINE_COMPILE_H

#include "ir/LLVMError.h"
#include "lowering/pipeline/CompileOptions.h"
#include "lowering/pipeline/Executable.h"
#include "lowering/pipeline/Remarks.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace zenith::pipeline {

/// Bounds the bit sets and lists of searches by what a run may take, if there
/// is a bound; `spills` says that files may take more.
void budgetSearches(CompileOptions &options, std::optional<int64_t> maxMemory,
                    bool spills);

/// What compilation took, in milliseconds.
struct CompileTimes {
  double phases = 0;                                     ///< GraphIR to kernels
  std::vector<std::pair<std::string, double>> eachPhase; ///< of these, in order
  double objects = 0; ///< kernels to machine code
  double link = 0;
  bool cached = false; ///< phases and objects come from the cache
};

/// Compiles and links `module`, which is spent; or finds the result of an equal
/// compilation in the cache of CompileOptions::cacheDir. Errors are LLVMErrors:
/// 1 options, 2 an invalid module, 3 something has no lowering (named), 4 an
/// internal error (with the path of a reproducer).
llvm::Expected<std::shared_ptr<Executable>>
compile(mlir::OwningOpRef<mlir::ModuleOp> module, const CompileOptions &options,
        CompileTimes *times = nullptr);

/// Takes `module` through its phases up to `phase`, with remarks and errors as
/// compile() has them. Up to "precision" it is a program that the interpreter
/// runs, on whatever target it is compiled for later.
llvm::Error lowerTo(llvm::StringRef phase, mlir::ModuleOp module,
                    const CompileOptions &options);

/// Compiles `module`, which is spent, into files: one text for GraphIR (the
/// module after CompileOptions::toPhase, by default the fuse phase), Kernels
/// and OpenCL (for "cpu" as for device 0); one file per LLVM module for LLVM,
/// Assembly and Object. The other forms are refused.
llvm::Expected<std::vector<cpu::EmittedFile>>
emit(mlir::OwningOpRef<mlir::ModuleOp> module, EmitForm form,
     const CompileOptions &options);

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PIPELINE_COMPILE_H
