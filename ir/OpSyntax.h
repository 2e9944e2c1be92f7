// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pieces of the ops' text form that the assembly formats name: enum words and
// lists that mix numbers and operands.

#ifndef ZENITH_IR_OPSYNTAX_H
#define ZENITH_IR_OPSYNTAX_H

#include "ir/GraphDialect.h"
#include "mlir/IR/DialectImplementation.h"

namespace zenith::graph {

/// The bare word of an enum attribute.
template <typename EnumAttribute>
mlir::ParseResult parseEnumWord(mlir::OpAsmParser &parser,
                                EnumAttribute &attribute) {
  using Enum = decltype(attribute.getValue());
  llvm::SMLoc place = parser.getCurrentLocation();
  llvm::StringRef word;
  if (mlir::failed(parser.parseKeyword(&word)))
    return mlir::failure();
  std::optional<Enum> value = symbolizeEnum<Enum>(word);
  if (!value) {
    auto error = parser.emitError(place, "got ") << word << ", expected one of";
    for (unsigned i = 0; !stringifyEnum(static_cast<Enum>(i)).empty(); ++i)
      error << ' ' << stringifyEnum(static_cast<Enum>(i));
    return error;
  }
  attribute = EnumAttribute::get(parser.getContext(), *value);
  return mlir::success();
}
template <typename EnumAttribute>
void printEnumWord(mlir::OpAsmPrinter &printer, mlir::Operation *,
                   EnumAttribute attribute) {
  printer << stringifyEnum(attribute.getValue());
}

/// `(%a = %x : T, ...)`: operands, each under the name that an isolated region
/// knows it by.
mlir::ParseResult
parseBoundInputs(mlir::OpAsmParser &parser,
                 llvm::SmallVectorImpl<mlir::OpAsmParser::Argument> &arguments,
                 llvm::SmallVectorImpl<mlir::Value> &inputs);
void printBoundInputs(mlir::OpAsmPrinter &printer,
                      mlir::Block::BlockArgListType arguments,
                      mlir::OperandRange inputs);

/// `[0, 2]` in the text of an attribute.
mlir::ParseResult parseIntegerList(mlir::AsmParser &parser,
                                   llvm::SmallVector<int64_t> &values);
void printIntegerList(mlir::AsmPrinter &printer,
                      llvm::ArrayRef<int64_t> values);

/// `[%a, 4]`: ShapedType::kDynamic in `integers` stands for the next of
/// `operands`.
mlir::ParseResult parseMixedIndexList(
    mlir::OpAsmParser &parser,
    llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &operands,
    mlir::DenseI64ArrayAttr &integers);
void printMixedIndexList(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                         mlir::OperandRange operands,
                         mlir::DenseI64ArrayAttr integers);

} // namespace zenith::graph

#endif // ZENITH_IR_OPSYNTAX_H
