// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The range of values that an integer tensor can hold.

#ifndef ZENITH_IR_MATCHERS_INTEGERRANGE_H
#define ZENITH_IR_MATCHERS_INTEGERRANGE_H

#include "mlir/IR/Value.h"
#include <cstdint>
#include <optional>

namespace zenith::graph {

struct IntegerRange {
  int64_t low, high;
  bool fits(unsigned bits) const {
    return low >= -(int64_t(1) << (bits - 1)) && high < int64_t(1)
                                                            << (bits - 1);
  }
  int64_t magnitude() const { return low < -high ? -low : high; }
};

/// The range of a type of at most 16 bits; nullopt for others.
std::optional<IntegerRange> rangeOfType(mlir::Type element);

/// A range of all elements of a value of at most 16 bits, or of an i32 that was
/// computed from such values; nullopt where none is known.
std::optional<IntegerRange> rangeOf(mlir::Value value, unsigned opsLeft = 8);

} // namespace zenith::graph

#endif // ZENITH_IR_MATCHERS_INTEGERRANGE_H
