// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code for launches of kernels, on the host and on a device.

#ifndef ZENITH_LOWERING_PROGRAM_LAUNCHCODE_H
#define ZENITH_LOWERING_PROGRAM_LAUNCHCODE_H

#include "lowering/program/BufferCode.h"

namespace zenith::pipeline {

class LaunchCode : HostCode {
public:
  /// `kernels` has the position of each kernel in the kernel table.
  LaunchCode(HostFunction &code, BufferCode &buffers,
             const llvm::StringMap<int64_t> &kernels)
      : HostCode(code), buffers(buffers), kernels(kernels) {}

  void launch(host::LaunchOp op);

private:
  /// Estimates of flops and bytes of a launch; 0 where they depend on it.
  struct Work {
    llvm::Value *flops, *bytes;
  };
  Work workOf(host::LaunchOp op);
  void reportWork(host::LaunchOp op, Work work);
  void emit(host::LaunchOp op, Work work);
  void emitOnHost(host::LaunchOp op);
  void emitOnDevice(host::LaunchOp op);
  void emitWithCopies(host::LaunchOp op);
  llvm::Value *kernelIndex(host::LaunchOp op);
  void storeSizes(host::LaunchOp op);

  BufferCode &buffers;
  const llvm::StringMap<int64_t> &kernels;
};

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PROGRAM_LAUNCHCODE_H
