// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dimension expressions as attributes: uniqued, parsed once, printed as text.

#ifndef ZENITH_IR_DIMS_DIMATTR_H
#define ZENITH_IR_DIMS_DIMATTR_H

#include "ir/dims/DimExpr.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/Hashing.h"

namespace zenith::graph {

/// Equal expressions have one text.
inline llvm::hash_code hash_value(const DimExpr &expr) {
  return llvm::hash_value(expr.str());
}

} // namespace zenith::graph

#define GET_ATTRDEF_CLASSES
#include "ir/dims/DimAttr.h.inc"

namespace zenith::graph {

/// The expression of an attribute that a verifier has accepted.
inline const DimExpr &exprOf(mlir::Attribute attr) {
  return mlir::cast<DimAttr>(attr).getExpr();
}

mlir::ArrayAttr dimArray(mlir::MLIRContext *context,
                         llvm::ArrayRef<DimExpr> exprs);

/// "4*batch" between quotes; text that is no expression is an error there.
mlir::ParseResult parseDimExprText(mlir::AsmParser &parser, DimExpr &expr);
void printDimExprText(mlir::AsmPrinter &printer, const DimExpr &expr);

/// The text of a #graph.dim alone, for ops and attributes that hold one.
mlir::ParseResult parseDim(mlir::AsmParser &parser, DimAttr &attr);
void printDim(mlir::AsmPrinter &printer, DimAttr attr);
inline void printDim(mlir::AsmPrinter &printer, mlir::Operation *,
                     DimAttr attr) {
  printDim(printer, attr);
}

/// A list whose elements are texts of #graph.dim, such lists, or other
/// attributes in full: ["4*batch", ["n"], unit].
mlir::ParseResult parseDims(mlir::AsmParser &parser, mlir::ArrayAttr &attr);
void printDims(mlir::AsmPrinter &printer, mlir::ArrayAttr attr);
inline void printDims(mlir::AsmPrinter &printer, mlir::Operation *,
                      mlir::ArrayAttr attr) {
  printDims(printer, attr);
}

} // namespace zenith::graph

#endif // ZENITH_IR_DIMS_DIMATTR_H
