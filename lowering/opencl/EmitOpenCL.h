// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels as OpenCL C 1.2 text: the same vector code as on a processor, one
// work-item per task.

#ifndef ZENITH_LOWERING_OPENCL_EMITOPENCL_H
#define ZENITH_LOWERING_OPENCL_EMITOPENCL_H

#include "lowering/opencl/PrintOptions.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace mlir {
class ModuleOp;
class Operation;
} // namespace mlir

namespace zenith::opencl {

/// A program as OpenCLDevice::load takes it.
struct OpenCLProgram {
  std::string source;
  /// Public functions in the order of the module: the kernel table.
  std::vector<std::string> kernels;
  int64_t localSize = 64;
};

/// Prints the functions of `kernels`. Public ones become kernels with, per
/// memref, `__global uchar *bufferN, long offsetN` (bytes), per index
/// `long sizeN`, then `long begin, long tasks`; work-item i does task begin+i.
/// Private ones become functions, once per combination of address spaces that
/// they are called with. Vectors wider than 16 lanes become several. An op or
/// type that has no form in OpenCL C, or none on this device, is unsupported.
llvm::Expected<OpenCLProgram> emitOpenCL(mlir::ModuleOp kernels,
                                         const PrintOptions &options);

} // namespace zenith::opencl

#endif // ZENITH_LOWERING_OPENCL_EMITOPENCL_H
