// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialects of the StableHLO frontend with their attributes and types; ops
// are in StableHLOOps.h, which few files need.

#ifndef ZENITH_FRONTENDS_STABLEHLO_DIALECT_STABLEHLODIALECT_H
#define ZENITH_FRONTENDS_STABLEHLO_DIALECT_STABLEHLODIALECT_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"

namespace zenith::stablehlo {
/// Adds every dialect that StableHLO programs may use.
void registerStableHLODialects(mlir::DialectRegistry &registry);
/// True for element types of the quant dialect.
bool isQuantized(mlir::Type type);
} // namespace zenith::stablehlo

#include "frontends/stablehlo/dialect/StableHLOEnums.h.inc"

#include "frontends/stablehlo/dialect/CHLODialect.h.inc"
#include "frontends/stablehlo/dialect/CheckDialect.h.inc"
#include "frontends/stablehlo/dialect/InterpreterDialect.h.inc"
#include "frontends/stablehlo/dialect/SdyDialect.h.inc"
#include "frontends/stablehlo/dialect/StableHLODialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "frontends/stablehlo/dialect/StableHLOAttrs.h.inc"
#define GET_ATTRDEF_CLASSES
#include "frontends/stablehlo/dialect/CHLOAttrs.h.inc"
#define GET_ATTRDEF_CLASSES
#include "frontends/stablehlo/dialect/SdyAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "frontends/stablehlo/dialect/StableHLOTypes.h.inc"

#endif // ZENITH_FRONTENDS_STABLEHLO_DIALECT_STABLEHLODIALECT_H
