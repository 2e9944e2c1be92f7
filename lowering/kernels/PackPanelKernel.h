// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that bring an operand into the form that the product reads: panels,
// row-major copies, padded images.

#ifndef ZENITH_LOWERING_KERNELS_PACKPANELKERNEL_H
#define ZENITH_LOWERING_KERNELS_PACKPANELKERNEL_H

#include "lowering/kernels/ContractionSpace.h"

namespace zenith::kernels {

mlir::FailureOr<Launch>
emitPreparation(const Preparation &preparation, const ContractionSpace &space,
                graph::FusionOp fusion, graph::DimAnalysis &dims,
                const KernelTarget &target, mlir::ModuleOp kernels,
                llvm::StringRef name);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_KERNELS_PACKPANELKERNEL_H
