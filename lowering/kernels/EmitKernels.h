// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of kernel emission: the kernels of a fusion.

#ifndef ZENITH_LOWERING_KERNELS_EMITKERNELS_H
#define ZENITH_LOWERING_KERNELS_EMITKERNELS_H

#include "lowering/builder/KernelPlan.h"
#include <optional>

namespace zenith::kernels {

/// Emits the kernels of `fusion` into `kernels`, as its schedule says; names
/// start with `name`. Reports failure at the op.
mlir::FailureOr<KernelPlan> emitKernels(graph::FusionOp fusion,
                                        graph::DimAnalysis &dims,
                                        const TargetModel &target,
                                        mlir::ModuleOp kernels,
                                        llvm::StringRef name);

/// The tasks of the launch that has most, by estimates; nullopt where there are
/// no launches.
std::optional<graph::DimExpr> largestTasks(const KernelPlan &plan);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_KERNELS_EMITKERNELS_H
