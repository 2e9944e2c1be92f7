// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code for bytes: where a buffer is, allocation, copies, transfers to and from
// a device.

#ifndef ZENITH_LOWERING_PROGRAM_BUFFERCODE_H
#define ZENITH_LOWERING_PROGRAM_BUFFERCODE_H

#include "lowering/program/HostFunction.h"

namespace zenith::pipeline {

class BufferCode : HostCode {
public:
  /// The arena of derived parameters follows `parameterCount` parameters.
  BufferCode(HostFunction &code, int64_t parameterCount)
      : HostCode(code), parameterCount(parameterCount) {}

  Bytes at(host::BufferAttr buffer);
  Bytes allocate(llvm::Value *bytes);
  /// Memory of the pool with so many bytes: that of `buffer` where it can grow
  /// there, else another.
  Bytes extend(Bytes buffer, llvm::Value *bytes);
  void deallocate(llvm::Value *owner);
  void copy(Bytes to, Bytes from, llvm::Value *bytes);

  /// A buffer that the device keeps between runs, for one use of this entry.
  Bytes deviceBuffer(int32_t deviceClass, int64_t index, llvm::Value *bytes);
  /// `index` is that of an argument or result, or -1.
  void upload(int64_t index, Bytes to, llvm::Value *from, llvm::Value *bytes);
  void download(int64_t index, llvm::Value *to, Bytes from, llvm::Value *bytes);

private:
  Bytes shifted(Bytes bytes, llvm::Value *offset);

  int64_t parameterCount;
};

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PROGRAM_BUFFERCODE_H
