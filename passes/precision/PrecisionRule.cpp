// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the families' answers, and the names that policies have for ops.

#include "passes/precision/PrecisionRule.h"

#include "ir/GraphOps.h"
#include "ir/SearchOps.h"

#include "passes/precision/PrecisionRule.cpp.inc"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::precision {

StringRef wordOf(List list) {
  switch (list) {
  case List::Allow:
    return "allow";
  case List::Follow:
    return "follow";
  case List::Deny:
    return "deny";
  case List::None:
    break;
  }
  return "type";
}

void registerPrecisionRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, GraphDialect *) {
    attachElementwisePrecision(context);
    attachMovementPrecision(context);
    attachContractionPrecision(context);
    attachReductionPrecision(context);
    attachIndexingPrecision(context);
    attachOrderingPrecision(context);
    attachRandomPrecision(context);
    attachCompositePrecision(context);
    attachCollectivePrecision(context);
    attachControlPrecision(context);
  });
  registry.addExtension(+[](MLIRContext *context, search::SearchDialect *) {
    attachSearchPrecision(context);
  });
}

List listOf(Operation *op) {
  auto rule = dyn_cast<PrecisionRule>(op);
  return rule ? rule.list() : List::None;
}

std::string policyName(Operation *op) {
  std::string name = op->getName().stripDialect().str();
  if (auto reduce = dyn_cast<ReduceOp>(op))
    name += "_" + stringifyReduceKind(reduce.getKind()).str();
  else if (auto window = dyn_cast<ReduceWindowOp>(op))
    name += "_" + stringifyReduceKind(window.getKind()).str();
  else if (auto scatter = dyn_cast<ScatterOp>(op))
    name += "_" + stringifyScatterKind(scatter.getKind()).str();
  return name;
}

} // namespace zenith::precision
