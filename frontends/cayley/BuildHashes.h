// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hashes of rows of integers as a GraphIR program.

#ifndef ZENITH_FRONTENDS_CAYLEY_BUILDHASHES_H
#define ZENITH_FRONTENDS_CAYLEY_BUILDHASHES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OwningOpRef.h"

namespace zenith::cayley {

enum class HashKind {
  Matrix, ///< sum of x[i] * m[i, lane] modulo 2^31 - 1
  Poly32  ///< h = h * 0x01000193 + x[i] + 1 modulo 2^32, from h = 0
};

struct HashOptions {
  HashKind kind = HashKind::Matrix;
  int64_t lanes = 1; ///< hashes of a row; 1 of Poly32
  uint64_t seed = 0; ///< key of the matrix
};

/// A module whose @main takes rows, tensor<? x width x element>, and gives
/// their hashes: tensor<? x lanes x i64> of Matrix, whose numbers m are
/// jax.random.bits(PRNGKey(seed), (width, lanes), uint32) modulo 2^31 - 1, and
/// tensor<? x 1 x ui32> of Poly32. Sums are exact for all integers.
/// Precondition: `element` is an integer type of 8 to 64 bits.
mlir::OwningOpRef<mlir::ModuleOp> buildHashes(int64_t width, mlir::Type element,
                                              const HashOptions &options,
                                              mlir::MLIRContext *context);

} // namespace zenith::cayley

#endif // ZENITH_FRONTENDS_CAYLEY_BUILDHASHES_H
