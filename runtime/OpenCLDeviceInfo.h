// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The properties of an OpenCL device that decisions and reports need.

#ifndef ZENITH_RUNTIME_OPENCLDEVICEINFO_H
#define ZENITH_RUNTIME_OPENCLDEVICEINFO_H

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace zenith::runtime {

/// The properties of a device.
struct OpenCLDeviceInfo {
  int index = 0; ///< N of `--target=opencl:N`
  std::string name;
  std::string vendor;
  std::string platform;
  std::string version; ///< as the device spells it, "OpenCL 3.0 ..."
  std::vector<std::string> extensions;
  bool isCPU = false;
  bool unifiedMemory = false; ///< device memory is host memory
  bool fp64 = false;          ///< double arithmetic
  bool fp16 = false;          ///< half arithmetic
  /// Can be asked for correctly rounded division and square root of f32.
  bool exactDivide = false;
  int computeUnits = 0;
  int floatVectorWidth = 1;     ///< preferred floats per vector
  int doubleVectorWidth = 0;    ///< preferred doubles per vector; 0 = none
  int addressBits = 0;          ///< 32 or 64
  int64_t maxWorkGroupSize = 0; ///< work-items in a group
  int64_t globalMemoryBytes = 0;
  int64_t localMemoryBytes = 0;   ///< per work-group
  int64_t maxAllocBytes = 0;      ///< largest single buffer
  int64_t maxParameterBytes = 0;  ///< of all arguments of a kernel together
  int64_t baseAlignmentBytes = 1; ///< alignment of buffers

  /// True where extensions has the name ("cl_khr_fp64").
  bool hasExtension(const std::string &extension) const {
    return std::find(extensions.begin(), extensions.end(), extension) !=
           extensions.end();
  }
};

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_OPENCLDEVICEINFO_H
