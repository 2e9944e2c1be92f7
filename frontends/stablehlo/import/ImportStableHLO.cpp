// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports a module by the rules of all ops.

#include "frontends/stablehlo/ImportStableHLO.h"

#include "frontends/stablehlo/import/ExcessPrecision.h"
#include "frontends/stablehlo/import/OpReading.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

static RuleTable allRules() {
  RuleTable rules;
  for (auto add : {addElementwiseRules,     addMovementRules,
                   addIndexingRules,        addDynamicRules,
                   addReductionRules,       addWindowRules,
                   addContractionRules,     addRaggedRules,
                   addNormalizationRules,   addOrderingRules,
                   addControlRules,         addRandomRules,
                   addDistributionRules,    addCustomCallRules,
                   addExpectationRules,     addCHLORules,
                   addSpecialFunctionRules, addScanRules,
                   addQuantizationRules,    addSdyRules,
                   addCollectiveRules})
    add(rules);
  return rules;
}

llvm::Expected<ImportedProgram>
stablehlo::importStableHLO(ModuleOp source, const ImportOptions &options) {
  auto importOp = [rules = allRules()](ProgramReading &program, Operation &op) {
    auto rule = rules.find(op.getName().getStringRef());
    if (rule == rules.end())
      return program.fail(ErrorCode::Unsupported,
                          "op '" + op.getName().getStringRef() +
                              "' is not supported",
                          op.getLoc());
    OpReading reading(program, &op);
    Block *block = program.builder.getInsertionBlock();
    Operation *before = block->empty() ? nullptr : &block->back();
    rule->second(reading);
    annotateResults(reading, before);
  };
  ProgramReading reading(source, std::move(importOp));
  reading.keepsValues = options.keepsValues;
  llvm::Expected<ImportedProgram> program = reading.run();
  if (program && options.excessPrecision)
    keepExcessPrecision(*program->module);
  return program;
}
