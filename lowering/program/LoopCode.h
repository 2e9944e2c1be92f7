// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code for loops: loop-carried scalars in registers, loop-carried buffers in
// place or in two buffers in turns.

#ifndef ZENITH_LOWERING_PROGRAM_LOOPCODE_H
#define ZENITH_LOWERING_PROGRAM_LOOPCODE_H

#include "lowering/program/ControlCode.h"

namespace zenith::pipeline {

class LoopCode : HostCode {
public:
  LoopCode(HostFunction &code, BufferCode &buffers, ProgramMemory &memory,
           ControlCode &control)
      : HostCode(code), buffers(buffers), memory(memory), control(control) {}

  void loop(host::WhileOp op);

private:
  struct Carried;
  std::vector<Carried> startCarried(host::WhileOp op);
  void openHeader(llvm::MutableArrayRef<Carried> carried,
                  llvm::BasicBlock *before);
  void closeBody(host::WhileOp op, llvm::MutableArrayRef<Carried> carried,
                 llvm::ArrayRef<PassedValue> next, llvm::BasicBlock *header);
  void endCarried(host::WhileOp op, llvm::MutableArrayRef<Carried> carried);
  llvm::Value *bytesOfExtents(host::ValueAttr value, const Extents &extents);
  Bytes ownCopy(host::ValueAttr value, const PassedValue &from);
  void checkCancel();
  llvm::Value *reportProgress(llvm::ArrayRef<Carried> carried);

  BufferCode &buffers;
  ProgramMemory &memory;
  ControlCode &control;
  int64_t loops = 0; ///< of the entry itself
};

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PROGRAM_LOOPCODE_H
