// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of libOpenCL.so.1, which is loaded when the first one is asked
// for: hosts without it run all else.

#ifndef ZENITH_RUNTIME_OPENCL_OPENCLFUNCTIONS_H
#define ZENITH_RUNTIME_OPENCL_OPENCLFUNCTIONS_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

namespace zenith::runtime {

struct OpenCLFunctions {
#define ZENITH_OPENCL_FUNCTION(name) decltype(&::name) name;
#include "runtime/opencl/OpenCLFunctions.def"
};

/// Without the library there are no platforms: clGetPlatformIDs says so, and
/// the others are null.
const OpenCLFunctions &openCL();

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_OPENCL_OPENCLFUNCTIONS_H
