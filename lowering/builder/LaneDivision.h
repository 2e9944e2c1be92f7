// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What processors have for scalars only, for vectors: quotients and remainders.

#ifndef ZENITH_LOWERING_BUILDER_LANEDIVISION_H
#define ZENITH_LOWERING_BUILDER_LANEDIVISION_H

#include "lowering/builder/LaneNumber.h"

namespace zenith::kernels {

/// `usual`, or if any lane is `rare` what `always` makes of all of them: for
/// vectors.
Num unlessAny(Flag rare, Num usual, llvm::function_ref<Num(Num usual)> always);

/// x / y of floats.
Num quotient(Num x, Num y);
/// The same where x is finite, but for the sign of a zero.
Num quotientOfFinite(Num x, Num y);

/// x - y * trunc(x / y) of f32 or f64, exactly, as C's fmod.
Num exactRemainder(Num x, Num y);

/// Whether `truncatedQuotient` is shorter than a division of integers lane by
/// lane: for vectors of at most 32 bits, and no constant divisor.
bool dividesAsFloats(Num x, Num y);
/// trunc(x / y); y is not 0, and of signed numbers not -1.
Num truncatedQuotient(Num x, Num y, bool isUnsigned);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_BUILDER_LANEDIVISION_H
