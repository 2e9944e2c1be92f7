// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of one entry: prologue with sizes and checks, then its steps.
// Programs that control steps run become part of the same function: their
// arguments are values, and a loop over scalars is a loop over registers.

#ifndef ZENITH_LOWERING_PROGRAM_HOSTENTRY_H
#define ZENITH_LOWERING_PROGRAM_HOSTENTRY_H

#include "lowering/program/EntryArguments.h"
#include "lowering/program/StepEmitter.h"

namespace zenith::pipeline {

class HostEntry {
public:
  /// Declares the entry in `module`. `programs` has those that control steps
  /// run, `kernels` has the position of each kernel
  /// in the kernel table, `kept` says for each graph.param whether an entry
  /// other than @prepare reads it.
  HostEntry(host::ProgramOp program, const mlir::SymbolTable &programs,
            llvm::Module &module, const llvm::StringMap<int64_t> &kernels,
            const std::vector<bool> &kept, bool deviceKernels);
  llvm::Error build();

private:
  void computeSizes();

  HostFunction code;
  BufferCode buffers;
  EntryArguments arguments;
  EntryResults results;
  ProgramMemory memory;
  FileCode file;
  StepEmitter steps;
};

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PROGRAM_HOSTENTRY_H
