// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The register tile that a product's packed panels ask for.

#ifndef ZENITH_LOWERING_KERNELS_TILETARGET_H
#define ZENITH_LOWERING_KERNELS_TILETARGET_H

#include "lowering/kernels/Kernel.h"

namespace zenith::kernels {

/// The target as the contraction of the fusion sees it: where weights lie in
/// panels half as wide as a tile, that of a tile half as wide and twice as
/// high.
KernelTarget tileTarget(graph::FusionOp fusion, const KernelTarget &target);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_KERNELS_TILETARGET_H
