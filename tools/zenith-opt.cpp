// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses GraphIR or StableHLO, runs the passes or phases named on the command
// line, prints the result.

#include "frontends/stablehlo/bytecode/NewerText.h"
#include "frontends/stablehlo/bytecode/PortableArtifact.h"
#include "frontends/stablehlo/dialect/StableHLODialect.h"
#include "ir/program/ParameterFiles.h"
#include "lowering/pipeline/PhasePasses.h"
#include "lowering/pipeline/Phases.h"
#include "lowering/pipeline/Pipeline.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "tools/opt/ImportStableHLOPass.h"
#include "tools/opt/OptArguments.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace zenith;

/// True where the phases were asked for, and printed.
static bool listsPhases(llvm::StringRef argument) {
  if (tools::isOption(argument, "list-phases=json"))
    llvm::outs() << pipeline::phasesAsJSON() << "\n";
  else if (tools::isOption(argument, "list-phases"))
    for (const pipeline::Phase &phase : pipeline::phases())
      llvm::outs() << phase.name << ": " << phase.sentence << "\n";
  else
    return false;
  return true;
}

/// Prints each registered pass with its summary, by name.
static void listPasses() {
  // The parser makes each registered pass an option.
  mlir::PassPipelineCLParser parser("", "passes");
  std::map<llvm::StringRef, llvm::StringRef> summaries;
  for (const auto &option : llvm::cl::getRegisteredOptions())
    if (const mlir::PassInfo *info = mlir::PassInfo::lookup(option.first()))
      summaries[option.first()] = info->getPassDescription();
  for (const auto &[argument, summary] : summaries)
    llvm::outs() << argument << ": " << summary << "\n";
}

namespace {
/// The last pass: paths of parameters become relative to the file that is
/// written.
class RelocateFilesPass
    : public mlir::PassWrapper<RelocateFilesPass,
                               mlir::OperationPass<mlir::ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RelocateFilesPass)
  RelocateFilesPass() = default;
  RelocateFilesPass(const RelocateFilesPass &other) : PassWrapper(other) {}

  llvm::StringRef getArgument() const override {
    return "zenith-relocate-files";
  }
  llvm::StringRef getDescription() const override {
    return "Makes paths of parameters relative to another folder";
  }
  void runOnOperation() override {
    markAllAnalysesPreserved();
    graph::recordFiles(getOperation(), from);
    graph::relocateFiles(getOperation(), from, to);
  }

  Option<std::string> from{*this, "from",
                           llvm::cl::desc("folder that paths start at")};
  Option<std::string> to{*this, "to",
                         llvm::cl::desc("folder that they shall start at")};
};
} // namespace

/// All passes, then the options that take their names.
static void registerPasses() {
  pipeline::registerAllPasses();
  tools::registerImportStableHLOPass();
  mlir::PassRegistration<RelocateFilesPass>();
  // Without this, options such as --mlir-print-ir-after-all end the program
  // silently.
  mlir::registerPassManagerCLOptions();
}

/// The text of a portable artifact.
static std::unique_ptr<llvm::MemoryBuffer>
textOfArtifact(const llvm::MemoryBuffer &file,
               const mlir::DialectRegistry &registry) {
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  auto module = stablehlo::readPortableArtifact(file.getBuffer(), &context);
  if (!module) {
    llvm::errs() << file.getBufferIdentifier()
                 << ": error: " << module.error().message() << "\n";
    return nullptr;
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*module)->print(stream, mlir::OpPrintingFlags().enableDebugInfo());
  return llvm::MemoryBuffer::getMemBufferCopy(text, file.getBufferIdentifier());
}

/// Input that this MLIR's parser reads: portable artifacts become text, and
/// newer StableHLO may need a change. Null after an error, which is printed.
static std::unique_ptr<llvm::MemoryBuffer>
readable(std::unique_ptr<llvm::MemoryBuffer> file,
         const mlir::DialectRegistry &registry) {
  llvm::StringRef text = file->getBuffer();
  if (stablehlo::isPortableArtifact(text))
    return textOfArtifact(*file, registry);
  if (stablehlo::stableHLODialectIn(text).empty())
    return file;
  std::optional<std::string> rewritten = stablehlo::rewriteNewerText(text);
  return rewritten ? llvm::MemoryBuffer::getMemBufferCopy(
                         *rewritten, file->getBufferIdentifier())
                   : std::move(file);
}

/// As mlir-opt, with paths of parameters followed from the input to the output.
static mlir::LogicalResult processFile(const std::string &input,
                                       const std::string &output,
                                       mlir::DialectRegistry &registry) {
  std::string error;
  auto file = mlir::openInputFile(input, &error);
  if (!file) {
    llvm::errs() << "error: " << error << "\n";
    return mlir::failure();
  }
  file = readable(std::move(file), registry);
  if (!file)
    return mlir::failure();
  auto written = mlir::openOutputFile(output, &error);
  if (!written) {
    llvm::errs() << "error: " << error << "\n";
    return mlir::failure();
  }
  std::string from = llvm::sys::path::parent_path(input).str(),
              to = llvm::sys::path::parent_path(output).str();
  auto given = mlir::MlirOptMainConfig::createFromCLOptions();
  mlir::MlirOptMainConfig config = given;
  config.setPassPipelineSetupFn([&](mlir::PassManager &passes) {
    if (failed(given.setupPassPipeline(passes)))
      return mlir::failure();
    pipeline::setPhasesFolder(passes, from);
    if (output == "-" || from == to)
      return mlir::success();
    auto relocate = std::make_unique<RelocateFilesPass>();
    relocate->from = from;
    relocate->to = to;
    passes.addPass(std::move(relocate));
    return mlir::success();
  });
  if (failed(
          mlir::MlirOptMain(written->os(), std::move(file), registry, config)))
    return mlir::failure();
  written->keep();
  return mlir::success();
}

int main(int argc, char **argv) {
  std::vector<std::string> arguments =
      tools::withPhases(llvm::ArrayRef(argv, size_t(argc)));
  std::vector<char *> pointers;
  for (std::string &argument : arguments) {
    if (listsPhases(argument))
      return 0;
    pointers.push_back(argument.data());
  }
  registerPasses();
  if (llvm::any_of(arguments, [](llvm::StringRef argument) {
        return tools::isOption(argument, "list-passes");
      })) {
    listPasses();
    return 0;
  }
  mlir::DialectRegistry registry;
  pipeline::registerPhaseDialects(registry);
  stablehlo::registerStableHLODialects(registry);
  auto [input, output] =
      mlir::registerAndParseCLIOptions(int(pointers.size()), pointers.data(),
                                       "Zenith's pass driver\n", registry);
  return mlir::asMainReturnCode(processFile(input, output, registry));
}
