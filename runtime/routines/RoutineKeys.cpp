// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys of elements that lie apart from each other.

#include "runtime/routines/RoutineKeys.h"

#include "runtime/routines/ElementKeys.h"

namespace zenith::runtime {

template <typename Key>
static void fill(const void *from, int64_t distance, int64_t count,
                 uint64_t *keys) {
  auto *elements = static_cast<const typename Key::Stored *>(from);
  if (distance == 1) {
    for (int64_t i = 0; i < count; ++i)
      keys[i] = Key::of(elements[i]);
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    keys[i] = Key::of(elements[i * distance]);
}

void orderKeys(int32_t dtype, const void *from, int64_t distance, int64_t count,
               uint64_t *keys) {
  withKey(dtype, [&](auto key) ZENITH_LAMBDA {
    fill<decltype(key)>(from, distance, count, keys);
  });
}

KeyParts keyParts(int32_t dtype) {
  if (dtype == ZENITH_C64)
    return {ZENITH_F32, 2};
  if (dtype == ZENITH_C128)
    return {ZENITH_F64, 2};
  return {dtype, 1};
}

unsigned orderKeyBits(int32_t dtype) {
  return unsigned(8 * zenith_dtype_bytes(dtype));
}

} // namespace zenith::runtime
