// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dot products of four bytes (VNNI) and of pairs of bf16, and what dot products
// by instructions share.

#ifndef ZENITH_LOWERING_MICROKERNELS_INT8DOT_H
#define ZENITH_LOWERING_MICROKERNELS_INT8DOT_H

#include "ir/target/TargetModel.h"
#include "mlir/IR/Builders.h"

namespace zenith::kernels {

/// The sums plus dot products of neighbouring elements of x and y, by an
/// instruction of which there is one for each register of 4 sums, of 8, up to
/// `most`: a schedule may have longer vectors, and shorter ones.
mlir::Value dotByRegisters(mlir::OpBuilder &b, mlir::Location loc,
                           llvm::StringRef instruction, unsigned most,
                           mlir::Value sum, mlir::Value x, mlir::Value y);

/// Sums of the longest register that the target's VNNI instruction adds to; 0:
/// it has none.
unsigned vnniLanes(const target::TargetModel &target);

/// sum[i] + the dot product of bytes 4i to 4i+3 of `x` and `y`: vectors of 4n
/// bytes, unsigned and signed, for a `sum` of n i32. `vnni`: the sums of a
/// register, which one instruction adds to; 0: there is none.
mlir::Value addInt8Dot(mlir::OpBuilder &b, mlir::Location loc, mlir::Value sum,
                       mlir::Value x, mlir::Value y, unsigned vnni);

/// sum[i] + the dot product of elements 2i and 2i+1 of `x` and `y`: vectors of
/// the bits of 2n bf16, for a `sum` of n f32.
mlir::Value addBF16Dot(mlir::OpBuilder &b, mlir::Location loc, mlir::Value sum,
                       mlir::Value x, mlir::Value y);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_MICROKERNELS_INT8DOT_H
