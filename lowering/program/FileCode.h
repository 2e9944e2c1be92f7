// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code for values that leave the arena for a file, and come back.

#ifndef ZENITH_LOWERING_PROGRAM_FILECODE_H
#define ZENITH_LOWERING_PROGRAM_FILECODE_H

#include "lowering/program/BufferCode.h"

namespace zenith::pipeline {

class FileCode : HostCode {
public:
  FileCode(HostFunction &code, BufferCode &buffers)
      : HostCode(code), buffers(buffers) {}

  /// Takes the blocks of the file, before the first kernel; nothing where the
  /// program has none.
  void begin();
  void start(host::CopyOp copy);
  void await(host::AwaitOp op);
  /// Waits for all transfers, at the end of a run that succeeds.
  void end();

private:
  int64_t transfersOf(host::ProgramOp program);

  BufferCode &buffers;
  llvm::Value *started = nullptr; ///< number of transfers of the run, in memory
};

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PROGRAM_FILECODE_H
