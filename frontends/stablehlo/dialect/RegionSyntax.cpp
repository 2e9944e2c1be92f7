// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pretty forms of reduce and while.

#include "frontends/stablehlo/dialect/StableHLOOps.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

using Operand = OpAsmParser::UnresolvedOperand;

//===----------------------------------------------------------------------===//
// reduce: (%x init: %z), (%y init: %w) [applies op] across dimensions = [0]
//===----------------------------------------------------------------------===//

static ParseResult parseReduceOperands(OpAsmParser &parser,
                                       SmallVectorImpl<Operand> &inputs,
                                       SmallVectorImpl<Operand> &inits) {
  do {
    if (parser.parseLParen() || parser.parseOperand(inputs.emplace_back()) ||
        parser.parseKeyword("init") || parser.parseColon() ||
        parser.parseOperand(inits.emplace_back()) || parser.parseRParen())
      return failure();
  } while (succeeded(parser.parseOptionalComma()));
  return success();
}

// `reducer(%a: T, %b: T) (%c: U, %d: U) { ... }`: one pair per operand; the
// block takes all first ones, then all second ones.
static ParseResult parseReducer(OpAsmParser &parser, size_t count,
                                Region &body) {
  SmallVector<OpAsmParser::Argument> first, second;
  if (parser.parseKeyword("reducer"))
    return failure();
  for (size_t i = 0; i < count; ++i)
    if (parser.parseLParen() ||
        parser.parseArgument(first.emplace_back(), /*allowType=*/true) ||
        parser.parseComma() ||
        parser.parseArgument(second.emplace_back(), /*allowType=*/true) ||
        parser.parseRParen())
      return failure();
  first.append(second);
  return parser.parseRegion(body, first);
}

static bool isCommutative(StringRef name) {
  return name.consume_front("stablehlo.") &&
         llvm::is_contained(
             {"add", "and", "maximum", "minimum", "multiply", "or", "xor"},
             name);
}

// A body of one op on the two scalars.
static void buildReducer(OpAsmParser &parser, OperationName name, Type type,
                         Region &body) {
  OpBuilder builder(parser.getContext());
  Location loc = parser.getEncodedSourceLoc(parser.getNameLoc());
  Block *block = builder.createBlock(&body, {}, {type, type}, {loc, loc});
  OperationState inner(loc, name);
  inner.addOperands(block->getArguments());
  inner.addTypes(type);
  Operation *op = builder.create(inner);
  builder.create<stablehlo::ReturnOp>(loc, op->getResults());
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<Operand> inputs, inits;
  if (parseReduceOperands(parser, inputs, inits))
    return failure();
  FailureOr<OperationName> inner = failure();
  bool applies = succeeded(parser.parseOptionalKeyword("applies"));
  SMLoc innerLoc = parser.getCurrentLocation();
  if (applies && failed(inner = parser.parseCustomOperationName()))
    return failure();
  if (applies && !isCommutative(inner->getStringRef()))
    return parser.emitError(innerLoc)
           << "expected the inner-op to be a commutative binary operation";
  SmallVector<int64_t> dims;
  FunctionType type;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") ||
      parser.parseEqual() ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&] { return parser.parseInteger(dims.emplace_back()); }) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type))
    return failure();
  result.addAttribute("dimensions",
                      parser.getBuilder().getDenseI64ArrayAttr(dims));
  inputs.append(inits);
  if (parser.resolveOperands(inputs, type.getInputs(), loc, result.operands))
    return failure();
  result.addTypes(type.getResults());
  Region *body = result.addRegion();
  if (!applies)
    return parseReducer(parser, inits.size(), *body);
  buildReducer(parser, *inner, type.getInputs().back(), *body);
  return success();
}

// The op of a body that applies it to its two scalars, and nothing else.
static Operation *appliedOp(ReduceOp op) {
  if (op.getInputs().size() != 1 || op.getBody().empty())
    return nullptr;
  Block &block = op.getBody().front();
  if (block.getOperations().size() != 2 || block.getNumArguments() != 2)
    return nullptr;
  Operation *inner = &block.front(), *end = &block.back();
  bool plain = inner->getNumOperands() == 2 && inner->getNumResults() == 1 &&
               inner->getAttrs().empty() &&
               llvm::equal(inner->getOperands(), block.getArguments()) &&
               llvm::equal(inner->getOperandTypes(),
                           TypeRange{op.getInitValues()[0].getType(),
                                     op.getInitValues()[0].getType()}) &&
               inner->getResult(0).getType() == op.getInitValues()[0].getType();
  return plain && isCommutative(inner->getName().getStringRef()) &&
                 end->getOperands() == inner->getResults()
             ? inner
             : nullptr;
}

void ReduceOp::print(OpAsmPrinter &printer) {
  size_t count = getInputs().size();
  for (size_t i = 0; i < count; ++i)
    printer << (i ? ", (" : "(") << getInputs()[i]
            << " init: " << getInitValues()[i] << ')';
  Operation *inner = appliedOp(*this);
  if (inner)
    printer << " applies " << inner->getName().getStringRef();
  printer << " across dimensions = [";
  llvm::interleaveComma(getDimensions(), printer);
  printer << ']';
  printer.printOptionalAttrDict((*this)->getAttrs(), {"dimensions"});
  printer << " : ";
  printer.printFunctionalType(*this);
  if (inner)
    return;
  printer.printNewline();
  printer << " reducer";
  Block &block = getBody().front();
  for (size_t i = 0; i < count; ++i) {
    printer << '(';
    printer.printRegionArgument(block.getArgument(i));
    printer << ", ";
    printer.printRegionArgument(block.getArgument(count + i));
    printer << ") ";
  }
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// while(%a = %x, %b = %y) : T, U cond { ... } do { ... }
//===----------------------------------------------------------------------===//

ParseResult WhileOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Operand> operands;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Paren, [&]() -> ParseResult {
            return failure(parser.parseArgument(arguments.emplace_back()) ||
                           parser.parseEqual() ||
                           parser.parseOperand(operands.emplace_back()));
          }))
    return failure();
  if (!operands.empty() && parser.parseColonTypeList(types))
    return failure();
  if (types.size() != operands.size())
    return parser.emitError(loc, "expected one type per operand");
  if (parser.resolveOperands(operands, types, loc, result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  for (auto [argument, type] : llvm::zip_equal(arguments, types))
    argument.type = type;
  result.addTypes(types);
  Region *cond = result.addRegion(), *body = result.addRegion();
  return failure(
      parser.parseKeyword("cond") || parser.parseRegion(*cond, arguments) ||
      parser.parseKeyword("do") || parser.parseRegion(*body, arguments));
}

void WhileOp::print(OpAsmPrinter &printer) {
  printer << '(';
  // The names of the condition's arguments hold for the body too.
  Region &cond = getCond(), &body = getBody();
  bool named = !cond.empty() && !body.empty() &&
               cond.getNumArguments() == getNumOperands() &&
               body.getNumArguments() == getNumOperands();
  if (named) {
    printer.shadowRegionArgs(body, cond.getArguments());
    llvm::interleaveComma(llvm::zip_equal(cond.getArguments(), getOperands()),
                          printer, [&](auto pair) {
                            printer << std::get<0>(pair) << " = "
                                    << std::get<1>(pair);
                          });
  }
  printer << ')';
  if (getNumOperands() != 0) {
    printer << " : ";
    llvm::interleaveComma(getOperandTypes(), printer);
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer.printNewline();
  printer << " cond ";
  printer.printRegion(cond, /*printEntryBlockArgs=*/false);
  printer << " do ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}
