// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dot products of rows that are contiguous along K in both operands: several
// columns at a time.

#ifndef ZENITH_LOWERING_MICROKERNELS_DOTKERNELWRITER_H
#define ZENITH_LOWERING_MICROKERNELS_DOTKERNELWRITER_H

#include "lowering/microkernels/MicroKernelCode.h"

namespace zenith::kernels {

class DotKernelWriter : MicroKernelCode {
public:
  using MicroKernelCode::MicroKernelCode;

  void write(const MicroKernelArgs &args, mlir::Value rows,
             mlir::Value columnStride);

private:
  void dotsOfColumns(const MicroKernelArgs &args, mlir::Value row,
                     mlir::Value column, unsigned count,
                     mlir::Value columnStride);
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_MICROKERNELS_DOTKERNELWRITER_H
