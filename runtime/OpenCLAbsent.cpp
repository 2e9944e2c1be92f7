// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenCL devices of a build without OpenCL: there are none, and asking for one
// is refused by name.

#include "runtime/OpenCLDevice.h"
#include "runtime/OpenCLDeviceList.h"

namespace zenith::runtime {

static Status refused() {
  return Status::error(ZENITH_UNSUPPORTED,
                       "this build has no OpenCL (ZENITH_OPENCL is off)");
}

std::vector<OpenCLDeviceInfo> listOpenCLDevices() { return {}; }

StatusOr<int> openCLDeviceIndex(const std::string &) { return refused(); }

struct OpenCLDevice::State {
  OpenCLDeviceInfo info;
};

OpenCLDevice::OpenCLDevice(std::unique_ptr<State> state)
    : state(std::move(state)) {}
OpenCLDevice::~OpenCLDevice() = default;

StatusOr<std::unique_ptr<OpenCLDevice>> OpenCLDevice::open(int, int64_t) {
  return refused();
}

// Nobody has a device to call these on.
const OpenCLDeviceInfo &OpenCLDevice::info() const { return state->info; }
Status OpenCLDevice::load(const std::string &,
                          const std::vector<OpenCLKernel> &,
                          const std::string &) {
  return refused();
}
StatusOr<void *> OpenCLDevice::createBuffer(int64_t) { return refused(); }
StatusOr<void *> OpenCLDevice::createParameter(const void *, int64_t) {
  return refused();
}
void OpenCLDevice::freeBuffer(void *) {}
void OpenCLDevice::trimMemory() {}
const zenith_device *OpenCLDevice::abi() const { return nullptr; }
OpenCLMemoryUse OpenCLDevice::memoryUse() const { return {}; }
void OpenCLDevice::resetPeak() {}

} // namespace zenith::runtime
