// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Target names, and the shape of kernels by kind of device.

#include "ir/target/OpenCLTarget.h"

#include "ir/target/NamedModels.h"

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
  constexpr unsigned avx512Lanes = 16;
  TargetModel model =
      namedModel(!isCPU                            ? "gpu-generic-32"
                 : floatVectorWidth >= avx512Lanes ? "pocl-avx512"
                                                   : "pocl-avx2")
          ->model;
  auto say = [](int64_t &field, int64_t says) { field = says ? says : field; };
  model.fp64 = fp64;
  model.fp16 = fp16;
  model.exactDivide = exactDivide;
  model.unified = unified;
  // Of processors, decisions count on those of their class.
  model.units = isCPU || !units ? model.units : units;
  say(model.maxGroup, maxWorkGroupSize);
  say(model.maxParameterBytes, maxParameterBytes);
  say(model.localBytes, localBytes);
  say(model.globalBytes, globalBytes);
  say(model.maxAllocBytes, maxAllocBytes);
  // A value is twice as wide as `lanes`, and 16 lanes are OpenCL's widest
  // vector. Devices without vector units hold a tile in scalar registers.
  bool wide = isCPU && floatVectorWidth >= 8;
  model.lanes = wide ? 8 : 4;
  model.nr = wide ? 16 : 8;
  model.mr = wide ? 6 : 4;
  return model;
}

} // namespace zenith::target
