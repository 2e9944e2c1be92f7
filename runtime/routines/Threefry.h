// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threefry-2x32 with 20 rounds, the hash of a counter behind random bits
// (Salmon et al., Parallel random numbers: as easy as 1, 2, 3).

#ifndef ZENITH_RUNTIME_ROUTINES_THREEFRY_H
#define ZENITH_RUNTIME_ROUTINES_THREEFRY_H

#include <cstdint>

namespace zenith::runtime {

/// Replaces the two words of a counter by their hash under a key.
inline void threefry(uint32_t counter[2], uint32_t key0, uint32_t key1) {
  constexpr unsigned rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t keys[3] = {key0, key1, key0 ^ key1 ^ 0x1BD11BDAu};
  uint32_t x = counter[0] + keys[0], y = counter[1] + keys[1];
  for (unsigned group = 0; group < 5; ++group) {
    for (unsigned rotation : rotations[group % 2]) {
      x += y;
      y = (y << rotation | y >> (32 - rotation)) ^ x;
    }
    x += keys[(group + 1) % 3];
    y += keys[(group + 2) % 3] + group + 1;
  }
  counter[0] = x;
  counter[1] = y;
}

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_ROUTINES_THREEFRY_H
