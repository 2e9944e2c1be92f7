// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One vector from lanes of several.

#ifndef ZENITH_LOWERING_BUILDER_LANESHUFFLE_H
#define ZENITH_LOWERING_BUILDER_LANESHUFFLE_H

#include "lowering/builder/KernelBuilder.h"

namespace zenith::kernels {

/// A lane of one of several vectors.
struct VectorLane {
  int64_t vector, lane;
};

/// A vector of the lanes source(0), source(1), ... of vectors of its own type:
/// a shuffle of two for each vector but the first.
mlir::Value shuffled(KernelBuilder &kernel, llvm::ArrayRef<mlir::Value> vectors,
                     llvm::function_ref<VectorLane(int64_t lane)> source);

/// Elements `first`, first + n, first + 2n and so on of n vectors.
mlir::Value everyNth(KernelBuilder &kernel, llvm::ArrayRef<mlir::Value> vectors,
                     int64_t first);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_BUILDER_LANESHUFFLE_H
