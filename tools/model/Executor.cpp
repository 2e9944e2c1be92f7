// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of targets, and the executor for each.

#include "tools/model/Executor.h"

#include "runtime/OpenCLDeviceList.h"
#include "tools/model/RunOptions.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;

bool zenith::tools::isTarget(StringRef target) {
  unsigned number;
  if (target == "interp" || target == "cpu" || target == "opencl")
    return true;
  if (target.consume_front("opencl:"))
    return !target.getAsInteger(10, number);
  return target.consume_front("cpu:") && !target.empty();
}

std::vector<std::string> zenith::tools::listTargets() {
  std::vector<std::string> lines{"interp    the reference interpreter",
                                 "cpu       " +
                                     llvm::sys::getHostCPUName().str()};
  for (const runtime::OpenCLDeviceInfo &device : runtime::listOpenCLDevices())
    lines.push_back("opencl:" + std::to_string(device.index) + "  " +
                    device.name + " (" + device.platform + ")");
  return lines;
}

llvm::Expected<std::unique_ptr<Executor>> zenith::tools::makeExecutor(
    OwningOpRef<ModuleOp> module, const std::string &folder,
    const RunOptions &options, Diagnostics &diagnostics) {
  if (options.isInterpreted())
    return makeInterpreter(std::move(module), folder, options, &diagnostics);
  return makeCompiled(std::move(module), folder, options, diagnostics);
}
