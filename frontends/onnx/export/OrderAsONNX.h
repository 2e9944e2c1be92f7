// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The largest floats in ONNX's order.

#ifndef ZENITH_FRONTENDS_ONNX_EXPORT_ORDERASONNX_H
#define ZENITH_FRONTENDS_ONNX_EXPORT_ORDERASONNX_H

#include "mlir/IR/BuiltinOps.h"

namespace zenith::onnx {

/// graph.top_k of floats in total order, which integers spell out, becomes one
/// of floats: ONNX has no bits of numbers, and its order holds zeros of both
/// signs to be equal and says nothing of NaN. The integers stay behind unused.
void orderAsONNX(mlir::ModuleOp module);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_EXPORT_ORDERASONNX_H
