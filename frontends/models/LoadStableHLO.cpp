// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses StableHLO for its frontend.

#include "frontends/models/LoadStableHLO.h"

#include "frontends/models/Diagnostics.h"
#include "frontends/models/TextGuards.h"
#include "frontends/stablehlo/bytecode/NewerText.h"
#include "frontends/stablehlo/bytecode/PortableArtifact.h"
#include "frontends/stablehlo/dialect/NarrowFormat.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::models;

bool zenith::models::isStableHLO(StringRef bytes) {
  if (bytes.starts_with("ML\xefR"))
    return stablehlo::isPortableArtifact(bytes);
  return !stablehlo::stableHLODialectIn(bytes).empty();
}

// Ops of unknown dialects may pass the parser: the frontend refuses them by
// name.
namespace {
class UnknownDialects {
public:
  explicit UnknownDialects(MLIRContext *context)
      : context(context), before(context->allowsUnregisteredDialects()) {
    context->allowUnregisteredDialects(true);
  }
  ~UnknownDialects() { context->allowUnregisteredDialects(before); }

private:
  MLIRContext *context;
  bool before;
};
} // namespace

// Element types of newer MLIR where this one cannot parse them. Those that are
// rewritten stand in quotes.
static StringRef newerType(StringRef text) {
  for (const stablehlo::NarrowFormat &format : stablehlo::NarrowFormat::all())
    for (size_t at = text.find(format.name); at != StringRef::npos;
         at = text.find(format.name, at + 1))
      if (at > 0 && text[at - 1] != '"')
        return format.name;
  return "";
}

static llvm::Expected<OwningOpRef<ModuleOp>>
parseText(const std::string &name, StringRef text, MLIRContext *context,
          Diagnostics &diagnostics) {
  if (llvm::Error error = checkText(name, text))
    return std::move(error);
  std::optional<std::string> rewritten = stablehlo::rewriteNewerText(text);
  StringRef newer = newerType(rewritten ? *rewritten : text);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(rewritten ? *rewritten : text, name),
      llvm::SMLoc());
  // The parser names an op that it doesn't have, or whose dialect it doesn't
  // have: a valid one for all that is known.
  ErrorCode code = ErrorCode::Invalid;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    std::string text = diagnostic.str();
    StringRef message = text;
    if (message.contains("not found for custom op") ||
        (message.starts_with("custom op '") && message.contains("is unknown")))
      code = ErrorCode::Unsupported;
    return diagnostics.handle(diagnostic, name);
  });
  auto module = parseSourceFile<ModuleOp>(sources, ParserConfig(context));
  if (!module && !newer.empty())
    return makeError(ErrorCode::Unsupported,
                     "element type " + newer.str() + " is not supported here",
                     name);
  if (!module)
    return reportedError(code, "is no valid StableHLO", name);
  return std::move(module);
}

static llvm::Expected<OwningOpRef<ModuleOp>>
parseArtifact(const std::string &name, StringRef bytes, MLIRContext *context,
              Diagnostics &diagnostics) {
  auto module = stablehlo::readPortableArtifact(bytes, context);
  if (!module)
    return makeError(module.error().ofFile(name));
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    return diagnostics.handle(diagnostic, name);
  });
  if (failed(verify(**module)))
    return reportedError(ErrorCode::Invalid, "is no valid StableHLO", name);
  return std::move(*module);
}

llvm::Expected<stablehlo::ImportedProgram> zenith::models::loadStableHLO(
    const std::string &name, StringRef bytes, MLIRContext *context,
    const stablehlo::ImportOptions &options, Diagnostics &diagnostics) {
  UnknownDialects allowed(context);
  bool isArtifact = bytes.starts_with("ML\xefR");
  auto module = isArtifact ? parseArtifact(name, bytes, context, diagnostics)
                           : parseText(name, bytes, context, diagnostics);
  if (!module)
    return module.takeError();
  auto program = stablehlo::importStableHLO(**module, options);
  if (program)
    return program;
  llvm::Error result = llvm::Error::success();
  llvm::handleAllErrors(program.takeError(), [&](const LLVMError &e) {
    Error error = e.error();
    if (error.location.empty())
      error.location = name;
    result = llvm::joinErrors(std::move(result), makeError(std::move(error)));
  });
  return std::move(result);
}
