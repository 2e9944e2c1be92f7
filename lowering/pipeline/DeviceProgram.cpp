// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks the device for its capabilities and prints kernels for them.

#include "lowering/pipeline/DeviceProgram.h"

#include "lowering/host/HostDialect.h"
#include "lowering/pipeline/CompileError.h"
#include "lowering/program/LowerHostProgram.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/ABI.h"
#include "runtime/OpenCLDeviceList.h"

namespace zenith::pipeline {

llvm::Expected<target::OpenCLTarget> deviceTarget(llvm::StringRef target) {
  auto parsed = target::OpenCLTarget::parse(target);
  if (!parsed)
    return compileError(ZENITH_USAGE, llvm::toString(parsed.takeError()));
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
    return compileError(ZENITH_INVALID_INPUT,
                        "the module has not been through the kernels phase");
  mlir::OwningOpRef<mlir::ModuleOp> printed =
      kernelsFor(kernels, /*hostOnly=*/false);
  auto program = opencl::emitOpenCL(*printed, opencl::printOptionsFor(*shape));
  if (program)
    return DeviceProgram{std::move(*program), opencl::buildOptionsFor(*shape),
                         shape->device};
  return llvm::handleErrors(
      program.takeError(), [](const opencl::PrintError &error) {
        std::string text;
        llvm::raw_string_ostream stream(text);
        error.log(stream);
        return compileError(
            error.isUnsupported() ? ZENITH_UNSUPPORTED : ZENITH_INTERNAL, text);
      });
}

} // namespace zenith::pipeline
