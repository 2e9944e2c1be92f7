// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler as a function: a GraphIR module in, a program that can run out.

#ifndef ZENITH_LOWERING_PIPELINE_COMPILE_H
#define ZENITH_LOWERING_PIPELINE_COMPILE_H

#include "lowering/pipeline/CompileError.h"
#include "lowering/pipeline/Executable.h"
#include "lowering/pipeline/Remarks.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace zenith::pipeline {

struct CompileOptions {
  std::string target = "cpu"; ///< "cpu", "cpu:NAME", "opencl", "opencl:N"
  unsigned compileThreads =
      0; ///< 0 = as many as cores; the result doesn't depend on it
  std::string fromPhase; ///< first phase to run; empty = all
  std::string toPhase;   ///< only for emit(): last phase of text
  std::string dumpDir;   ///< gets the IR after each phase
  bool explain = false;  ///< remarks about decisions
  std::function<void(const Remark &)> remark; ///< gets the remarks
};

/// What compilation took, in milliseconds.
struct CompileTimes {
  double phases = 0;  ///< GraphIR to kernels
  double objects = 0; ///< kernels to machine code
  double link = 0;
};

/// Compiles and links `module`, which is spent. Errors are CompileErrors: 1
/// options, 2 an invalid module, 3 something has no lowering (named), 4 an
/// internal error (with the path of a reproducer).
llvm::Expected<std::shared_ptr<Executable>>
compile(mlir::OwningOpRef<mlir::ModuleOp> module, const CompileOptions &options,
        CompileTimes *times = nullptr);

/// The forms that zenith-compile writes.
enum class EmitForm { GraphIR, Kernels, LLVM, Assembly, Object, OpenCL };

/// Compiles `module`, which is spent, into files: one text for GraphIR (the
/// module after CompileOptions::toPhase, by default the fuse phase), Kernels
/// and OpenCL (for "cpu" as for device 0); one file per LLVM module for the
/// others.
llvm::Expected<std::vector<cpu::EmittedFile>>
emit(mlir::OwningOpRef<mlir::ModuleOp> module, EmitForm form,
     const CompileOptions &options);

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PIPELINE_COMPILE_H
