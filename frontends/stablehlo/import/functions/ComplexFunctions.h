// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of complex numbers that CHLO has and GraphIR does not, by real and
// imaginary parts.

#ifndef ZENITH_FRONTENDS_STABLEHLO_IMPORT_FUNCTIONS_COMPLEXFUNCTIONS_H
#define ZENITH_FRONTENDS_STABLEHLO_IMPORT_FUNCTIONS_COMPLEXFUNCTIONS_H

#include "frontends/stablehlo/builder/HLOBuilder.h"

namespace zenith::stablehlo {

/// A complex number as its parts. The functions below are made for f64.
struct ComplexExpr {
  Expr real, imag;
  Value join() const { return real.builder->complexOf(real.value, imag.value); }
};
/// The parts of a value of complex type, in its own precision.
ComplexExpr partsOf(HLOBuilder &x, Value value);

/// Within 3 ulp of the principal values; infinities, NaNs and signs of zeros
/// follow the limits of the functions.
ComplexExpr complexAsin(ComplexExpr z);
ComplexExpr complexAcos(ComplexExpr z);
ComplexExpr complexAtan(ComplexExpr z);
ComplexExpr complexAsinh(ComplexExpr z);
ComplexExpr complexAcosh(ComplexExpr z);
ComplexExpr complexAtanh(ComplexExpr z);
ComplexExpr complexSinh(ComplexExpr z);
ComplexExpr complexCosh(ComplexExpr z);
ComplexExpr complexTan(ComplexExpr z);
ComplexExpr complexSquare(ComplexExpr z);

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_IMPORT_FUNCTIONS_COMPLEXFUNCTIONS_H
