// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order-preserving keys of elements, from their representation.

#ifndef ZENITH_RUNTIME_ROUTINES_ELEMENTKEYS_H
#define ZENITH_RUNTIME_ROUTINES_ELEMENTKEYS_H

#include "runtime/ABI.h"
#include "runtime/TargetClones.h"

#include <cstdint>

namespace zenith::runtime {

template <typename Bits>
constexpr Bits signBit = Bits(Bits(1) << (sizeof(Bits) * 8 - 1));

template <typename Bits> struct SignedKey {
  using Stored = Bits;
  ZENITH_METHOD static Bits of(Bits bits) { return bits ^ signBit<Bits>; }
};

template <typename Bits> struct UnsignedKey {
  using Stored = Bits;
  ZENITH_METHOD static Bits of(Bits bits) { return bits; }
};

/// `Largest`: bits of the largest magnitude that is no NaN.
template <typename Bits, Bits Largest> struct FloatKey {
  using Stored = Bits;
  ZENITH_METHOD static Bits of(Bits bits) {
    Bits magnitude = bits & Bits(~signBit<Bits>);
    if (magnitude > Largest)
      return Bits(~Bits(0));
    if (magnitude == 0)
      return signBit<Bits>;
    return bits & signBit<Bits> ? Bits(~bits) : Bits(bits | signBit<Bits>);
  }
};

/// Floats whose only NaN has the bits of -0.
struct UnsignedZeroKey {
  using Stored = uint8_t;
  ZENITH_METHOD static uint8_t of(uint8_t bits) {
    if (bits == 0x80)
      return 0xff;
    return bits & 0x80 ? uint8_t(~bits) : uint8_t((bits | 0x80) - 1);
  }
};

/// Runs with the key of a type, whose `of` gives that of an element.
template <typename Run> ZENITH_INLINE void withKey(int32_t dtype, Run run) {
  switch (dtype) {
  case ZENITH_I4:
  case ZENITH_I8:
    return run(SignedKey<uint8_t>());
  case ZENITH_I16:
    return run(SignedKey<uint16_t>());
  case ZENITH_I32:
    return run(SignedKey<uint32_t>());
  case ZENITH_I64:
    return run(SignedKey<uint64_t>());
  case ZENITH_I1:
  case ZENITH_UI4:
  case ZENITH_UI8:
    return run(UnsignedKey<uint8_t>());
  case ZENITH_UI16:
    return run(UnsignedKey<uint16_t>());
  case ZENITH_UI32:
    return run(UnsignedKey<uint32_t>());
  case ZENITH_UI64:
    return run(UnsignedKey<uint64_t>());
  case ZENITH_F16:
    return run(FloatKey<uint16_t, 0x7c00>());
  case ZENITH_BF16:
    return run(FloatKey<uint16_t, 0x7f80>());
  case ZENITH_F32:
    return run(FloatKey<uint32_t, 0x7f800000>());
  case ZENITH_F64:
    return run(FloatKey<uint64_t, 0x7ff0000000000000>());
  case ZENITH_F8E4M3:
    return run(FloatKey<uint8_t, 0x78>());
  case ZENITH_F8E4M3FN:
    return run(FloatKey<uint8_t, 0x7e>());
  case ZENITH_F8E5M2:
    return run(FloatKey<uint8_t, 0x7c>());
  case ZENITH_F8E3M4:
    return run(FloatKey<uint8_t, 0x70>());
  case ZENITH_F8E4M3FNUZ:
  case ZENITH_F8E4M3B11FNUZ:
  case ZENITH_F8E5M2FNUZ:
    return run(UnsignedZeroKey());
  }
}

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_ROUTINES_ELEMENTKEYS_H
