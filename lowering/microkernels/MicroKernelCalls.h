// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of micro-kernels, each of which is emitted once per module.

#ifndef ZENITH_LOWERING_MICROKERNELS_MICROKERNELCALLS_H
#define ZENITH_LOWERING_MICROKERNELS_MICROKERNELCALLS_H

#include "lowering/microkernels/MicroKernel.h"

namespace zenith::kernels {

/// Calls the micro-kernel, which is emitted once per module; emits it in place
/// where the target has no calls.
void callMicroKernel(KernelBuilder &builder, const MicroKernel &kernel,
                     const MicroKernelArgs &args);
/// Calls the micro-kernel with `rows` rows, which is one of `possible`; nothing
/// where that is empty.
void callMicroKernelByHeight(KernelBuilder &builder, const MicroKernel &kernel,
                             const MicroKernelArgs &args, mlir::Value rows,
                             llvm::ArrayRef<unsigned> possible);
/// Calls the micro-kernel with `rows` rows, any number from 1 to the first of
/// `heights`, which only a run knows. Each of these, from tall to short, has
/// code of its own; of a tile between them the last row is computed again, or
/// rows are skipped where the kernel does that. `highestIsFull`: most tiles
/// have as many rows as the highest, which skips none.
void callMicroKernelUpTo(KernelBuilder &builder, const MicroKernel &kernel,
                         MicroKernelArgs args, mlir::Value rows,
                         llvm::ArrayRef<unsigned> heights,
                         bool highestIsFull = true);
/// Every `step`th height from `most` down.
llvm::SmallVector<unsigned> everyHeight(unsigned most, unsigned step);

/// Dot products of rows that are contiguous along K in both operands (B is
/// transposed): for r < rows, n < columns, c[cOffset + r * rowStrideC + n] =
/// sum over k of a[aOffset + r * rowStride + k] * b[bOffset + n * columnStride
/// + k]. Uses lanes, sets, fma and types of `kernel` only.
void callDotKernel(KernelBuilder &builder, const MicroKernel &kernel,
                   const MicroKernelArgs &args, mlir::Value rows,
                   mlir::Value columnStride);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_MICROKERNELS_MICROKERNELCALLS_H
