// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds launches to a plan, or erases the kernels of a failed plan.

#include "lowering/builder/EmissionContext.h"

using namespace mlir;

namespace zenith::kernels {

bool addLaunch(KernelPlan &plan, FailureOr<Launch> launch) {
  if (succeeded(launch)) {
    plan.launches.push_back(std::move(*launch));
    return true;
  }
  for (Launch &earlier : plan.launches)
    earlier.kernel.erase();
  return false;
}

} // namespace zenith::kernels
