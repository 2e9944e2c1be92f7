// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers on their way to integers of a few bits: what bounds and rounding
// before a conversion come to.

#ifndef ZENITH_LOWERING_ELEMENTS_QUANTIZATION_H
#define ZENITH_LOWERING_ELEMENTS_QUANTIZATION_H

#include "lowering/elements/ElementEmitter.h"
#include <optional>

namespace zenith::kernels {

/// What a conversion of floats to integers has the same result of: bounds that
/// are no tighter than the type's own change nothing.
mlir::Value withoutBounds(graph::ConvertOp op);

/// A whole number, rounded to even or rounded so and moved by a whole number,
/// that is converted to an integer of at most 16 bits.
struct Quantized {
  mlir::Value scaled;    ///< before it is rounded
  mlir::Value divisor;   ///< by which it is divided before; null for none
  mlir::Value zeroPoint; ///< null for none

  static std::optional<Quantized> match(graph::ConvertOp op);
  /// Those of its values that it has.
  llvm::SmallVector<mlir::Value> sources() const;
  /// The converted lanes of these.
  mlir::Value convert(ElementEmitter &emitter,
                      llvm::ArrayRef<mlir::Value> lanes, mlir::Type to) const;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_ELEMENTS_QUANTIZATION_H
