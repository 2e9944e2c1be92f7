// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Feeds arbitrary bytes to the ONNX frontend: whatever they are, reading and
// importing end in a value or an error.

#include "frontends/onnx/ImportONNX.h"
#include "ir/GraphDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

using namespace zenith;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto source = files::ByteSource::fromMemory(
      std::string(reinterpret_cast<const char *>(data), size));
  auto model = onnx::parseModel(std::move(source));
  if (!model)
    return 0;
  mlir::DialectRegistry registry;
  registry.insert<graph::GraphDialect, mlir::func::FuncDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.getDiagEngine().registerHandler([](mlir::Diagnostic &) {});
  auto module = onnx::importONNX(*model, &context);
  // What the importer accepts must be valid GraphIR.
  if (module && mlir::failed(mlir::verify(module->get())))
    __builtin_trap();
  return 0;
}
