// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What printed OpenCL C may use on a device, and how the device builds it.

#ifndef ZENITH_LOWERING_OPENCL_PRINTOPTIONS_H
#define ZENITH_LOWERING_OPENCL_PRINTOPTIONS_H

#include <cstdint>
#include <string>

namespace zenith::target {
struct TargetModel;
}

namespace zenith::opencl {

/// What the text may use.
struct PrintOptions {
  bool fp64 = true; ///< the device has cl_khr_fp64
  /// Work-items in a group, the same for all launches. 1 suits processors,
  /// whose threads take groups.
  int64_t localSize = 64;
  int64_t maxParameterBytes = 1024; ///< of all arguments of a kernel together
};

PrintOptions printOptionsFor(const target::TargetModel &device);
/// Options of the build of the text on the device.
std::string buildOptionsFor(const target::TargetModel &device);

} // namespace zenith::opencl

#endif // ZENITH_LOWERING_OPENCL_PRINTOPTIONS_H
