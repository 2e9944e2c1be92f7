// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of every type as unsigned keys whose order is the elements': NaN
// above all numbers and equal to each other, -0 equal to 0.

#ifndef ZENITH_RUNTIME_ROUTINES_ROUTINEKEYS_H
#define ZENITH_RUNTIME_ROUTINES_ROUTINEKEYS_H

#include <cstdint>

namespace zenith::runtime {

/// Writes the keys of `count` elements that lie `distance` elements apart.
void orderKeys(int32_t dtype, const void *from, int64_t distance, int64_t count,
               uint64_t *keys);

/// Bits that a key of the type may use.
unsigned orderKeyBits(int32_t dtype);

/// A complex element counts as two of its part.
struct KeyParts {
  int32_t dtype;
  int64_t perElement;
};
KeyParts keyParts(int32_t dtype);

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_ROUTINES_ROUTINEKEYS_H
