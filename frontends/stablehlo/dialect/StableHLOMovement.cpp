// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Definitions of ops that move elements.

#include "frontends/stablehlo/dialect/StableHLOOps.h"
#include "frontends/stablehlo/dialect/StableHLORegistration.h"
#include "frontends/stablehlo/dialect/StableHLOSyntax.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

#define GET_OP_CLASSES
#include "frontends/stablehlo/dialect/StableHLOMovement.cpp.inc"

void stablehlo::insertMovementOps(Dialect &dialect) {
  insertOps<
#define GET_OP_LIST
#include "frontends/stablehlo/dialect/StableHLOMovement.cpp.inc"
      >(dialect);
}

//===----------------------------------------------------------------------===//
// constant: attributes, then the value, whose type is the result's
//===----------------------------------------------------------------------===//

// Where the value's type is not the result's (quantized constants): the generic
// form without its quotes.
static ParseResult parseConstantWithType(OpAsmParser &parser,
                                         OperationState &result) {
  FunctionType type;
  NamedAttrList properties;
  bool inProperties = succeeded(parser.parseOptionalLess());
  if ((inProperties &&
       (parser.parseOptionalAttrDict(properties) || parser.parseGreater())) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type))
    return failure();
  result.attributes.append(properties);
  if (type.getNumInputs() != 0 || type.getNumResults() != 1)
    return parser.emitError(parser.getNameLoc(), "expected one result type");
  result.addTypes(type.getResults());
  return success();
}

ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  if (succeeded(parser.parseOptionalLParen()))
    return failure(parser.parseRParen() ||
                   parseConstantWithType(parser, result));
  ElementsAttr value;
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseAttribute(value, "value", result.attributes))
    return failure();
  auto type = llvm::cast<Type>(value.getShapedType());
  // Numbers that the result's type rounds, as rewriteNewerText writes them.
  if (succeeded(parser.parseOptionalArrow()) && parser.parseType(type))
    return failure();
  result.addTypes(type);
  return success();
}

void ConstantOp::print(OpAsmPrinter &printer) {
  if (llvm::cast<Type>(getValue().getShapedType()) != getType()) {
    printer << "()";
    printer.printOptionalAttrDict((*this)->getAttrs());
    printer << " : () -> " << getType();
    return;
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  printer << ' ' << getValueAttr();
}
