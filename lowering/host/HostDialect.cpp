// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration of the host dialect, dimensions of control ops' results, the
// text of outcomes.

#include "lowering/host/HostDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

// The generated parsers and printers look these up here.
namespace zenith::host {
using graph::parseDims;
using graph::printDims;
} // namespace zenith::host

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

void OutcomeAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printStrippedAttrOrType(getBuffer());
  printer << ", ";
  printDims(printer, getDims());
  printer << ", ";
  printDim(printer, getBytes());
  if (getSecond()) {
    printer << ", second ";
    printer.printStrippedAttrOrType(getSecond());
  }
  if (getAllocated())
    printer << ", allocated";
  printer << ">";
}

Attribute OutcomeAttr::parse(AsmParser &parser, Type) {
  SMLoc location = parser.getCurrentLocation();
  BufferAttr buffer, second;
  ArrayAttr dims;
  graph::DimAttr bytes;
  bool allocated = false;
  if (parser.parseLess() || parser.parseCustomAttributeWithFallback(buffer) ||
      parser.parseComma() || parseDims(parser, dims) || parser.parseComma() ||
      parseDim(parser, bytes))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword("allocated")))
      allocated = true;
    else if (parser.parseKeyword("second") ||
             parser.parseCustomAttributeWithFallback(second))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<OutcomeAttr>(location, parser.getContext(), buffer,
                                        dims, bytes, second, allocated);
}

/// Dimensions of a result as the outline phase described them.
static graph::DimVector describedDims(Operation *op, ArrayAttr described,
                                      unsigned result,
                                      graph::DimAnalysis &analysis) {
  graph::DimVector dims;
  auto entries = cast<ArrayAttr>(described[result]);
  for (auto [d, entry] : llvm::enumerate(entries)) {
    if (auto same = dyn_cast<OperandDimAttr>(entry)) {
      dims.push_back(
          analysis.dimOf(op->getOperand(same.getOperand()), same.getDim()));
      continue;
    }
    if (auto expr = dyn_cast<graph::DimAttr>(entry)) {
      dims.push_back(expr.getExpr());
      continue;
    }
    // The first dimension of an unknown size gives it its symbol.
    std::optional<graph::DimExpr> known;
    for (unsigned other = 0; other < result && !known; ++other)
      for (auto [o, earlier] :
           llvm::enumerate(cast<ArrayAttr>(described[other])))
        if (earlier == entry && !known)
          known = analysis.dimOf(op->getResult(other), o);
    for (unsigned o = 0; o < d && !known; ++o)
      if (entries[o] == entry)
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

graph::DimVector SharedOp::resultDims(unsigned, graph::DimAnalysis &) {
  graph::DimVector sizes;
  for (Attribute size : getDims())
    sizes.push_back(graph::exprOf(size));
  return sizes;
}

} // namespace zenith::host
