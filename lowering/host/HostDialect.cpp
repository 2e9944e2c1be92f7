// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration of the host dialect.

#include "lowering/host/HostDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "lowering/host/HostDialect.cpp.inc"
#include "lowering/host/HostEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "lowering/host/HostAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "lowering/host/HostOps.cpp.inc"

namespace zenith::host {

void HostDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "lowering/host/HostOps.cpp.inc"
      >();
}

void HostDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "lowering/host/HostAttrs.cpp.inc"
      >();
}

/// Dimensions of a result from the texts that the outline phase wrote.
static graph::DimVector describedDims(Operation *op, ArrayAttr described,
                                      unsigned result,
                                      graph::DimAnalysis &analysis) {
  graph::DimVector dims;
  auto texts = cast<ArrayAttr>(described[result]);
  for (auto [d, attr] : llvm::enumerate(texts)) {
    StringRef text = cast<StringAttr>(attr).getValue();
    if (text.consume_front("=")) {
      unsigned operand = 0, dim = 0;
      auto [left, right] = text.split('.');
      left.getAsInteger(10, operand);
      right.getAsInteger(10, dim);
      dims.push_back(analysis.dimOf(op->getOperand(operand), dim));
      continue;
    }
    if (!text.starts_with("?")) {
      dims.push_back(
          graph::DimExpr::parse(text.str()).value_or(graph::DimExpr(0)));
      continue;
    }
    // The first place of an unknown size gives it its symbol.
    std::optional<graph::DimExpr> known;
    for (unsigned other = 0; other < result && !known; ++other)
      for (auto [o, otherText] :
           llvm::enumerate(cast<ArrayAttr>(described[other])))
        if (otherText == attr && !known)
          known = analysis.dimOf(op->getResult(other), o);
    for (unsigned o = 0; o < d && !known; ++o)
      if (texts[o] == attr)
        known = dims[o];
    dims.push_back(known ? *known : analysis.freshSymbol());
  }
  return dims;
}

graph::DimVector BranchOp::resultDims(unsigned result,
                                      graph::DimAnalysis &analysis) {
  return describedDims(*this, getDims(), result, analysis);
}

graph::DimVector LoopOp::resultDims(unsigned result,
                                    graph::DimAnalysis &analysis) {
  return describedDims(*this, getDims(), result, analysis);
}

} // namespace zenith::host
