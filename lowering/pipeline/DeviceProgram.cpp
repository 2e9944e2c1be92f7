// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks the device for its capabilities and prints kernels for them.

#include "lowering/pipeline/DeviceProgram.h"

#include "ir/LLVMError.h"
#include "lowering/host/HostDialect.h"
#include "lowering/program/LowerHostProgram.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/OpenCLDeviceList.h"

namespace zenith::pipeline {

llvm::Expected<target::OpenCLTarget> deviceTarget(llvm::StringRef target) {
  auto parsed = target::OpenCLTarget::parse(target);
  if (!parsed)
    return makeError(ErrorCode::Usage, llvm::toString(parsed.takeError()));
  for (const runtime::OpenCLDeviceInfo &info : runtime::listOpenCLDevices()) {
    if (info.index != parsed->device)
      continue;
    parsed->fp64 = info.fp64;
    parsed->exactDivide = info.exactDivide;
    parsed->isCPU = info.isCPU;
    parsed->floatVectorWidth = info.floatVectorWidth;
    parsed->maxWorkGroupSize = info.maxWorkGroupSize;
    parsed->maxParameterBytes = info.maxParameterBytes;
  }
  return parsed;
}

llvm::Expected<DeviceProgram> printDeviceProgram(mlir::ModuleOp module,
                                                 llvm::StringRef target) {
  auto shape = deviceTarget(target);
  if (!shape)
    return shape.takeError();
  auto kernels = module.lookupSymbol<mlir::ModuleOp>(host::kernelsModuleName);
  if (!kernels)
    return makeError(ErrorCode::Invalid,
                     "the module has not been through the kernels phase");
  mlir::OwningOpRef<mlir::ModuleOp> printed =
      kernelsFor(kernels, /*hostOnly=*/false);
  auto program = opencl::emitOpenCL(*printed, opencl::printOptionsFor(*shape));
  if (!program)
    return program.takeError();
  return DeviceProgram{std::move(*program), opencl::buildOptionsFor(*shape),
                       shape->device};
}

} // namespace zenith::pipeline
