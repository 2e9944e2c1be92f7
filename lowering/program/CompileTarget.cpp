// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads targets.

#include "lowering/program/CompileTarget.h"

#include "lowering/builder/KernelPlan.h"
#include "lowering/cpu/CPUTarget.h"
#include "lowering/host/HostDialect.h"
#include "lowering/pipeline/DeviceProgram.h"

namespace zenith::pipeline {

bool isOpenCLTarget(llvm::StringRef target) {
  return opencl::OpenCLTarget::isTargetName(target);
}

llvm::Expected<kernels::KernelTarget> kernelTargetOf(llvm::StringRef target) {
  if (isOpenCLTarget(target)) {
    llvm::Expected<opencl::OpenCLTarget> device = deviceTarget(target);
    if (!device)
      return device.takeError();
    return device->kernelTarget();
  }
  llvm::Expected<cpu::CPUTarget> processor = cpu::CPUTarget::parse(target);
  if (!processor)
    return processor.takeError();
  return processor->kernelTarget();
}

llvm::StringRef targetOf(mlir::ModuleOp module) {
  auto text = module->getAttrOfType<mlir::StringAttr>(host::targetAttrName);
  return text ? text.getValue() : llvm::StringRef("cpu");
}

} // namespace zenith::pipeline
