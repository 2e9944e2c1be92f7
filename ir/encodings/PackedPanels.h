// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The packed form of a contraction's right-hand matrix: panels of columns,
// written by passes and read by kernels.

#ifndef ZENITH_IR_ENCODINGS_PACKEDPANELS_H
#define ZENITH_IR_ENCODINGS_PACKEDPANELS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include <cstdint>
#include <optional>

namespace zenith::graph {

/// `packed` is [ceil(N/panel), K, panel]: panel p holds columns p*panel to
/// p*panel+panel-1, zero beyond N. With a group of several depths it is
/// [ceil(N/panel), ceil(K/group), panel, group], zero beyond K.
struct PackedPanels {
  mlir::Value packed;
  int64_t panel;
  int64_t group = 1;
};

/// The value with zeros behind its elements along each dimension, up to
/// `shape`; itself where it has this static shape already.
mlir::Value zeroPadded(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value, llvm::ArrayRef<int64_t> shape);
/// The value of which `value` is a slice of the first elements of each
/// dimension; `value` itself where it is no such slice.
mlir::Value uncut(mlir::Value value);

/// Packs a static matrix [K, N].
mlir::Value packPanels(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value rhs, int64_t panel, int64_t group = 1);
/// The inverse: packed panels -> [K, N].
mlir::Value unpackPanels(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value packed, int64_t k, int64_t n);
/// Recognises what unpackPanels builds, also below a reshape that splits K ([K,
/// N] -> [..., N]) and a widening.
std::optional<PackedPanels> matchUnpackedPanels(mlir::Value value);

/// The bf16 or f16 value that `value` widens to f32 by a convert, or the
/// integer that it widens to i16 or i32; `value` itself where it does neither.
mlir::Value beforeWidening(mlir::Value value);

} // namespace zenith::graph

#endif // ZENITH_IR_ENCODINGS_PACKEDPANELS_H
