// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions that read results of bf16 ops before they are rounded.

#ifndef ZENITH_FRONTENDS_STABLEHLO_IMPORT_EXCESSPRECISION_H
#define ZENITH_FRONTENDS_STABLEHLO_IMPORT_EXCESSPRECISION_H

#include "mlir/IR/BuiltinOps.h"

namespace zenith::stablehlo {

/// An op in bf16 is computed in f32 and rounded once. A conversion of its
/// result to f32 reads the f32 value instead, as JAX's compiler has it; other
/// uses see the rounded one as before. Conversions of anything else, and those
/// that round an f32 value themselves, stay.
void keepExcessPrecision(mlir::ModuleOp module);

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_IMPORT_EXCESSPRECISION_H
