// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the code of one micro-kernel, in a function of its own or in place.

#ifndef ZENITH_LOWERING_MICROKERNELS_MICROKERNELWRITER_H
#define ZENITH_LOWERING_MICROKERNELS_MICROKERNELWRITER_H

#include "lowering/microkernels/GroupedKLoop.h"
#include "lowering/microkernels/OuterProductLoop.h"

namespace zenith::kernels {

/// A tile of accumulators around the loops over filter taps and K. One SSA
/// value per accumulator, so that each stays in its register.
class MicroKernelWriter : MicroKernelCode {
public:
  MicroKernelWriter(mlir::OpBuilder &b, mlir::Location loc,
                    const MicroKernel &kernel, const TargetModel &target,
                    const MicroKernelArgs &args)
      : MicroKernelCode(b, loc, kernel, target), args(args),
        masks(masksOfColumns()), outer(*this, args, masks),
        grouped(*this, args, masks) {}

  void write();

private:
  Values masksOfColumns();
  mlir::Value toRow(unsigned r, mlir::Value stride);
  Values tapLoops(unsigned level, mlir::ValueRange aRows, mlir::Value bOffset,
                  mlir::Value position, Values sums);
  Values clippedTap(mlir::ValueRange aRows, mlir::Value bOffset,
                    mlir::Value position, Values sums);
  Values kLoop(mlir::ValueRange aMemory, mlir::ValueRange aRows,
               mlir::Value bOffset, Values sums);
  /// The loop over K in steps of one k, or of one pair, per set.
  Values stepLoop(mlir::ValueRange aMemory, mlir::ValueRange aRows,
                  mlir::Value bOffset, Values sums);
  /// The loop over K where lanes run along it.
  Values alongKLoop(mlir::ValueRange aMemory, mlir::ValueRange aRows,
                    mlir::Value bOffset, Values sums);

  const MicroKernelArgs &args;
  Values masks; ///< of each vector of columns, where the kernel is masked
  OuterProductLoop outer;
  GroupedKLoop grouped;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_MICROKERNELS_MICROKERNELWRITER_H
