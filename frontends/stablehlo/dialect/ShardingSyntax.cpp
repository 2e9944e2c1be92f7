// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shardings inside ops: read token by token and kept as the text that follows
// `#sdy.` in their attribute form.

#include "frontends/stablehlo/dialect/StableHLOSyntax.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

// Appends the token that opens or closes a bracket; `depth` follows.
static bool takeBracket(OpAsmParser &parser, std::string &text,
                        SmallVectorImpl<char> &open) {
  auto opening = [&](ParseResult found, char bracket, char closing) {
    if (failed(found))
      return false;
    text += bracket;
    open.push_back(closing);
    return true;
  };
  if (opening(parser.parseOptionalLess(), '<', '>') ||
      opening(parser.parseOptionalLSquare(), '[', ']') ||
      opening(parser.parseOptionalLBrace(), '{', '}') ||
      opening(parser.parseOptionalLParen(), '(', ')'))
    return true;
  if (open.empty())
    return false;
  char closing = open.back();
  ParseResult found = closing == '>'   ? parser.parseOptionalGreater()
                      : closing == ']' ? parser.parseOptionalRSquare()
                      : closing == '}' ? parser.parseOptionalRBrace()
                                       : parser.parseOptionalRParen();
  if (failed(found))
    return false;
  text += closing;
  open.pop_back();
  return true;
}

static ParseResult takeToken(OpAsmParser &parser, std::string &text) {
  std::string string;
  StringAttr symbol;
  StringRef word;
  int64_t number;
  if (succeeded(parser.parseOptionalString(&string)))
    text += '"' + string + '"';
  else if (succeeded(parser.parseOptionalSymbolName(symbol)))
    text += "@" + symbol.str();
  else if (OptionalParseResult found = parser.parseOptionalInteger(number);
           found.has_value())
    text += std::to_string(number);
  else if (succeeded(parser.parseOptionalKeyword(&word)))
    text += word.str();
  else if (succeeded(parser.parseOptionalComma()))
    text += ", ";
  else if (succeeded(parser.parseOptionalEqual()))
    text += '=';
  else if (succeeded(parser.parseOptionalColon()))
    text += ':';
  else if (succeeded(parser.parseOptionalQuestion()))
    text += '?';
  else
    return parser.emitError(parser.getCurrentLocation(),
                            "unexpected token in a sharding");
  return success();
}

// One bracketed text, from its opening to its closing bracket.
static ParseResult parseBracketed(OpAsmParser &parser, StringRef prefix,
                                  Attribute &attribute) {
  std::string text = prefix.str();
  SmallVector<char> open;
  do {
    if (takeBracket(parser, text, open))
      continue;
    if (open.empty())
      return parser.emitError(parser.getCurrentLocation(),
                              "expected a sharding");
    if (takeToken(parser, text))
      return failure();
  } while (!open.empty());
  attribute = sdy::TextAttr::get(parser.getContext(), text);
  return success();
}

static void printWithout(OpAsmPrinter &printer, StringRef prefix,
                         StringRef suffix, Attribute attribute) {
  StringRef text = cast<sdy::TextAttr>(attribute).getText();
  text.consume_front(prefix);
  text.consume_back(suffix);
  printer << text;
}

ParseResult stablehlo::parseSymbolWord(OpAsmParser &parser, StringAttr &name) {
  return parser.parseSymbolName(name);
}
void stablehlo::printSymbolWord(OpAsmPrinter &printer, Operation *,
                                StringAttr name) {
  printer.printSymbolName(name);
}

ParseResult stablehlo::parseMeshText(OpAsmParser &parser, Attribute &mesh) {
  return parseBracketed(parser, "mesh", mesh);
}
void stablehlo::printMeshText(OpAsmPrinter &printer, Operation *,
                              Attribute mesh) {
  printWithout(printer, "mesh", "", mesh);
}

ParseResult stablehlo::parseShardingText(OpAsmParser &parser,
                                         Attribute &sharding) {
  return parseBracketed(parser, "sharding", sharding);
}
void stablehlo::printShardingText(OpAsmPrinter &printer, Operation *,
                                  Attribute sharding) {
  printWithout(printer, "sharding", "", sharding);
}

ParseResult stablehlo::parseShardingsText(OpAsmParser &parser,
                                          Attribute &shardings) {
  if (parseBracketed(parser, "sharding_per_value<", shardings))
    return failure();
  shardings =
      sdy::TextAttr::get(parser.getContext(),
                         cast<sdy::TextAttr>(shardings).getText().str() + ">");
  return success();
}
void stablehlo::printShardingsText(OpAsmPrinter &printer, Operation *,
                                   Attribute shardings) {
  printWithout(printer, "sharding_per_value<", ">", shardings);
}

ParseResult stablehlo::parseAxesText(OpAsmParser &parser, Attribute &axes) {
  return parseBracketed(parser, "manual_axes", axes);
}
void stablehlo::printAxesText(OpAsmPrinter &printer, Operation *,
                              Attribute axes) {
  printWithout(printer, "manual_axes", "", axes);
}

ParseResult stablehlo::parseDirectionWord(OpAsmParser &parser,
                                          StringAttr &word) {
  StringRef text;
  if (parser.parseKeyword(&text))
    return failure();
  word = parser.getBuilder().getStringAttr(text);
  return success();
}
void stablehlo::printDirectionWord(OpAsmPrinter &printer, Operation *,
                                   StringAttr word) {
  printer << word.getValue();
}

ParseResult stablehlo::parseTypedElements(OpAsmParser &parser,
                                          ElementsAttr &value, Type &type) {
  if (parser.parseAttribute(value))
    return failure();
  type = cast<Type>(value.getShapedType());
  return success();
}
void stablehlo::printTypedElements(OpAsmPrinter &printer, Operation *,
                                   ElementsAttr value, Type) {
  printer << value;
}

ParseResult stablehlo::parseRegionWithArguments(OpAsmParser &parser,
                                                Region &region) {
  SmallVector<OpAsmParser::Argument> arguments;
  return failure(parser.parseArgumentList(arguments,
                                          AsmParser::Delimiter::Paren,
                                          /*allowType=*/true) ||
                 parser.parseRegion(region, arguments));
}
void stablehlo::printRegionWithArguments(OpAsmPrinter &printer, Operation *,
                                         Region &region) {
  printer << '(';
  llvm::interleaveComma(
      region.getArguments(), printer,
      [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ") ";
  printer.printRegion(region, /*printEntryBlockArgs=*/false);
}
