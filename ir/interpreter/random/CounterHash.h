// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hashes behind random bits: Threefry-2x32 and Philox-4x32 of one counter.

#ifndef ZENITH_IR_INTERPRETER_RANDOM_COUNTERHASH_H
#define ZENITH_IR_INTERPRETER_RANDOM_COUNTERHASH_H

#include "mlir/IR/BuiltinTypes.h"
#include <cstdint>

namespace zenith {
class Tensor;
}

namespace zenith::interpreter {

/// Two words of 32 bits, a counter, a key or a hash.
struct Words2 {
  uint32_t first, second;
};
struct Words4 {
  uint32_t word[4];
};
/// The counter of Philox: 128 bits.
struct Counter {
  uint64_t low, high;
  Counter plus(uint64_t steps) const {
    return {low + steps, high + (low + steps < low)};
  }
};

/// The lower and the upper half.
inline Words2 halvesOf(uint64_t value) {
  return {uint32_t(value), uint32_t(value >> 32)};
}

/// 20 rounds: five groups of four, a key word after each.
Words2 threefry(Words2 counter, Words2 key);
/// 10 rounds.
Words4 philox(Counter counter, uint64_t key);

/// Fills integers with words from `counter` on, 64-bit ones with two; gives how
/// many counters were used.
uint64_t fillPhilox(Tensor &bits, Counter counter, uint64_t key);

} // namespace zenith::interpreter

#endif // ZENITH_IR_INTERPRETER_RANDOM_COUNTERHASH_H
