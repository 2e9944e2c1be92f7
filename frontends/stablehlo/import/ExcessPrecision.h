// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions that read results of bf16 ops before rounding.

#ifndef ZENITH_FRONTENDS_STABLEHLO_IMPORT_EXCESSPRECISION_H
#define ZENITH_FRONTENDS_STABLEHLO_IMPORT_EXCESSPRECISION_H

#include "mlir/IR/BuiltinOps.h"

namespace zenith::stablehlo {

/// An op in bf16 is computed in f32 and rounded once. A conversion of its
/// result to f32 reads the f32 value instead, as in JAX's compiler; other uses
/// still read the rounded value. All other conversions stay, also those that
/// round an f32 value themselves.
void keepExcessPrecision(mlir::ModuleOp module);

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_IMPORT_EXCESSPRECISION_H
