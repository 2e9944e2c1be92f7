// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists of integers, and of integers mixed with operands, as text.

#include "ir/OpSyntax.h"

using namespace mlir;

namespace zenith::graph {

ParseResult parseIntegerList(AsmParser &parser, SmallVector<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(values.emplace_back());
  });
}

void printIntegerList(AsmPrinter &printer, ArrayRef<int64_t> values) {
  printer << '[';
  llvm::interleaveComma(values, printer.getStream());
  printer << ']';
}

ParseResult
parseMixedIndexList(OpAsmParser &parser,
                    SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
                    DenseI64ArrayAttr &integers) {
  SmallVector<int64_t> values;
  auto parseEntry = [&]() -> ParseResult {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult asOperand = parser.parseOptionalOperand(operand);
    if (asOperand.has_value()) {
      if (failed(*asOperand))
        return failure();
      operands.push_back(operand);
      values.push_back(ShapedType::kDynamic);
      return success();
    }
    int64_t value = 0;
    if (failed(parser.parseInteger(value)))
      return failure();
    values.push_back(value);
    return success();
  };
  if (failed(parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                            parseEntry)))
    return failure();
  integers = parser.getBuilder().getDenseI64ArrayAttr(values);
  return success();
}

void printMixedIndexList(OpAsmPrinter &printer, Operation *,
                         OperandRange operands, DenseI64ArrayAttr integers) {
  printer << '[';
  unsigned next = 0;
  llvm::interleaveComma(integers.asArrayRef(), printer, [&](int64_t value) {
    if (ShapedType::isDynamic(value) && next < operands.size())
      printer << operands[next++];
    else
      printer << value;
  });
  printer << ']';
}

ParseResult parseBoundInputs(OpAsmParser &parser,
                             SmallVectorImpl<OpAsmParser::Argument> &arguments,
                             SmallVectorImpl<Value> &inputs) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  SMLoc place = parser.getCurrentLocation();
  auto parseBinding = [&]() -> ParseResult {
    if (failed(parser.parseArgument(arguments.emplace_back())) ||
        failed(parser.parseEqual()) ||
        failed(parser.parseOperand(operands.emplace_back())) ||
        failed(parser.parseColonType(types.emplace_back())))
      return failure();
    arguments.back().type = types.back();
    return success();
  };
  return failure(
      failed(parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                            parseBinding)) ||
      failed(parser.resolveOperands(operands, types, place, inputs)));
}

void printBoundInputs(OpAsmPrinter &printer, Block::BlockArgListType arguments,
                      OperandRange inputs) {
  printer << '(';
  llvm::interleaveComma(llvm::zip(arguments, inputs), printer, [&](auto pair) {
    printer << std::get<0>(pair) << " = " << std::get<1>(pair) << " : "
            << std::get<1>(pair).getType();
  });
  printer << ')';
}

} // namespace zenith::graph
