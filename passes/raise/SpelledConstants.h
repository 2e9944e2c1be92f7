// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of formulas, as programs spell them.

#ifndef ZENITH_PASSES_RAISE_SPELLEDCONSTANTS_H
#define ZENITH_PASSES_RAISE_SPELLEDCONSTANTS_H

#include "ir/matchers/SplatConstant.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

namespace zenith::raise {

/// Whether a constant among values of `type` is `expected`: near it, but in f64
/// to all digits, since 1/sqrt(2) of seven digits is another number there.
inline bool isSpelled(std::optional<double> value, double expected,
                      mlir::Type type) {
  constexpr double rounding = 1e-14;
  if (!mlir::getElementTypeOrSelf(type).isF64())
    return graph::isNear(value, expected);
  return value && std::abs(*value - expected) <= rounding * std::abs(expected);
}

} // namespace zenith::raise

#endif // ZENITH_PASSES_RAISE_SPELLEDCONSTANTS_H
