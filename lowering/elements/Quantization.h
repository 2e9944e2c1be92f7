// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantization: floats to integers of a few bits, with bounds and rounding
// before the conversion.

#ifndef ZENITH_LOWERING_ELEMENTS_QUANTIZATION_H
#define ZENITH_LOWERING_ELEMENTS_QUANTIZATION_H

#include "lowering/elements/ElementEmitter.h"
#include <optional>

namespace zenith::kernels {

/// The operand of a float to integer conversion without bounds that change
/// nothing, since the type's own bounds are as tight.
mlir::Value withoutBounds(graph::ConvertOp op);

/// A value that is rounded to even, or rounded so and shifted by a zero point,
/// and converted to an integer of at most 16 bits.
struct Quantized {
  mlir::Value scaled;    ///< before it is rounded
  mlir::Value divisor;   ///< by which it is divided before; null for none
  mlir::Value zeroPoint; ///< null for none

  static std::optional<Quantized> match(graph::ConvertOp op);
  /// The values above that are not null.
  llvm::SmallVector<mlir::Value> sources() const;
  /// The converted lanes, given lanes of the sources.
  mlir::Value convert(ElementEmitter &emitter,
                      llvm::ArrayRef<mlir::Value> lanes, mlir::Type to) const;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_ELEMENTS_QUANTIZATION_H
