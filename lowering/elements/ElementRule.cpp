// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the families' answers.

#include "lowering/elements/ElementRule.h"
#include "lowering/builder/IndexMaps.h"

#include "lowering/elements/ElementRule.cpp.inc"

using namespace mlir;

namespace zenith::kernels {

void registerElementRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, graph::GraphDialect *) {
    attachIndexMaps(context);
    attachElementwiseElements(context);
    attachMovementElements(context);
    attachIndexingElements(context);
    attachReductionElements(context);
  });
}

} // namespace zenith::kernels
