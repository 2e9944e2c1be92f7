// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// top_k of floats in ONNX's order.

#ifndef ZENITH_FRONTENDS_ONNX_EXPORT_ORDERASONNX_H
#define ZENITH_FRONTENDS_ONNX_EXPORT_ORDERASONNX_H

#include "mlir/IR/BuiltinOps.h"

namespace zenith::onnx {

/// graph.top_k of floats in total order, which integers spell out, becomes
/// top_k of floats: ONNX cannot reinterpret the bits of floats, and its order
/// takes zeros of both signs to be equal and leaves NaN unspecified. The unused
/// integers are removed later.
void orderAsONNX(mlir::ModuleOp module);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_EXPORT_ORDERASONNX_H
