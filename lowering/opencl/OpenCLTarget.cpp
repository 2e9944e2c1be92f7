// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Target names, and the shape of kernels by kind of device.

#include "lowering/opencl/OpenCLTarget.h"

#include "lowering/builder/KernelPlan.h"
#include "lowering/opencl/EmitOpenCL.h"

namespace zenith::opencl {

bool OpenCLTarget::isTargetName(llvm::StringRef text) {
  return text == "opencl" || text.starts_with("opencl:");
}

llvm::Expected<OpenCLTarget> OpenCLTarget::parse(llvm::StringRef text) {
  OpenCLTarget target;
  llvm::StringRef number = text;
  if (number.consume_front("opencl") &&
      (number.empty() ||
       (number.consume_front(":") && !number.getAsInteger(10, target.device) &&
        target.device >= 0)))
    return target;
  return llvm::createStringError(
      std::errc::invalid_argument,
      "'%s' is no OpenCL target; use opencl, or opencl:N for device N",
      text.str().c_str());
}

kernels::KernelTarget OpenCLTarget::kernelTarget() const {
  kernels::KernelTarget target;
  target.opencl = true;
  target.fma = true;
  // A value is twice as wide as `lanes`, and 16 lanes are OpenCL's widest
  // vector. Devices without vector units hold a tile in scalar registers.
  bool wide = isCPU && floatVectorWidth >= 8;
  target.lanes = wide ? 8 : 4;
  target.panel = wide ? 16 : 8;
  target.rows = wide ? 6 : 4;
  return target;
}

PrintOptions OpenCLTarget::printOptions() const {
  PrintOptions options;
  options.fp64 = fp64;
  options.maxParameterBytes = maxParameterBytes;
  // A processor's threads take whole groups, so more than one item would leave
  // threads without work; other devices run a group's items side by side.
  options.localSize = isCPU ? 1 : std::min<int64_t>(64, maxWorkGroupSize);
  return options;
}

std::string OpenCLTarget::buildOptions() const {
  // Warnings would go to the standard error of whoever runs a program.
  std::string options = "-w";
  if (exactDivide)
    options += " -cl-fp32-correctly-rounded-divide-sqrt";
  return options;
}

} // namespace zenith::opencl
