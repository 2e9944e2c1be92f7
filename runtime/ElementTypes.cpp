// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes and names of the ABI's element types.

#include "runtime/ABI.h"

struct ElementType {
  const char *name;
  int64_t bytes;
};

/// In the order of zenith_dtype, which starts at 1.
static constexpr ElementType elementTypes[] = {
    {"unknown", 0},
    {"i1", 1},
    {"i4", 1},
    {"ui4", 1},
    {"i8", 1},
    {"i16", 2},
    {"i32", 4},
    {"i64", 8},
    {"ui8", 1},
    {"ui16", 2},
    {"ui32", 4},
    {"ui64", 8},
    {"f16", 2},
    {"bf16", 2},
    {"f32", 4},
    {"f64", 8},
    {"f8E4M3", 1},
    {"f8E4M3FN", 1},
    {"f8E4M3FNUZ", 1},
    {"f8E4M3B11FNUZ", 1},
    {"f8E5M2", 1},
    {"f8E5M2FNUZ", 1},
    {"f8E3M4", 1},
    {"complex<f32>", 8},
    {"complex<f64>", 16},
};

static const ElementType &elementType(int32_t dtype) {
  constexpr int32_t count = sizeof(elementTypes) / sizeof(elementTypes[0]);
  static_assert(count == ZENITH_C128 + 1, "one row per zenith_dtype");
  return elementTypes[dtype > 0 && dtype < count ? dtype : 0];
}

int64_t zenith_dtype_bytes(int32_t dtype) noexcept {
  return elementType(dtype).bytes;
}

const char *zenith_dtype_name(int32_t dtype) noexcept {
  return elementType(dtype).name;
}
