// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler as a function: a GraphIR module in, a program that can run out.

#ifndef ZENITH_LOWERING_PIPELINE_COMPILE_H
#define ZENITH_LOWERING_PIPELINE_COMPILE_H

#include "ir/LLVMError.h"
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
  /// Narrow type of the weights of products and convolutions: "bf16", "fp16";
  /// empty = as the module says.
  std::string mixedPrecision;
  /// Memory that the sets of bits of a search over a dense index may take; 0 =
  /// no such index.
  int64_t denseIndexBytes = 0;
  /// Memory that a step of a search should do with; 0 = any.
  int64_t memoryBytes = 0;
  /// Representations of states that searches must not choose, as
  /// zenith-choose-state-keys names them.
  std::vector<std::string> withoutSearchForms;
  std::function<void(const Remark &)> remark; ///< gets the remarks
  /// Folder of a cache of executables, for compile() and objects; empty = none.
  /// Compilations that are explained, dumped or begin in the middle don't look
  /// there.
  std::string cacheDir;
};

/// What compilation took, in milliseconds.
struct CompileTimes {
  double phases = 0;                                     ///< GraphIR to kernels
  std::vector<std::pair<std::string, double>> eachPhase; ///< of these, in order
  double objects = 0; ///< kernels to machine code
  double link = 0;
  bool cached = false; ///< phases and objects come from the cache
};

/// Compiles and links `module`, which is spent; or finds in the cache what an
/// equal compilation gave. Errors are LLVMErrors: 1 options, 2 an invalid
/// module, 3 something has no lowering (named), 4 an internal error (with the
/// path of a reproducer).
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
