// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a compiled program that an OpenCL device runs.

#ifndef ZENITH_LOWERING_PIPELINE_DEVICEPROGRAM_H
#define ZENITH_LOWERING_PIPELINE_DEVICEPROGRAM_H

#include "ir/target/OpenCLTarget.h"
#include "lowering/opencl/EmitOpenCL.h"

namespace zenith::pipeline {

struct DeviceProgram {
  opencl::OpenCLProgram program; ///< its kernels are the program's kernel table
  std::string buildOptions;
  int device = 0; ///< index of the device that it was compiled for
};

/// The capabilities of "opencl" or "opencl:N": those that the device reports,
/// or the defaults where it is not installed here.
llvm::Expected<target::OpenCLTarget> deviceTarget(llvm::StringRef target);

/// Prints the kernels of a module that is through the kernels phase. Errors are
/// LLVMErrors; 3 names the op that the printer or the device lacks.
llvm::Expected<DeviceProgram> printDeviceProgram(mlir::ModuleOp module,
                                                 llvm::StringRef target);

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PIPELINE_DEVICEPROGRAM_H
