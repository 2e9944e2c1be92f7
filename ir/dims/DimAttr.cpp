// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of #graph.dim, and of ops that hold such attributes.

#include "ir/dims/DimAttr.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace zenith::graph {

LogicalResult BoundsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t low, int64_t high, int64_t multiple) {
  if (low < 0 || low > high || multiple < 1)
    return emitError() << "bounds: got " << low << " to " << high
                       << ", multiple = " << multiple
                       << ", expected 0 <= low <= high and multiple >= 1 "
                          "(bounds_c1)";
  if (high / multiple * multiple < low)
    return emitError() << "bounds: got " << low << " to " << high
                       << ", expected a multiple of " << multiple
                       << " between them (bounds_c2)";
  return success();
}

ArrayAttr dimArray(MLIRContext *context, llvm::ArrayRef<DimExpr> exprs) {
  SmallVector<Attribute> dims;
  for (const DimExpr &expr : exprs)
    dims.push_back(DimAttr::get(context, expr));
  return ArrayAttr::get(context, dims);
}

/// The expression that `text` is; an error at `location` where it is none.
static ParseResult readText(AsmParser &parser, SMLoc location,
                            const std::string &text, DimExpr &expr) {
  std::optional<DimExpr> parsed = DimExpr::parse(text);
  if (!parsed)
    return parser.emitError(location, "got \"")
           << text << "\", expected an expression over dimensions";
  expr = std::move(*parsed);
  return success();
}

ParseResult parseDimExprText(AsmParser &parser, DimExpr &expr) {
  SMLoc location = parser.getCurrentLocation();
  std::string text;
  return failure(parser.parseString(&text) ||
                 readText(parser, location, text, expr));
}

void printDimExprText(AsmPrinter &printer, const DimExpr &expr) {
  printer.printString(expr.str());
}

ParseResult parseDim(AsmParser &parser, DimAttr &attr) {
  DimExpr expr;
  if (parseDimExprText(parser, expr))
    return failure();
  attr = DimAttr::get(parser.getContext(), expr);
  return success();
}

void printDim(AsmPrinter &printer, DimAttr attr) {
  printDimExprText(printer, attr.getExpr());
}

static ParseResult parseElement(AsmParser &parser, Attribute &element) {
  // A "[" or a quote starts what is abbreviated; other attributes start with
  // neither.
  if (succeeded(parser.parseOptionalLSquare())) {
    SmallVector<Attribute> inner;
    if (failed(parser.parseOptionalRSquare()) &&
        (parser.parseCommaSeparatedList(
             [&] { return parseElement(parser, inner.emplace_back()); }) ||
         parser.parseRSquare()))
      return failure();
    element = ArrayAttr::get(parser.getContext(), inner);
    return success();
  }
  std::string text;
  SMLoc location = parser.getCurrentLocation();
  if (failed(parser.parseOptionalString(&text)))
    return parser.parseAttribute(element);
  DimExpr expr;
  if (readText(parser, location, text, expr))
    return failure();
  element = DimAttr::get(parser.getContext(), expr);
  return success();
}

ParseResult parseDims(AsmParser &parser, ArrayAttr &attr) {
  SMLoc location = parser.getCurrentLocation();
  Attribute element;
  if (parseElement(parser, element))
    return failure();
  attr = dyn_cast<ArrayAttr>(element);
  return attr ? success()
              : parser.emitError(location, "expected a list between brackets");
}

void printDims(AsmPrinter &printer, ArrayAttr attr) {
  printer << "[";
  llvm::interleaveComma(attr, printer.getStream(), [&](Attribute element) {
    if (auto dim = dyn_cast<DimAttr>(element))
      printDim(printer, dim);
    else if (auto list = dyn_cast<ArrayAttr>(element))
      printDims(printer, list);
    else
      printer.printAttribute(element);
  });
  printer << "]";
}

} // namespace zenith::graph
