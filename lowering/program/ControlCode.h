// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code for nested programs: what is passed to them and comes back, and branches
// among them.

#ifndef ZENITH_LOWERING_PROGRAM_CONTROLCODE_H
#define ZENITH_LOWERING_PROGRAM_CONTROLCODE_H

#include "lowering/program/EntryResults.h"
#include "lowering/program/ProgramMemory.h"

namespace zenith::pipeline {

/// Emits the program of the current frame. StepEmitter is the implementation:
/// steps nest programs, and programs are steps again.
class FrameSteps {
public:
  virtual ~FrameSteps() = default;
  /// Checks the guards of the program.
  virtual void checkGuards() = 0;
  /// Emits the steps of the program.
  virtual void run() = 0;
};

class ControlCode : HostCode {
public:
  ControlCode(HostFunction &code, BufferCode &buffers, EntryResults &results,
              ProgramMemory &memory, FrameSteps &steps)
      : HostCode(code), buffers(buffers), results(results), memory(memory),
        steps(steps) {}

  void branch(host::IfOp op);

  std::vector<PassedValue> passedAll(mlir::ArrayAttr arguments);
  /// Shares values, if any, with the programs that a step runs.
  void share(mlir::ArrayAttr shares, llvm::ArrayRef<int64_t> numbers);
  /// Emits a nested program; results without bytes are the program's to
  /// allocate.
  std::vector<PassedValue> run(host::ProgramOp callee,
                               llvm::ArrayRef<PassedValue> arguments,
                               llvm::ArrayRef<Bytes> results, Bytes arena,
                               const Reserve &reserve);
  void bindOutcome(mlir::Attribute outcome, const PassedValue &value);

private:
  PassedValue passed(mlir::Attribute argument);
  void bindArguments(host::ProgramOp callee,
                     llvm::ArrayRef<PassedValue> arguments);
  void acceptAllocated(host::OutcomeAttr outcome, Bytes bytes,
                       llvm::Value *size);
  llvm::Value *branchIndex(host::IfOp op);

  BufferCode &buffers;
  EntryResults &results;
  ProgramMemory &memory;
  FrameSteps &steps;
};

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PROGRAM_CONTROLCODE_H
