// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From GraphIR to an ONNX model: public names, their order and named dimensions
// survive, weights stay where they are.
#ifndef ZENITH_FRONTENDS_ONNX_EXPORTONNX_H
#define ZENITH_FRONTENDS_ONNX_EXPORTONNX_H

#include "frontends/onnx/model/ONNXModel.h"
#include "mlir/IR/BuiltinOps.h"

namespace zenith::onnx {

/// Opsets that can be written.
inline constexpr int64_t oldestOpset = 13, newestOpset = 23;
/// What is written unless a model needs a newer one.
inline constexpr int64_t usualOpset = 17;

struct ExportOptions {
  int64_t opset = usualOpset;
  /// Function to export; empty: the only public one, else `main`.
  std::string entry;
  /// Folder that paths of parameters are relative to: the one of the IR file;
  /// empty: the current one.
  std::string folder;
  /// Compares checksums of parameters with those that the IR records.
  bool verifyFiles = true;
};

/// Accepts the IR as imported or cleaned: one function without fusions or
/// control flow.
Result<Model> exportONNX(mlir::ModuleOp module,
                         const ExportOptions &options = {});

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_EXPORTONNX_H
