// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every emitter of kernels gets: the fusion, sizes, target and where to
// put the functions.

#ifndef ZENITH_LOWERING_BUILDER_EMISSIONCONTEXT_H
#define ZENITH_LOWERING_BUILDER_EMISSIONCONTEXT_H

#include "lowering/builder/KernelPlan.h"

namespace zenith::kernels {

/// What every emitter needs.
struct EmissionContext {
  graph::FusionOp fusion;
  graph::DimAnalysis &dims;
  const TargetModel &target;
  mlir::ModuleOp kernels;
  llvm::StringRef name;
};

/// Adds a launch; false where it failed, with the kernels before it erased.
bool addLaunch(KernelPlan &plan, mlir::FailureOr<Launch> launch);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_BUILDER_EMISSIONCONTEXT_H
