// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From an ONNX model to GraphIR: one function @main, parameters that stay in
// their files, shapes as expressions.
#ifndef ZENITH_FRONTENDS_ONNX_IMPORTONNX_H
#define ZENITH_FRONTENDS_ONNX_IMPORTONNX_H

#include "frontends/onnx/model/ONNXModel.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <map>

namespace zenith::onnx {

struct ImportOptions {
  /// Inputs that are constants, by name: they are no arguments of @main.
  std::map<std::string, Tensor> bindings;
  /// Sizes of named dimensions; types become static where they occur.
  std::map<std::string, int64_t> dims;
  /// Paths of parameters are relative to this folder, in which the IR will be;
  /// empty: the model's own folder.
  std::string folder;
  /// Every initializer of floats stays a parameter, scalars of formulas too.
  bool allParameters = false;
};

/// The model may be destroyed afterwards: the module refers to files only.
/// Needs the graph and func dialects to be loadable.
Result<mlir::OwningOpRef<mlir::ModuleOp>>
importONNX(const Model &model, mlir::MLIRContext *context,
           const ImportOptions &options = {});

/// Data type of an IR element type; Undefined if ONNX has none.
DataType dataTypeOf(mlir::Type element);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_IMPORTONNX_H
