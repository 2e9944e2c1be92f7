// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenCL's headers in one version, its error numbers as Status, and what
// platforms and devices answer about themselves. For the runtime's OpenCL
// sources only.

#ifndef ZENITH_RUNTIME_OPENCL_OPENCLQUERIES_H
#define ZENITH_RUNTIME_OPENCL_OPENCLQUERIES_H

#include "runtime/OpenCLDeviceInfo.h"
#include "runtime/Status.h"
#include "runtime/opencl/OpenCLFunctions.h"

namespace zenith::runtime {

/// Success for CL_SUCCESS; else an error "ACTION: NAME", ZENITH_OUT_OF_MEMORY
/// for the numbers that mean it and ZENITH_RUN_FAILED otherwise.
Status openCLStatus(cl_int error, const std::string &action);

/// All devices, in the order of listOpenCLDevices.
std::vector<cl_device_id> openCLDeviceIds();

/// Properties of one device.
OpenCLDeviceInfo describeOpenCLDevice(cl_device_id device, int index);

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_OPENCL_OPENCLQUERIES_H
