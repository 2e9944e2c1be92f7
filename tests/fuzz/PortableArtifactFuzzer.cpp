// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Feeds arbitrary bytes to the reader of StableHLO's portable artifacts and
// what it accepts to the importer.

#include "frontends/stablehlo/ImportStableHLO.h"
#include "frontends/stablehlo/bytecode/PortableArtifact.h"
#include "frontends/stablehlo/dialect/StableHLODialect.h"
#include "ir/GraphDialect.h"
#include "mlir/IR/Verifier.h"

using namespace zenith;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mlir::DialectRegistry registry;
  registry.insert<graph::GraphDialect>();
  stablehlo::registerStableHLODialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  context.getDiagEngine().registerHandler([](mlir::Diagnostic &) {});
  auto module = stablehlo::readPortableArtifact(
      llvm::StringRef(reinterpret_cast<const char *>(data), size), &context);
  if (!module || mlir::failed(mlir::verify(**module)))
    return 0;
  auto program = stablehlo::importStableHLO(**module);
  if (!program) {
    llvm::consumeError(program.takeError());
    return 0;
  }
  if (mlir::failed(mlir::verify(*program->module)))
    __builtin_trap();
  return 0;
}
