// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types, operands and lists in the forms that StableHLO text uses.

#include "frontends/stablehlo/dialect/StableHLOSyntax.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

// Gives the types of a function type to operands and the one result.
static ParseResult assignFunctionType(OpAsmParser &parser, SMLoc loc,
                                      FunctionType function,
                                      ArrayRef<Type *> types) {
  if (function.getNumInputs() + 1 != types.size() ||
      function.getNumResults() != 1)
    return parser.emitError(loc) << "expected " << types.size() - 1
                                 << " operand types and one result type";
  for (auto [to, from] :
       llvm::zip_equal(types.drop_back(), function.getInputs()))
    *to = from;
  *types.back() = function.getResult(0);
  return success();
}

ParseResult stablehlo::parseSameTypes(OpAsmParser &parser,
                                      ArrayRef<Type *> types) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type))
    return assignFunctionType(parser, loc, function, types);
  for (Type *to : types)
    *to = type;
  return success();
}

void stablehlo::printSameTypes(OpAsmPrinter &printer, ArrayRef<Type> types) {
  if (llvm::all_equal(types))
    printer << types.front();
  else
    printer.printFunctionalType(types.drop_back(), types.take_back());
}

ParseResult stablehlo::parseVariadicSameOperandsAndResultType(
    OpAsmParser &parser, Operands &operands, Types &types, Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  types.resize(operands.size());
  SmallVector<Type *> all;
  for (Type &type : types)
    all.push_back(&type);
  all.push_back(&result);
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type))
    return assignFunctionType(parser, loc, function, all);
  for (Type *to : all)
    *to = type;
  return success();
}
void stablehlo::printVariadicSameOperandsAndResultType(OpAsmPrinter &printer,
                                                       Operation *,
                                                       OperandRange,
                                                       TypeRange types,
                                                       Type result) {
  SmallVector<Type> all(types);
  all.push_back(result);
  printSameTypes(printer, all);
}

ParseResult stablehlo::parseComplexOpType(OpAsmParser &parser, Type &lhs,
                                          Type &rhs, Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type))
    return assignFunctionType(parser, loc, function, {&lhs, &rhs, &result});
  auto tensor = dyn_cast<TensorType>(type);
  auto complex =
      tensor ? dyn_cast<ComplexType>(tensor.getElementType()) : ComplexType();
  if (!complex)
    return parser.emitError(loc, "expected tensor with complex element type");
  lhs = rhs = tensor.clone(complex.getElementType());
  result = type;
  return success();
}
void stablehlo::printComplexOpType(OpAsmPrinter &printer, Operation *, Type lhs,
                                   Type rhs, Type result) {
  auto shaped = dyn_cast<ShapedType>(result);
  auto complex =
      shaped ? dyn_cast<ComplexType>(shaped.getElementType()) : ComplexType();
  if (complex && lhs == rhs && lhs == shaped.clone(complex.getElementType()))
    printer << result;
  else
    printer.printFunctionalType(TypeRange{lhs, rhs}, TypeRange{result});
}

ParseResult stablehlo::parseSelectOpType(OpAsmParser &parser, Type &pred,
                                         Type &onTrue, Type &onFalse,
                                         Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<Type> types;
  if (parser.parseTypeList(types))
    return failure();
  if (types.size() == 2) {
    pred = types[0];
    onTrue = onFalse = result = types[1];
    return success();
  }
  auto function =
      types.size() == 1 ? dyn_cast<FunctionType>(types[0]) : FunctionType();
  if (!function)
    return parser.emitError(loc,
                            "expected functional type or list of two types");
  return assignFunctionType(parser, loc, function,
                            {&pred, &onTrue, &onFalse, &result});
}
void stablehlo::printSelectOpType(OpAsmPrinter &printer, Operation *, Type pred,
                                  Type onTrue, Type onFalse, Type result) {
  if (onTrue == result && onFalse == result)
    printer << pred << ", " << result;
  else
    printer.printFunctionalType(TypeRange{pred, onTrue, onFalse},
                                TypeRange{result});
}

ParseResult stablehlo::parseTupleOpType(OpAsmParser &parser, Types &operands,
                                        Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(result))
    return failure();
  auto tuple = dyn_cast<TupleType>(result);
  if (!tuple)
    return parser.emitError(loc, "expected tuple type");
  llvm::append_range(operands, tuple.getTypes());
  return success();
}
void stablehlo::printTupleOpType(OpAsmPrinter &printer, Operation *, TypeRange,
                                 Type result) {
  printer << result;
}

ParseResult stablehlo::parsePairwiseOpType(OpAsmParser &parser, Types &operands,
                                           Types &results) {
  if (parser.parseTypeList(operands))
    return failure();
  llvm::append_range(results, operands);
  return success();
}
void stablehlo::printPairwiseOpType(OpAsmPrinter &printer, Operation *,
                                    TypeRange operands, TypeRange) {
  llvm::interleaveComma(operands, printer);
}

