// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of printing and of building by what a device says of itself.

#include "lowering/opencl/PrintOptions.h"

#include "ir/target/TargetModel.h"
#include <algorithm>

namespace zenith::opencl {

PrintOptions printOptionsFor(const target::TargetModel &device) {
  PrintOptions options;
  options.fp64 = device.fp64;
  options.maxParameterBytes = device.maxParameterBytes;
  // A processor's threads take whole groups, so more than one item would leave
  // threads without work; other devices run a group's items side by side.
  options.localSize = device.kind == target::Kind::CPU
                          ? 1
                          : std::min<int64_t>(64, device.maxGroup);
  return options;
}

std::string buildOptionsFor(const target::TargetModel &device) {
  // Warnings would go to the standard error of whoever runs a program.
  std::string options = "-w";
  if (device.exactDivide)
    options += " -cl-fp32-correctly-rounded-divide-sqrt";
  return options;
}

} // namespace zenith::opencl
