// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adapts a copy of the module to an opset, and tries the next one where that
// cannot say it.

#include "frontends/models/WriteONNX.h"

#include "frontends/models/Diagnostics.h"
#include "frontends/onnx/ExportONNX.h"
#include "frontends/onnx/export/DoubleFunctions.h"
#include "frontends/onnx/export/OrderAsONNX.h"
#include "frontends/onnx/export/RuntimeTypes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "passes/GraphPasses.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::models;

// Weights of at least this many bytes go beside the model, where asked for.
static constexpr uint64_t externalBytes = 1 << 20;

// ONNX has no functions, no reduction or sort by a region, and no random bits
// from a key, and runtimes lack some types. It has ops for most of the regions,
// and since opset 18 the ops that random bits are made of.
static llvm::Error adaptToONNX(ModuleOp module, int64_t opset) {
  PassManager calls(module.getContext());
  calls.addPass(createInlineCallsPass({/*keepOperators=*/true}));
  if (failed(calls.run(module)))
    return reportedError(ErrorCode::Unsupported,
                         "calls that cannot be written as ONNX");
  onnx::orderAsONNX(module);
  PassManager passes(module.getContext());
  passes.addNestedPass<func::FuncOp>(createRaiseRegionsPass());
  if (opset >= 18)
    passes.addNestedPass<func::FuncOp>(createDecomposeRandomPass());
  if (failed(passes.run(module)))
    return makeError(ErrorCode::Internal,
                     "the module cannot be adapted to ONNX");
  onnx::expandDoubleFunctions(module);
  onnx::useRuntimeTypes(module);
  return llvm::Error::success();
}

/// A model of one opset, of which `path` is the file in messages.
static llvm::Expected<onnx::Model> exportWith(ModuleOp module, int64_t opset,
                                              const std::string &path,
                                              const ONNXWriteOptions &options) {
  if (llvm::Error error = adaptToONNX(module, opset))
    return std::move(error);
  onnx::ExportOptions settings;
  settings.opset = opset;
  settings.entry = options.entry;
  settings.folder = options.folder;
  settings.verifyFiles = options.verifyFiles;
  auto model = onnx::exportONNX(module, settings);
  if (!model)
    return makeError(model.error().ofFile(path));
  return std::move(*model);
}

namespace {
struct Attempt {
  std::optional<onnx::Model> model;
  std::optional<Error> error;
  std::vector<Diagnostic> diagnostics;
};
} // namespace

/// Exports a copy of the module: opsets are adapted to in different ways.
static Attempt tryOpset(ModuleOp module, int64_t opset, const std::string &path,
                        const ONNXWriteOptions &options) {
  Attempt attempt;
  OwningOpRef<ModuleOp> copy(module.clone());
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        attempt.diagnostics.push_back(std::move(diagnostic));
        return success();
      });
  llvm::Expected<onnx::Model> model = exportWith(*copy, opset, path, options);
  if (model)
    attempt.model = std::move(*model);
  else
    attempt.error = errorOf(model.takeError());
  return attempt;
}

/// The model of the first opset that can say it; `opset` receives that.
static llvm::Expected<onnx::Model> toONNX(ModuleOp module,
                                          const std::string &path,
                                          const ONNXWriteOptions &options,
                                          Diagnostics &diagnostics,
                                          int64_t &opset) {
  int64_t last = options.opset.value_or(onnx::newestOpset);
  opset = options.opset.value_or(onnx::usualOpset);
  Attempt attempt = tryOpset(module, opset, path, options);
  while (attempt.error && attempt.error->code == ErrorCode::Unsupported &&
         opset < last)
    attempt = tryOpset(module, ++opset, path, options);
  for (Diagnostic &diagnostic : attempt.diagnostics)
    (void)diagnostics.handle(diagnostic, path);
  if (attempt.error)
    return makeError(std::move(*attempt.error));
  return std::move(*attempt.model);
}

llvm::Expected<int64_t>
zenith::models::writeAsONNX(ModuleOp module, const std::string &path,
                            const ONNXWriteOptions &options,
                            Diagnostics &diagnostics) {
  int64_t opset = 0;
  llvm::Expected<onnx::Model> model =
      toONNX(module, path, options, diagnostics, opset);
  if (!model)
    return model.takeError();
  onnx::SaveOptions save;
  if (options.externalData)
    save.externalBytes = externalBytes;
  Status status = onnx::saveModel(*model, path, save);
  if (!status)
    return makeError(status.error().ofFile(path));
  return opset;
}

llvm::Expected<std::string>
zenith::models::onnxBytes(ModuleOp module, const ONNXWriteOptions &options,
                          Diagnostics &diagnostics) {
  int64_t opset = 0;
  llvm::Expected<onnx::Model> model =
      toONNX(module, "<memory>", options, diagnostics, opset);
  if (!model)
    return model.takeError();
  Result<std::string> bytes = onnx::modelBytes(*model);
  if (!bytes)
    return makeError(bytes.error());
  return std::move(*bytes);
}
