// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the steps of programs in order.

#ifndef ZENITH_LOWERING_PROGRAM_STEPEMITTER_H
#define ZENITH_LOWERING_PROGRAM_STEPEMITTER_H

#include "lowering/program/FileCode.h"
#include "lowering/program/LaunchCode.h"
#include "lowering/program/LoopCode.h"
#include "lowering/program/ScalarCode.h"

namespace zenith::pipeline {

class StepEmitter : HostCode, public FrameSteps {
public:
  /// `kept` says for each graph.param whether an entry other than @prepare
  /// reads it: @prepare releases the others after their last reader.
  StepEmitter(HostFunction &code, BufferCode &buffers, EntryResults &results,
              ProgramMemory &memory, FileCode &file,
              const llvm::StringMap<int64_t> &kernels,
              const std::vector<bool> &kept);

  /// Computes the sizes of a step that are known by now.
  void computeSizes(mlir::Operation *op);
  void checkGuards() override;
  void run() override;

private:
  void findLastReaders();
  void emit(mlir::Operation *op);
  void guard(const graph::DimExpr &nonnegative, llvm::StringRef message,
             int32_t error);
  void copy(host::CopyOp op);
  void allocate(host::AllocOp op);
  Bytes reuse(unsigned index, llvm::Value *bytes);
  void check(host::AssertOp op);
  void yield(host::YieldOp op);
  void releaseParameters(mlir::Operation *op);

  BufferCode &buffers;
  EntryResults &results;
  FileCode &file;
  const std::vector<bool> &kept;
  LaunchCode launches;
  ScalarCode scalars;
  ControlCode control;
  LoopCode loops;
  /// The parameters that an op of @prepare reads last.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int64_t, 1>> lastReads;
};

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PROGRAM_STEPEMITTER_H
