// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Feeds arbitrary text to the StableHLO frontend: whatever it is, parsing,
// checking and importing end in valid GraphIR or an error.

#include "frontends/stablehlo/ImportStableHLO.h"
#include "frontends/stablehlo/bytecode/EscapingNames.h"
#include "frontends/stablehlo/bytecode/NewerText.h"
#include "frontends/stablehlo/dialect/StableHLODialect.h"
#include "ir/GraphDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

using namespace zenith;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // MLIR's lexer ends at a zero byte after the text, which `data` lacks.
  std::string text(reinterpret_cast<const char *>(data), size);
  mlir::DialectRegistry registry;
  registry.insert<graph::GraphDialect>();
  stablehlo::registerStableHLODialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  context.getDiagEngine().registerHandler([](mlir::Diagnostic &) {});
  if (stablehlo::hugeResultNumber(text) || stablehlo::escapingName(text))
    return 0;
  std::optional<std::string> rewritten = stablehlo::rewriteNewerText(text);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      rewritten ? *rewritten : text, mlir::ParserConfig(&context));
  if (!module)
    return 0;
  auto program = stablehlo::importStableHLO(*module);
  if (!program) {
    llvm::consumeError(program.takeError());
    return 0;
  }
  // What the importer accepts must be valid GraphIR.
  if (mlir::failed(mlir::verify(*program->module)))
    __builtin_trap();
  return 0;
}
