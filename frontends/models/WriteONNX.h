// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GraphIR as an ONNX model that runtimes take.

#ifndef ZENITH_FRONTENDS_MODELS_WRITEONNX_H
#define ZENITH_FRONTENDS_MODELS_WRITEONNX_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace zenith::models {

class Diagnostics;

struct ONNXWriteOptions {
  /// Without it, the lowest usual one that can say the model.
  std::optional<int64_t> opset;
  bool externalData = false; ///< weights of 1 MiB and more go beside the model
  std::string entry;
  std::string folder; ///< where paths of parameters start
  bool verifyFiles = true;
};

/// Writes a file; gives the opset. What no opset can say is the newest one's
/// error.
llvm::Expected<int64_t> writeAsONNX(mlir::ModuleOp module,
                                    const std::string &path,
                                    const ONNXWriteOptions &options,
                                    Diagnostics &diagnostics);
/// The contents of such a file, with all weights inside.
llvm::Expected<std::string> onnxBytes(mlir::ModuleOp module,
                                      const ONNXWriteOptions &options,
                                      Diagnostics &diagnostics);

} // namespace zenith::models

#endif // ZENITH_FRONTENDS_MODELS_WRITEONNX_H
