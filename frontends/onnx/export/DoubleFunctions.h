// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of doubles that runtimes have no kernels for.

#ifndef ZENITH_FRONTENDS_ONNX_EXPORT_DOUBLEFUNCTIONS_H
#define ZENITH_FRONTENDS_ONNX_EXPORT_DOUBLEFUNCTIONS_H

#include "mlir/IR/BuiltinOps.h"

namespace zenith::onnx {

/// Replaces inverse trigonometric, hyperbolic and error functions of f64, and
/// gelu, by formulas of functions that runtimes have in f64, within a few units
/// in the last place. Runtimes have them in f32 and narrower types only.
void expandDoubleFunctions(mlir::ModuleOp module);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_EXPORT_DOUBLEFUNCTIONS_H
