// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposes a square of vectors in registers.

#ifndef ZENITH_LOWERING_BUILDER_TILETRANSPOSE_H
#define ZENITH_LOWERING_BUILDER_TILETRANSPOSE_H

#include "lowering/builder/KernelBuilder.h"

namespace zenith::kernels {

/// Lane l of vector v becomes lane v of vector l; as many vectors as lanes, a
/// power of two.
void transposeSquare(KernelBuilder &kernel,
                     llvm::MutableArrayRef<mlir::Value> square);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_BUILDER_TILETRANSPOSE_H
