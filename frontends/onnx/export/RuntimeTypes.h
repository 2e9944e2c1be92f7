// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types in which runtimes have the operators.

#ifndef ZENITH_FRONTENDS_ONNX_EXPORT_RUNTIMETYPES_H
#define ZENITH_FRONTENDS_ONNX_EXPORT_RUNTIMETYPES_H

#include "mlir/IR/BuiltinOps.h"

namespace zenith::onnx {

/// ONNX defines its operators for more types than runtimes have kernels for:
/// bf16, f16 in a few, 16-bit and unsigned integers in many. Ops of such types
/// are computed in a wider type, or in the signed one of the same bits, between
/// conversions that keep every result.
void useRuntimeTypes(mlir::ModuleOp module);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_EXPORT_RUNTIMETYPES_H
