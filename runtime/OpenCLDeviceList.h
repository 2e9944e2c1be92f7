// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The OpenCL devices of this machine.

#ifndef ZENITH_RUNTIME_OPENCLDEVICELIST_H
#define ZENITH_RUNTIME_OPENCLDEVICELIST_H

#include "runtime/OpenCLDeviceInfo.h"
#include "runtime/Status.h"

#include <string>
#include <vector>

namespace zenith::runtime {

/// Devices of all platforms in the order in which the loader lists them; empty
/// where no platform is installed. index is the position.
std::vector<OpenCLDeviceInfo> listOpenCLDevices();

/// Device number of a target name: "opencl" = 0, "opencl:N" = N. ZENITH_USAGE
/// for anything else.
StatusOr<int> openCLDeviceIndex(const std::string &target);

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_OPENCLDEVICELIST_H
