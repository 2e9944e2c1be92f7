// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code for the memory that programs have of their own: constants, cells, stack
// arrays of launches, arenas.

#ifndef ZENITH_LOWERING_PROGRAM_PROGRAMMEMORY_H
#define ZENITH_LOWERING_PROGRAM_PROGRAMMEMORY_H

#include "lowering/program/BufferCode.h"

namespace zenith::pipeline {

/// Memory for nested arenas whose size depends on data, kept through a step.
struct Reserve {
  llvm::AllocaInst *base = nullptr, *bytes = nullptr;
};

class ProgramMemory : HostCode {
public:
  ProgramMemory(HostFunction &code, BufferCode &buffers)
      : HostCode(code), buffers(buffers) {}

  /// Constants of the entry and of all programs that it may run, and device
  /// memory for their cells.
  void loadConstants();
  void allocateArena();
  /// Stack arrays and cells of the current frame's steps.
  void prepareFrame();

  /// A reserve for the arenas of `callees`; empty where they lie in `arena` or
  /// need none.
  Reserve makeReserve(mlir::ArrayAttr callees, host::BufferAttr arena);
  /// The arena of a nested program. A reserve grows to the largest request.
  Bytes arenaFor(host::ProgramOp callee, Bytes arena, const Reserve &reserve);
  void freeReserve(const Reserve &reserve);

private:
  BufferCode &buffers;
  std::map<mlir::Operation *, std::vector<Bytes>> constants,
      deviceCells; ///< by program
};

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PROGRAM_PROGRAMMEMORY_H
