// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import of shardings for a program of one device, and of tokens.

#include "frontends/stablehlo/import/OpReading.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

void stablehlo::addDistributionRules(RuleTable &rules) {
  // Tokens carry no value.
  rules["stablehlo.create_token"] = [](OpReading &x) { x.outFlat({}); };
  rules["stablehlo.after_all"] = [](OpReading &x) { x.outFlat({}); };
}
