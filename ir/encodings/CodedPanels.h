// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packed panels whose elements are integers of few bits times a scale per block
// of K (block-wise quantized weights): memory holds the integers, and a GEMM
// widens a block of a panel at a time.

#ifndef ZENITH_IR_ENCODINGS_CODEDPANELS_H
#define ZENITH_IR_ENCODINGS_CODEDPANELS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include <cstdint>
#include <optional>

namespace zenith::graph {

/// The packed panels [panels, K, panel] of f32 (ir/encodings/PackedPanels.h)
/// whose element at k is (integer - zero) * scale. Scale and zero point are
/// those of block k / `block` of the column; the last block may be shorter.
struct CodedPanels {
  /// i8 or ui8 [panels, K, panel]; or i8 [panels, ceil(K / 2), panel] with two
  /// codes of 4 bits in each, that of the even k in the low bits.
  mlir::Value integers;
  bool isHalved = false;
  mlir::Value scales; ///< f32 [panels, ceil(K / block), panel]
  /// Of the shape of `scales`: of f32, or of the type of `integers`. Null where
  /// all are `zero`, which is 0 unless the panels are halved.
  mlir::Value zeros;
  int64_t zero = 0;
  int64_t k = 0, block = 1;
};

/// Computes the panels.
mlir::Value decodePanels(mlir::OpBuilder &builder, mlir::Location loc,
                         const CodedPanels &panels);
/// Recognises what decodePanels builds. `ops`, where it is not null, takes the
/// ops from the panels up to what they are computed from.
std::optional<CodedPanels>
matchCodedPanels(mlir::Value panels,
                 llvm::SmallVectorImpl<mlir::Operation *> *ops = nullptr);

} // namespace zenith::graph

#endif // ZENITH_IR_ENCODINGS_CODEDPANELS_H
