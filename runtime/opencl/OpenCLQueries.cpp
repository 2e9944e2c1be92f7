// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names OpenCL's error numbers, asks every platform for its devices and every
// device for its limits.

#include "runtime/opencl/OpenCLQueries.h"

#include <sstream>
#include <unistd.h>

namespace zenith::runtime {

static std::string errorName(cl_int error) {
#define ZENITH_CL_ERROR(name)                                                  \
  case name:                                                                   \
    return #name
  switch (error) {
    ZENITH_CL_ERROR(CL_DEVICE_NOT_FOUND);
    ZENITH_CL_ERROR(CL_DEVICE_NOT_AVAILABLE);
    ZENITH_CL_ERROR(CL_COMPILER_NOT_AVAILABLE);
    ZENITH_CL_ERROR(CL_MEM_OBJECT_ALLOCATION_FAILURE);
    ZENITH_CL_ERROR(CL_OUT_OF_RESOURCES);
    ZENITH_CL_ERROR(CL_OUT_OF_HOST_MEMORY);
    ZENITH_CL_ERROR(CL_MEM_COPY_OVERLAP);
    ZENITH_CL_ERROR(CL_BUILD_PROGRAM_FAILURE);
    ZENITH_CL_ERROR(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    ZENITH_CL_ERROR(CL_INVALID_VALUE);
    ZENITH_CL_ERROR(CL_INVALID_DEVICE);
    ZENITH_CL_ERROR(CL_INVALID_CONTEXT);
    ZENITH_CL_ERROR(CL_INVALID_COMMAND_QUEUE);
    ZENITH_CL_ERROR(CL_INVALID_MEM_OBJECT);
    ZENITH_CL_ERROR(CL_INVALID_BINARY);
    ZENITH_CL_ERROR(CL_INVALID_BUILD_OPTIONS);
    ZENITH_CL_ERROR(CL_INVALID_PROGRAM);
    ZENITH_CL_ERROR(CL_INVALID_PROGRAM_EXECUTABLE);
    ZENITH_CL_ERROR(CL_INVALID_KERNEL_NAME);
    ZENITH_CL_ERROR(CL_INVALID_KERNEL_DEFINITION);
    ZENITH_CL_ERROR(CL_INVALID_KERNEL);
    ZENITH_CL_ERROR(CL_INVALID_ARG_INDEX);
    ZENITH_CL_ERROR(CL_INVALID_ARG_VALUE);
    ZENITH_CL_ERROR(CL_INVALID_ARG_SIZE);
    ZENITH_CL_ERROR(CL_INVALID_KERNEL_ARGS);
    ZENITH_CL_ERROR(CL_INVALID_WORK_DIMENSION);
    ZENITH_CL_ERROR(CL_INVALID_WORK_GROUP_SIZE);
    ZENITH_CL_ERROR(CL_INVALID_WORK_ITEM_SIZE);
    ZENITH_CL_ERROR(CL_INVALID_GLOBAL_OFFSET);
    ZENITH_CL_ERROR(CL_INVALID_OPERATION);
    ZENITH_CL_ERROR(CL_INVALID_BUFFER_SIZE);
    ZENITH_CL_ERROR(CL_INVALID_GLOBAL_WORK_SIZE);
  default:
    return "OpenCL error " + std::to_string(error);
  }
#undef ZENITH_CL_ERROR
}

Status openCLStatus(cl_int error, const std::string &action) {
  if (error == CL_SUCCESS)
    return Status();
  bool memory = error == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
                error == CL_OUT_OF_HOST_MEMORY ||
                error == CL_INVALID_BUFFER_SIZE;
  return Status::error(memory ? ZENITH_OUT_OF_MEMORY : ZENITH_RUN_FAILED,
                       action + ": " + errorName(error));
}

/// A fixed-size property; 0 where the device does not know it.
template <typename T>
static T property(cl_device_id device, cl_device_info which) {
  T value = {};
  if (openCL().clGetDeviceInfo(device, which, sizeof(value), &value, nullptr) !=
      CL_SUCCESS)
    return {};
  return value;
}

static std::string textProperty(cl_device_id device, cl_device_info which) {
  size_t length = 0;
  if (openCL().clGetDeviceInfo(device, which, 0, nullptr, &length) !=
          CL_SUCCESS ||
      length == 0)
    return {};
  std::string text(length, '\0');
  if (openCL().clGetDeviceInfo(device, which, length, text.data(), nullptr) !=
      CL_SUCCESS)
    return {};
  text.resize(length - 1);
  return text;
}

static std::string platformName(cl_device_id device) {
  auto platform = property<cl_platform_id>(device, CL_DEVICE_PLATFORM);
  char name[256] = {};
  if (!platform ||
      openCL().clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(name) - 1,
                                 name, nullptr) != CL_SUCCESS)
    return {};
  return name;
}

OpenCLDeviceInfo describeOpenCLDevice(cl_device_id device, int index) {
  OpenCLDeviceInfo info;
  info.index = index;
  info.name = textProperty(device, CL_DEVICE_NAME);
  info.vendor = textProperty(device, CL_DEVICE_VENDOR);
  info.version = textProperty(device, CL_DEVICE_VERSION);
  info.platform = platformName(device);
  std::istringstream words(textProperty(device, CL_DEVICE_EXTENSIONS));
  for (std::string word; words >> word;)
    info.extensions.push_back(word);
  info.isCPU = (property<cl_device_type>(device, CL_DEVICE_TYPE) &
                CL_DEVICE_TYPE_CPU) != 0;
  info.unifiedMemory =
      property<cl_bool>(device, CL_DEVICE_HOST_UNIFIED_MEMORY) == CL_TRUE;
  info.fp64 = property<cl_device_fp_config>(device, CL_DEVICE_DOUBLE_FP_CONFIG);
  info.fp16 = info.hasExtension("cl_khr_fp16");
  info.exactDivide =
      (property<cl_device_fp_config>(device, CL_DEVICE_SINGLE_FP_CONFIG) &
       CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  info.computeUnits = property<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS);
  info.floatVectorWidth =
      property<cl_uint>(device, CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT);
  info.doubleVectorWidth =
      property<cl_uint>(device, CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE);
  info.addressBits = property<cl_uint>(device, CL_DEVICE_ADDRESS_BITS);
  info.maxWorkGroupSize =
      property<size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  info.globalMemoryBytes =
      property<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE);
  info.localMemoryBytes = property<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE);
  info.maxAllocBytes = property<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  info.maxParameterBytes =
      property<size_t>(device, CL_DEVICE_MAX_PARAMETER_SIZE);
  info.baseAlignmentBytes =
      property<cl_uint>(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
  return info;
}

/// Drivers read the machine's topology there, and PoCL aborts the process
/// where it finds none (a chroot without /sys): then there are no devices.
static bool topologyIsVisible() {
  return access("/sys/devices/system/cpu", R_OK) == 0;
}

std::vector<cl_device_id> openCLDeviceIds() {
  std::vector<cl_device_id> devices;
  if (!topologyIsVisible())
    return devices;
  cl_uint platformCount = 0;
  // The loader answers with an error where no platform is installed.
  if (openCL().clGetPlatformIDs(0, nullptr, &platformCount) != CL_SUCCESS)
    return devices;
  std::vector<cl_platform_id> platforms(platformCount);
  if (openCL().clGetPlatformIDs(platformCount, platforms.data(), nullptr) !=
      CL_SUCCESS)
    return devices;
  for (cl_platform_id platform : platforms) {
    cl_uint count = 0;
    if (openCL().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr,
                                &count) != CL_SUCCESS)
      continue;
    std::vector<cl_device_id> found(count);
    if (openCL().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count,
                                found.data(), nullptr) == CL_SUCCESS)
      devices.insert(devices.end(), found.begin(), found.end());
  }
  return devices;
}

} // namespace zenith::runtime
