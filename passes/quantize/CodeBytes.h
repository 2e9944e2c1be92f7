// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes codes of 4 bits, two to a byte.

#ifndef ZENITH_PASSES_QUANTIZE_CODEBYTES_H
#define ZENITH_PASSES_QUANTIZE_CODEBYTES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace zenith::quantize {

/// Integers of at least `low`, as i8 that begin at 0.
mlir::Value codesFromZero(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value integers, int64_t low);
/// Entry `index` of a dimension, without the dimension.
mlir::Value entryOf(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value value, int64_t dim, int64_t index);
/// Codes in [0, 15], of which dimension `dim` has two, as bytes without the
/// dimension: the first code has the low bits.
mlir::Value pairsInBytes(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value codes, int64_t dim);

} // namespace zenith::quantize

#endif // ZENITH_PASSES_QUANTIZE_CODEBYTES_H
