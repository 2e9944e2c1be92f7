// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses GraphIR or StableHLO, runs the passes or phases named on the command
// line, prints the result.

#include "frontends/stablehlo/dialect/StableHLODialect.h"
#include "lowering/LoweringPasses.h"
#include "lowering/pipeline/PhasePasses.h"
#include "lowering/pipeline/Phases.h"
#include "lowering/pipeline/Pipeline.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "passes/GraphPasses.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <string>
#include <vector>

/// "NAME=VALUE" where `argument` is an option of CompileOptions.def that
/// zenith-opt takes; else empty.
static std::string phaseOption(llvm::StringRef argument) {
  using namespace zenith::options;
  static constexpr OptionRow rows[] = {
#define ZENITH_COMPILE_OPTION(field, type, initial, spelling, unit, tools,     \
                              cache, help)                                     \
  {spelling, unit, tools, CacheUse::cache, help},
#include "lowering/pipeline/CompileOptions.def"
  };
  if (!argument.consume_front("--"))
    return "";
  auto [name, value] = argument.split('=');
  for (const OptionRow &row : rows)
    if (row.tools.takes(Opt) && row.name() == name)
      return argument.contains('=') ? argument.str() : (name + "=true").str();
  return "";
}

/// Gathers the options of phases into those of one pipeline.
static std::vector<std::string> withPhases(int argc, char **argv) {
  std::vector<std::string> arguments;
  std::string options;
  for (const char *argument : llvm::ArrayRef<char *>(argv, argc))
    if (std::string option = phaseOption(argument); !option.empty())
      options += " " + option;
    else
      arguments.push_back(argument);
  if (!options.empty())
    arguments.push_back("--zenith-phases=" + options.substr(1));
  return arguments;
}

/// True where the phases were asked for, and printed.
static bool listsPhases(llvm::StringRef argument) {
  if (argument == "--list-phases=json")
    llvm::outs() << zenith::pipeline::phasesAsJSON() << "\n";
  else if (argument == "--list-phases")
    for (const zenith::pipeline::Phase &phase : zenith::pipeline::phases())
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

int main(int argc, char **argv) {
  std::vector<std::string> arguments = withPhases(argc, argv);
  std::vector<char *> pointers;
  for (std::string &argument : arguments) {
    if (listsPhases(argument))
      return 0;
    pointers.push_back(argument.data());
  }
  // Without this, options such as --mlir-print-ir-after-all end the program
  // silently.
  mlir::registerPassManagerCLOptions();
  mlir::registerTransformsPasses();
  zenith::registerZenithPasses();
  zenith::registerZenithLoweringPasses();
  zenith::pipeline::registerPhasePipeline();
  if (llvm::is_contained(arguments, "--list-passes")) {
    listPasses();
    return 0;
  }
  mlir::DialectRegistry registry;
  zenith::pipeline::registerPhaseDialects(registry);
  zenith::stablehlo::registerStableHLODialects(registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      pointers.size(), pointers.data(), "Zenith's pass driver\n", registry));
}
