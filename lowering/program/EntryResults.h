// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code for the results of an entry: their memory, extents that depend on data,
// transfer from a device.

#ifndef ZENITH_LOWERING_PROGRAM_ENTRYRESULTS_H
#define ZENITH_LOWERING_PROGRAM_ENTRYRESULTS_H

#include "lowering/program/BufferCode.h"

namespace zenith::pipeline {

class EntryResults : HostCode {
public:
  EntryResults(HostFunction &code, BufferCode &buffers)
      : HostCode(code), buffers(buffers) {}

  /// Allocates all results whose sizes are known before the first step.
  void allocateKnown();
  void allocate(unsigned index, llvm::Value *bytes);
  /// The same with the bytes of memory that the run allocated, which is the
  /// result's or freed. Not on devices.
  void takePooled(unsigned index, llvm::Value *data, llvm::Value *bytes);
  /// Final extents of a result whose size depended on data.
  void setExtents(unsigned index);
  void download();

private:
  llvm::SmallVector<llvm::Value *> describe(unsigned index);
  void prepare(llvm::StringRef call, unsigned index, llvm::Value *from,
               llvm::Value *bytes);
  BufferCode &buffers;
};

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PROGRAM_ENTRYRESULTS_H
