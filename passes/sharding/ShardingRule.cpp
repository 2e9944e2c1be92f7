// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the families' answers.

#include "passes/sharding/ShardingRule.h"
#include "ir/SearchOps.h"

#include "passes/sharding/ShardingRule.cpp.inc"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::sharding {

void registerShardingRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, GraphDialect *) {
    attachElementwiseShardings(context);
    attachMovementShardings(context);
    attachContractionShardings(context);
    attachLinearAlgebraShardings(context);
    attachReductionShardings(context);
    attachIndexingShardings(context);
    attachOrderingShardings(context);
    attachRandomShardings(context);
    attachCompositeShardings(context);
    attachControlShardings(context);
    attachCollectiveShardings(context);
  });
  registry.addExtension(+[](MLIRContext *context, search::SearchDialect *) {
    attachSearchShardings(context);
  });
}

FactorMapping factorMappingOf(Operation *op, bool conservative) {
  if (auto text = op->getAttrOfType<StringAttr>(ruleAttrName))
    if (std::optional<FactorMapping> stated = parseFactorMapping(text, op))
      return std::move(*stated);
  auto rule = dyn_cast<ShardingRule>(op);
  return rule ? rule.factorMapping(conservative) : FactorMapping();
}

} // namespace zenith::sharding
