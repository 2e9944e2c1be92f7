// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementary functions of expressions, by the names that formulas use.

#ifndef ZENITH_FRONTENDS_STABLEHLO_IMPORT_FUNCTIONS_EXPRFUNCTIONS_H
#define ZENITH_FRONTENDS_STABLEHLO_IMPORT_FUNCTIONS_EXPRFUNCTIONS_H

#include "frontends/stablehlo/builder/HLOBuilder.h"
#include <limits>

namespace zenith::stablehlo {

constexpr double infinity = std::numeric_limits<double>::infinity();

inline Expr abs(Expr x) { return x.apply<graph::AbsOp>(); }
inline Expr exp(Expr x) { return x.apply<graph::ExpOp>(); }
inline Expr log(Expr x) { return x.apply<graph::LogOp>(); }
inline Expr log1p(Expr x) { return x.apply<graph::Log1pOp>(); }
inline Expr sqrt(Expr x) { return x.apply<graph::SqrtOp>(); }

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_IMPORT_FUNCTIONS_EXPRFUNCTIONS_H
