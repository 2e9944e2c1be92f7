// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the pass manager of a phase and reads its textual pipeline.

#include "lowering/pipeline/PhasePasses.h"

#include "lowering/pipeline/Phases.h"
#include "lowering/pipeline/Pipeline.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/JSON.h"

using namespace mlir;

namespace zenith::pipeline {

/// Arguments of the passes in "anchor(pass{options},anchor(pass))".
static std::vector<std::string> argumentsIn(StringRef pipeline) {
  std::vector<std::string> arguments;
  std::string word;
  unsigned braces = 0;
  auto end = [&](bool isPass) {
    if (isPass && !word.empty())
      arguments.push_back(word);
    word.clear();
  };
  for (char c : pipeline)
    if (c == '{')
      ++braces;
    else if (c == '}')
      --braces;
    else if (braces == 0 && (c == '(' || c == ')' || c == ','))
      end(/*isPass=*/c != '(');
    else if (braces == 0)
      word += c;
  end(/*isPass=*/true);
  return arguments;
}

static std::vector<std::string> argumentsOf(const Phase &phase,
                                            const CompileOptions &options) {
  OpPassManager passes(ModuleOp::getOperationName());
  phase.build(passes, llvm::cantFail(phaseOptions(options)));
  std::string text;
  llvm::raw_string_ostream stream(text);
  passes.printAsTextualPipeline(stream);
  return argumentsIn(text);
}

std::vector<PhasePass> passesOf(const Phase &phase) {
  // A fixed processor, so that the list does not depend on the machine. Its
  // int8 dot products need passes that other processors go without.
  CompileOptions plain, mixed;
  plain.target = mixed.target = "cpu:cascadelake";
  mixed.mixedPrecision = "bf16";
  std::vector<std::string> always = argumentsOf(phase, plain);
  std::vector<PhasePass> passes;
  for (const std::string &argument : argumentsOf(phase, mixed))
    passes.push_back({argument, llvm::is_contained(always, argument)
                                    ? ""
                                    : "mixed-precision"});
  return passes;
}

std::string phasesAsJSON() {
  llvm::json::Array array;
  for (const Phase &phase : phases()) {
    llvm::json::Array passes;
    for (const PhasePass &pass : passesOf(phase)) {
      llvm::json::Object object{{"pass", pass.argument}};
      if (!pass.option.empty())
        object["option"] = pass.option;
      passes.push_back(std::move(object));
    }
    array.push_back(llvm::json::Object{{"phase", phase.name},
                                       {"sentence", phase.sentence},
                                       {"exit", phase.exit},
                                       {"passes", std::move(passes)}});
  }
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(array));
  return text;
}

} // namespace zenith::pipeline
