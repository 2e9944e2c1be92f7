// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The custom parts of the ops' assembly formats.

#ifndef ZENITH_FRONTENDS_STABLEHLO_DIALECT_STABLEHLOSYNTAX_H
#define ZENITH_FRONTENDS_STABLEHLO_DIALECT_STABLEHLOSYNTAX_H

#include "frontends/stablehlo/dialect/StableHLODialect.h"

namespace zenith::stablehlo {

using mlir::ArrayAttr;
using mlir::Attribute;
using mlir::DenseBoolArrayAttr;
using mlir::DenseI64ArrayAttr;
using mlir::DenseIntElementsAttr;
using mlir::IntegerAttr;
using mlir::OpAsmParser;
using mlir::OpAsmPrinter;
using mlir::Operation;
using mlir::ParseResult;
using mlir::Region;
using mlir::StringAttr;
using mlir::Type;
using mlir::TypeRange;
using Operands = llvm::SmallVectorImpl<OpAsmParser::UnresolvedOperand>;
using Types = llvm::SmallVectorImpl<Type>;

/// One type where all are equal, else a function type.
ParseResult parseSameTypes(OpAsmParser &parser, llvm::ArrayRef<Type *> types);
void printSameTypes(OpAsmPrinter &printer, llvm::ArrayRef<Type> types);
template <typename... T>
ParseResult parseSameOperandsAndResultType(OpAsmParser &parser, T &...types) {
  return parseSameTypes(parser, {&types...});
}
template <typename... T>
void printSameOperandsAndResultType(OpAsmPrinter &printer, Operation *,
                                    T... types) {
  printSameTypes(printer, {types...});
}

ParseResult parseVariadicSameOperandsAndResultType(OpAsmParser &parser,
                                                   Operands &operands,
                                                   Types &types, Type &result);
void printVariadicSameOperandsAndResultType(OpAsmPrinter &printer, Operation *,
                                            mlir::OperandRange operands,
                                            TypeRange types, Type result);

/// tensor<complex<T>> stands for parts of T.
ParseResult parseComplexOpType(OpAsmParser &parser, Type &lhs, Type &rhs,
                               Type &result);
void printComplexOpType(OpAsmPrinter &printer, Operation *, Type lhs, Type rhs,
                        Type result);
/// `tensor<i1>, T`: predicate and value.
ParseResult parseSelectOpType(OpAsmParser &parser, Type &pred, Type &onTrue,
                              Type &onFalse, Type &result);
void printSelectOpType(OpAsmPrinter &printer, Operation *, Type pred,
                       Type onTrue, Type onFalse, Type result);
ParseResult parseTupleOpType(OpAsmParser &parser, Types &operands,
                             Type &result);
void printTupleOpType(OpAsmPrinter &printer, Operation *, TypeRange operands,
                      Type result);
/// Result types are the operand types.
ParseResult parsePairwiseOpType(OpAsmParser &parser, Types &operands,
                                Types &results);
void printPairwiseOpType(OpAsmPrinter &printer, Operation *, TypeRange operands,
                         TypeRange results);
ParseResult parseOneOrTwoTypes(OpAsmParser &parser, Type &lhs, Type &rhs);
void printOneOrTwoTypes(OpAsmPrinter &printer, Operation *, Type lhs, Type rhs);

/// `, min_ulp_difference = 0, max_ulp_difference = 3`, each optional
ParseResult parseUlpDifferences(OpAsmParser &parser, IntegerAttr &least,
                                IntegerAttr &most);
void printUlpDifferences(OpAsmPrinter &printer, Operation *, IntegerAttr least,
                         IntegerAttr most);
/// `%a, %b,` before an attribute.
ParseResult parseVariadicOperandWithAttribute(OpAsmParser &parser,
                                              Operands &operands);
void printVariadicOperandWithAttribute(OpAsmPrinter &printer, Operation *,
                                       mlir::OperandRange operands);
/// e5m10
ParseResult parseExponentMantissa(OpAsmParser &parser, IntegerAttr &exponent,
                                  IntegerAttr &mantissa);
void printExponentMantissa(OpAsmPrinter &printer, Operation *,
                           IntegerAttr exponent, IntegerAttr mantissa);
/// [0:4, 1:7:2]
ParseResult parseSliceRanges(OpAsmParser &parser, DenseI64ArrayAttr &starts,
                             DenseI64ArrayAttr &limits,
                             DenseI64ArrayAttr &strides);
void printSliceRanges(OpAsmPrinter &printer, Operation *,
                      DenseI64ArrayAttr starts, DenseI64ArrayAttr limits,
                      DenseI64ArrayAttr strides);
/// @name or @"any name"
ParseResult parseCustomCallTarget(OpAsmParser &parser, StringAttr &target);
void printCustomCallTarget(OpAsmPrinter &printer, Operation *,
                           StringAttr target);

//===-- contractions ------------------------------------------------------===//
ParseResult parsePrecisionConfig(OpAsmParser &parser, ArrayAttr &precisions);
void printPrecisionConfig(OpAsmPrinter &printer, Operation *,
                          ArrayAttr precisions);
ParseResult parsePrecisionAndAlgorithm(OpAsmParser &parser,
                                       ArrayAttr &precisions,
                                       DotAlgorithmAttr &algorithm);
void printPrecisionAndAlgorithm(OpAsmPrinter &printer, Operation *,
                                ArrayAttr precisions,
                                DotAlgorithmAttr algorithm);
ParseResult parseDotDimensions(OpAsmParser &parser,
                               DotDimensionNumbersAttr &dims);
void printDotDimensions(OpAsmPrinter &printer, Operation *,
                        DotDimensionNumbersAttr dims);
ParseResult parseConvolutionDimensions(mlir::AsmParser &parser,
                                       ConvDimensionNumbersAttr &dims);
void printConvolutionDimensions(mlir::AsmPrinter &printer,
                                ConvDimensionNumbersAttr dims);
inline void printConvolutionDimensions(mlir::AsmPrinter &printer, Operation *,
                                       ConvDimensionNumbersAttr dims) {
  printConvolutionDimensions(printer, dims);
}
ParseResult parseWindowAttributes(OpAsmParser &parser,
                                  DenseI64ArrayAttr &strides,
                                  DenseIntElementsAttr &padding,
                                  DenseI64ArrayAttr &lhsDilation,
                                  DenseI64ArrayAttr &rhsDilation,
                                  DenseBoolArrayAttr &reversal);
void printWindowAttributes(OpAsmPrinter &printer, Operation *,
                           DenseI64ArrayAttr strides,
                           DenseIntElementsAttr padding,
                           DenseI64ArrayAttr lhsDilation,
                           DenseI64ArrayAttr rhsDilation,
                           DenseBoolArrayAttr reversal);

//===-- shardings ---------------------------------------------------------===//
ParseResult parseSymbolWord(OpAsmParser &parser, StringAttr &name);
void printSymbolWord(OpAsmPrinter &printer, Operation *, StringAttr name);
ParseResult parseMeshText(OpAsmParser &parser, Attribute &mesh);
void printMeshText(OpAsmPrinter &printer, Operation *, Attribute mesh);
ParseResult parseShardingText(OpAsmParser &parser, Attribute &sharding);
void printShardingText(OpAsmPrinter &printer, Operation *, Attribute sharding);
ParseResult parseShardingsText(OpAsmParser &parser, Attribute &shardings);
void printShardingsText(OpAsmPrinter &printer, Operation *,
                        Attribute shardings);
ParseResult parseAxesText(OpAsmParser &parser, Attribute &axes);
void printAxesText(OpAsmPrinter &printer, Operation *, Attribute axes);
/// FORWARD
ParseResult parseDirectionWord(OpAsmParser &parser, StringAttr &word);
void printDirectionWord(OpAsmPrinter &printer, Operation *, StringAttr word);
/// Elements, whose type is the result's.
ParseResult parseTypedElements(OpAsmParser &parser, mlir::ElementsAttr &value,
                               Type &type);
void printTypedElements(OpAsmPrinter &printer, Operation *,
                        mlir::ElementsAttr value, Type type);
ParseResult parseRegionWithArguments(OpAsmParser &parser, Region &region);
void printRegionWithArguments(OpAsmPrinter &printer, Operation *,
                              Region &region);

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_DIALECT_STABLEHLOSYNTAX_H
