// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quotients and remainders of vectors, for which processors have scalar
// instructions only.

#ifndef ZENITH_LOWERING_BUILDER_LANEDIVISION_H
#define ZENITH_LOWERING_BUILDER_LANEDIVISION_H

#include "lowering/builder/LaneValue.h"

namespace zenith::kernels {

/// `usual` unless a lane is `rare`: then what `always` computes from it, which
/// is right for all lanes. For vectors.
LaneValue unlessAny(Flag rare, LaneValue usual,
                    llvm::function_ref<LaneValue(LaneValue usual)> always);

/// x / y of floats.
LaneValue quotient(LaneValue x, LaneValue y);
/// x / y for finite x, except for the sign of a zero.
LaneValue quotientOfFinite(LaneValue x, LaneValue y);

/// x - y * trunc(x / y) of f32 or f64, exactly, as C's fmod.
LaneValue exactRemainder(LaneValue x, LaneValue y);

/// Whether `truncatedQuotient` takes fewer instructions than one integer
/// division per lane: for vectors of elements of at most 32 bits and no
/// constant divisor.
bool dividesAsFloats(LaneValue x, LaneValue y);
/// trunc(x / y) of integers; y is not 0, and not -1 if they are signed.
LaneValue truncatedQuotient(LaneValue x, LaneValue y, bool isUnsigned);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_BUILDER_LANEDIVISION_H
