// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the loops over K of all forms have: operands, masks, prefetch.

#ifndef ZENITH_LOWERING_MICROKERNELS_KLOOP_H
#define ZENITH_LOWERING_MICROKERNELS_KLOOP_H

#include "lowering/microkernels/TilePrefetch.h"

namespace zenith::kernels {

class KLoop : protected MicroKernelCode {
public:
  /// `masks`: of each vector of columns, where the kernel is masked.
  KLoop(const MicroKernelCode &code, const MicroKernelArgs &args,
        mlir::ValueRange masks)
      : MicroKernelCode(code), args(args), masks(masks), prefetch(code) {}

protected:
  const MicroKernelArgs &args;
  mlir::ValueRange masks;
  TilePrefetch prefetch;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_MICROKERNELS_KLOOP_H
