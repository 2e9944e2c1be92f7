// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Target names, and the shape of kernels by kind of device.

#include "ir/target/OpenCLTarget.h"

#include "ir/target/TargetModel.h"

namespace zenith::target {

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

TargetModel OpenCLTarget::model() const {
  TargetModel model = onDevice(TargetModel());
  model.kind = isCPU ? Kind::CPU : Kind::GPU;
  model.fp64 = fp64;
  model.exactDivide = exactDivide;
  model.maxGroup = maxWorkGroupSize;
  model.maxParameterBytes = maxParameterBytes;
  // A value is twice as wide as `lanes`, and 16 lanes are OpenCL's widest
  // vector. Devices without vector units hold a tile in scalar registers.
  bool wide = isCPU && floatVectorWidth >= 8;
  model.lanes = wide ? 8 : 4;
  model.nr = wide ? 16 : 8;
  model.mr = wide ? 6 : 4;
  return model;
}

} // namespace zenith::target
