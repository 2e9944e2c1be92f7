// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the devices, and reads the number of one in a target's name.

#include "runtime/OpenCLDeviceList.h"

#include "runtime/opencl/OpenCLQueries.h"

namespace zenith::runtime {

std::vector<OpenCLDeviceInfo> listOpenCLDevices() {
  std::vector<OpenCLDeviceInfo> infos;
  for (cl_device_id device : openCLDeviceIds())
    infos.push_back(
        describeOpenCLDevice(device, static_cast<int>(infos.size())));
  return infos;
}

StatusOr<int> openCLDeviceIndex(const std::string &target) {
  static const std::string prefix = "opencl:";
  if (target == "opencl")
    return 0;
  std::string digits =
      target.rfind(prefix, 0) == 0 ? target.substr(prefix.size()) : "";
  if (digits.empty() || digits.size() > 6 ||
      digits.find_first_not_of("0123456789") != std::string::npos)
    return Status::error(ZENITH_USAGE,
                         "expected opencl or opencl:N, got '" + target + "'");
  return std::stoi(digits);
}

} // namespace zenith::runtime