ParseResult stablehlo::parseOneOrTwoTypes(OpAsmParser &parser, Type &lhs,
                                          Type &rhs) {
  if (parser.parseType(lhs))
    return failure();
  rhs = lhs;
  if (auto function = dyn_cast<FunctionType>(lhs))
    if (function.getNumInputs() == 2) {
      lhs = function.getInput(0);
      rhs = function.getInput(1);
      return success();
    }
  if (succeeded(parser.parseOptionalComma()))
    return parser.parseType(rhs);
  return success();
}
void stablehlo::printOneOrTwoTypes(OpAsmPrinter &printer, Operation *, Type lhs,
                                   Type rhs) {
  printer << lhs;
  if (lhs != rhs)
    printer << ", " << rhs;
}

//===----------------------------------------------------------------------===//
// Operands, numbers, names
//===----------------------------------------------------------------------===//

ParseResult stablehlo::parseVariadicOperandWithAttribute(OpAsmParser &parser,
                                                         Operands &operands) {
  while (true) {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult found = parser.parseOptionalOperand(operand);
    if (!found.has_value())
      return success();
    if (failed(*found) || parser.parseComma())
      return failure();
    operands.push_back(operand);
  }
}
void stablehlo::printVariadicOperandWithAttribute(OpAsmPrinter &printer,
                                                  Operation *,
                                                  OperandRange operands) {
  printer.printOperands(operands);
  if (!operands.empty())
    printer << ',';
}

ParseResult stablehlo::parseExponentMantissa(OpAsmParser &parser,
                                             IntegerAttr &exponent,
                                             IntegerAttr &mantissa) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  int32_t exponentBits, mantissaBits;
  auto [left, right] = word.split('m');
  if (!left.consume_front("e") || left.getAsInteger(10, exponentBits) ||
      right.getAsInteger(10, mantissaBits))
    return parser.emitError(loc, "expected a format such as e5m10");
  exponent = parser.getBuilder().getI32IntegerAttr(exponentBits);
  mantissa = parser.getBuilder().getI32IntegerAttr(mantissaBits);
  return success();
}
void stablehlo::printExponentMantissa(OpAsmPrinter &printer, Operation *,
                                      IntegerAttr exponent,
                                      IntegerAttr mantissa) {
  printer << 'e' << exponent.getInt() << 'm' << mantissa.getInt();
}

ParseResult stablehlo::parseSliceRanges(OpAsmParser &parser,
                                        DenseI64ArrayAttr &starts,
                                        DenseI64ArrayAttr &limits,
                                        DenseI64ArrayAttr &strides) {
  SmallVector<int64_t> start, limit, stride;
  auto parseRange = [&]() -> ParseResult {
    if (parser.parseInteger(start.emplace_back()) || parser.parseColon() ||
        parser.parseInteger(limit.emplace_back()))
      return failure();
    stride.push_back(1);
    return succeeded(parser.parseOptionalColon())
               ? parser.parseInteger(stride.back())
               : success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRange))
    return failure();
  Builder &builder = parser.getBuilder();
  starts = builder.getDenseI64ArrayAttr(start);
  limits = builder.getDenseI64ArrayAttr(limit);
  strides = builder.getDenseI64ArrayAttr(stride);
  return success();
}
void stablehlo::printSliceRanges(OpAsmPrinter &printer, Operation *,
                                 DenseI64ArrayAttr starts,
                                 DenseI64ArrayAttr limits,
                                 DenseI64ArrayAttr strides) {
  printer << '[';
  llvm::interleaveComma(
      llvm::zip(starts.asArrayRef(), limits.asArrayRef(), strides.asArrayRef()),
      printer, [&](auto range) {
        printer << std::get<0>(range) << ':' << std::get<1>(range);
        if (std::get<2>(range) != 1)
          printer << ':' << std::get<2>(range);
      });
  printer << ']';
}

ParseResult stablehlo::parseUlpDifferences(OpAsmParser &parser,
                                           IntegerAttr &least,
                                           IntegerAttr &most) {
  while (succeeded(parser.parseOptionalComma())) {
    bool isLeast = succeeded(parser.parseOptionalKeyword("min_ulp_difference"));
    uint64_t value = 0;
    if ((!isLeast && parser.parseKeyword("max_ulp_difference")) ||
        parser.parseEqual() || parser.parseInteger(value))
      return failure();
    (isLeast ? least : most) =
        parser.getBuilder().getI64IntegerAttr(int64_t(value));
  }
  return success();
}
void stablehlo::printUlpDifferences(OpAsmPrinter &printer, Operation *,
                                    IntegerAttr least, IntegerAttr most) {
  if (least)
    printer << ", min_ulp_difference = " << uint64_t(least.getInt());
  if (most)
    printer << ", max_ulp_difference = " << uint64_t(most.getInt());
}

ParseResult stablehlo::parseCustomCallTarget(OpAsmParser &parser,
                                             StringAttr &target) {
  return parser.parseSymbolName(target);
}
void stablehlo::printCustomCallTarget(OpAsmPrinter &printer, Operation *,
                                      StringAttr target) {
  printer.printSymbolName(target);
}
