// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses GraphIR or StableHLO, runs the passes or phases named on the command
// line, prints the result.

#include "frontends/stablehlo/dialect/StableHLODialect.h"
#include "lowering/LoweringPasses.h"
#include "lowering/pipeline/Phases.h"
#include "lowering/pipeline/Pipeline.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "passes/GraphPasses.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

/// Gathers --from, --to, --target, --dump-phases and --explain into the options
/// of one pipeline.
static std::vector<std::string> withPhases(int argc, char **argv) {
  std::vector<std::string> arguments;
  std::string options;
  for (llvm::StringRef argument : llvm::ArrayRef<char *>(argv, argc)) {
    llvm::StringRef option = argument;
    bool isOption = option.consume_front("--");
    if (isOption && option == "explain")
      options += " explain=true";
    else if (isOption &&
             (option.starts_with("from=") || option.starts_with("to=") ||
              option.starts_with("target=") ||
              option.starts_with("dump-phases=")))
      options += " " + option.str();
    else
      arguments.push_back(argument.str());
  }
  if (!options.empty())
    arguments.push_back("--zenith-phases=" + options.substr(1));
  return arguments;
}

int main(int argc, char **argv) {
  std::vector<std::string> arguments = withPhases(argc, argv);
  std::vector<char *> pointers;
  for (std::string &argument : arguments) {
    if (argument == "--list-phases") {
      for (const zenith::pipeline::Phase &phase : zenith::pipeline::phases())
        llvm::outs() << phase.name << ": " << phase.sentence << "\n";
      return 0;
    }
    pointers.push_back(argument.data());
  }
  // Without this, options such as --mlir-print-ir-after-all end the program
  // without a word.
  mlir::registerPassManagerCLOptions();
  mlir::registerTransformsPasses();
  zenith::registerZenithPasses();
  zenith::registerZenithLoweringPasses();
  zenith::pipeline::registerPhasePipeline();
  mlir::DialectRegistry registry;
  zenith::pipeline::registerPhaseDialects(registry);
  zenith::stablehlo::registerStableHLODialects(registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      pointers.size(), pointers.data(), "Zenith's pass driver\n", registry));
}
