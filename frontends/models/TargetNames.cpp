// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks the processor and the OpenCL devices for their names.

#include "frontends/models/TargetNames.h"

#include "runtime/OpenCLDeviceList.h"
#include "llvm/TargetParser/Host.h"

using namespace zenith;
using namespace zenith::models;

bool zenith::models::isTarget(llvm::StringRef target) {
  unsigned number;
  if (target == "interp" || target == "cpu" || target == "opencl")
    return true;
  if (target.consume_front("opencl:"))
    return !target.getAsInteger(10, number);
  return target.consume_front("cpu:") && !target.empty();
}

std::vector<TargetRow> zenith::models::targetsHere() {
  std::vector<TargetRow> rows{{"interp", "the reference interpreter"},
                              {"cpu", llvm::sys::getHostCPUName().str()}};
  for (const runtime::OpenCLDeviceInfo &device : runtime::listOpenCLDevices())
    rows.push_back({"opencl:" + std::to_string(device.index),
                    device.name + " (" + device.platform + ")"});
  return rows;
}
