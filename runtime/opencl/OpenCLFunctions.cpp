// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads OpenCL and looks its functions up by name.

#include "runtime/opencl/OpenCLFunctions.h"

#include <dlfcn.h>

namespace zenith::runtime {

/// No function of a platform can be reached without one.
static cl_int noPlatforms(cl_uint, cl_platform_id *, cl_uint *count) {
  if (count)
    *count = 0;
  return CL_SUCCESS;
}

static OpenCLFunctions load() {
  OpenCLFunctions functions = {};
  functions.clGetPlatformIDs = noPlatforms;
  void *library = ::dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return functions;
  bool all = true;
#define ZENITH_OPENCL_FUNCTION(name) all &= ::dlsym(library, #name) != nullptr;
#include "runtime/opencl/OpenCLFunctions.def"
  if (!all)
    return functions;
#define ZENITH_OPENCL_FUNCTION(name)                                           \
  functions.name =                                                             \
      reinterpret_cast<decltype(functions.name)>(::dlsym(library, #name));
#include "runtime/opencl/OpenCLFunctions.def"
  return functions;
}

const OpenCLFunctions &openCL() {
  static const OpenCLFunctions functions = load();
  return functions;
}

} // namespace zenith::runtime
