// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pipelines of passes on copies of modules.

#include "frontends/c/Module.h"

#include "frontends/models/LoadModel.h"
#include "lowering/pipeline/Pipeline.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/raw_ostream.h"

using namespace zenith;
using namespace zenith::c;

/// What the passes report while this lives.
namespace {
class Reports {
public:
  Reports(mlir::MLIRContext *mlir, zenith_context &context)
      : handler(mlir, [this, &context](mlir::Diagnostic &diagnostic) {
          models::Diagnostics messages([&](const models::Message &message) {
            if (message.severity == "error" && !first)
              first = message;
            recordMessage(context, message);
          });
          return messages.handle(diagnostic);
        }) {}
  zenith_status *failure(const std::string &otherwise) const {
    return first ? c::failure(ZENITH_INVALID_INPUT, ZENITH_REASON_NONE,
                              first->text, first->place)
                 : c::failure(ZENITH_INVALID_INPUT, ZENITH_REASON_NONE,
                              otherwise);
  }

private:
  std::optional<models::Message> first;
  mlir::ScopedDiagnosticHandler handler;
};
} // namespace

std::shared_ptr<Program> zenith::c::copyOf(Program &program) {
  auto copy = std::make_shared<Program>();
  copy->mlir = models::makeContext();
  std::string text;
  {
    std::lock_guard<std::mutex> lock(program.mutex);
    llvm::raw_string_ostream os(text);
    if (failed(mlir::writeBytecodeToFile(*program.module, os)))
      return nullptr;
  }
  copy->module =
      mlir::parseSourceString<mlir::ModuleOp>(text, copy->mlir.get());
  copy->folder = program.folder;
  return copy->module ? copy : nullptr;
}

zenith_status *zenith_module_transform(zenith_module *module,
                                       const char *pipeline,
                                       zenith_module **transformed) noexcept {
  return guarded([&]() -> zenith_status * {
    if (transformed)
      *transformed = nullptr;
    if (!module || !pipeline || !transformed)
      return nullPointer(!module    ? "module"
                         : pipeline ? "transformed"
                                    : "pipeline");
    // MLIR finds passes by name in a table of the process: this library has a
    // copy of its own, constant once it is filled.
    pipeline::registerAllPasses();
    std::shared_ptr<Program> copy = copyOf(*module->program);
    if (!copy)
      return failure(ZENITH_INTERNAL, ZENITH_REASON_NONE,
                     "the module cannot be copied");
    mlir::PassManager passes(copy->mlir.get(),
                             mlir::ModuleOp::getOperationName(),
                             mlir::PassManager::Nesting::Implicit);
    std::string why;
    llvm::raw_string_ostream os(why);
    Reports reports(copy->mlir.get(), *module->context);
    if (failed(mlir::parsePassPipeline(pipeline, passes, os)))
      return usage(ZENITH_REASON_UNKNOWN_NAME,
                   "pipeline: " + llvm::StringRef(os.str()).trim().str());
    if (failed(passes.run(*copy->module)))
      return reports.failure("the pipeline failed");
    *transformed = create<zenith_module>(*module->context, *module->context,
                                         std::move(copy));
    return nullptr;
  });
}
