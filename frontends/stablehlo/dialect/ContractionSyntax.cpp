// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dimension numbers, precisions and windows in the forms of StableHLO text.

#include "frontends/stablehlo/dialect/StableHLOSyntax.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

using Integers = SmallVector<int64_t>;

static ParseResult parseIntegers(AsmParser &parser, Integers &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(values.emplace_back());
  });
}
static void printIntegers(AsmPrinter &printer, ArrayRef<int64_t> values) {
  printer << '[';
  llvm::interleaveComma(values, printer.getStream());
  printer << ']';
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

// `= [DEFAULT, HIGHEST]`
static ParseResult parsePrecisions(OpAsmParser &parser, ArrayAttr &precisions) {
  SmallVector<Attribute> list;
  if (parser.parseEqual() ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square, [&]() -> ParseResult {
            SMLoc loc = parser.getCurrentLocation();
            StringRef word;
            if (parser.parseKeyword(&word))
              return failure();
            std::optional<Precision> precision = symbolizePrecision(word);
            if (!precision)
              return parser.emitError(loc) << "unknown precision " << word;
            list.push_back(PrecisionAttr::get(parser.getContext(), *precision));
            return success();
          }))
    return failure();
  precisions = parser.getBuilder().getArrayAttr(list);
  return success();
}

ParseResult stablehlo::parsePrecisionConfig(OpAsmParser &parser,
                                            ArrayAttr &precisions) {
  if (failed(parser.parseOptionalComma()))
    return success();
  return failure(parser.parseKeyword("precision") ||
                 parsePrecisions(parser, precisions));
}
void stablehlo::printPrecisionConfig(OpAsmPrinter &printer, Operation *,
                                     ArrayAttr precisions) {
  if (!precisions)
    return;
  printer << ", precision = [";
  llvm::interleaveComma(precisions.getAsRange<PrecisionAttr>(), printer,
                        [&](PrecisionAttr precision) {
                          printer << stringifyPrecision(precision.getValue());
                        });
  printer << ']';
}

ParseResult stablehlo::parsePrecisionAndAlgorithm(OpAsmParser &parser,
                                                  ArrayAttr &precisions,
                                                  DotAlgorithmAttr &algorithm) {
  while (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword("precision"))) {
      if (parsePrecisions(parser, precisions))
        return failure();
      continue;
    }
    if (parser.parseKeyword("algorithm") || parser.parseEqual())
      return failure();
    auto value = dyn_cast_or_null<DotAlgorithmAttr>(
        DotAlgorithmAttr::parse(parser, Type()));
    if (!value)
      return failure();
    algorithm = value;
  }
  return success();
}
void stablehlo::printPrecisionAndAlgorithm(OpAsmPrinter &printer, Operation *op,
                                           ArrayAttr precisions,
                                           DotAlgorithmAttr algorithm) {
  printPrecisionConfig(printer, op, precisions);
  if (algorithm) {
    printer << ", algorithm = ";
    algorithm.print(printer);
  }
}

// `name = [..] x [..]`
static ParseResult parseDimPair(OpAsmParser &parser, Integers &lhs,
                                Integers &rhs) {
  return failure(parser.parseEqual() || parseIntegers(parser, lhs) ||
                 parser.parseKeyword("x") || parseIntegers(parser, rhs));
}

ParseResult stablehlo::parseDotDimensions(OpAsmParser &parser,
                                          DotDimensionNumbersAttr &dims) {
  Integers lhsBatch, rhsBatch, lhsContracting, rhsContracting;
  if (succeeded(parser.parseOptionalKeyword("batching_dims")) &&
      (parseDimPair(parser, lhsBatch, rhsBatch) || parser.parseComma()))
    return failure();
  if (parser.parseKeyword("contracting_dims") ||
      parseDimPair(parser, lhsContracting, rhsContracting))
    return failure();
  dims = DotDimensionNumbersAttr::get(parser.getContext(), lhsBatch, rhsBatch,
                                      lhsContracting, rhsContracting);
  return success();
}
void stablehlo::printDotDimensions(OpAsmPrinter &printer, Operation *,
                                   DotDimensionNumbersAttr dims) {
  auto print = [&](StringRef name, ArrayRef<int64_t> lhs,
                   ArrayRef<int64_t> rhs) {
    printer << name << " = ";
    printIntegers(printer, lhs);
    printer << " x ";
    printIntegers(printer, rhs);
  };
  if (!dims.getLhsBatchingDimensions().empty() ||
      !dims.getRhsBatchingDimensions().empty()) {
    print("batching_dims", dims.getLhsBatchingDimensions(),
          dims.getRhsBatchingDimensions());
    printer << ", ";
  }
  print("contracting_dims", dims.getLhsContractingDimensions(),
        dims.getRhsContractingDimensions());
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

// `[[1, 2], [0, 0]]`
static ParseResult parsePadding(OpAsmParser &parser,
                                DenseIntElementsAttr &padding) {
  Integers values;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square, [&]() -> ParseResult {
            size_t before = values.size();
            if (parseIntegers(parser, values))
              return failure();
            return values.size() == before + 2
                       ? success()
                       : parser.emitError(loc, "expected pairs of integers");
          }))
    return failure();
  auto type = RankedTensorType::get({int64_t(values.size() / 2), 2},
                                    parser.getBuilder().getI64Type());
  padding = DenseIntElementsAttr::get(type, values);
  return success();
}

static ParseResult parseBooleans(OpAsmParser &parser,
                                 DenseBoolArrayAttr &attribute) {
  SmallVector<bool> values;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square, [&]() -> ParseResult {
            if (succeeded(parser.parseOptionalKeyword("true"))) {
              values.push_back(true);
              return success();
            }
            values.push_back(false);
            int64_t number = 0;
            OptionalParseResult isNumber = parser.parseOptionalInteger(number);
            if (isNumber.has_value()) {
              values.back() = number != 0;
              return *isNumber;
            }
            return parser.parseKeyword("false");
          }))
    return failure();
  attribute = parser.getBuilder().getDenseBoolArrayAttr(values);
  return success();
}

ParseResult stablehlo::parseWindowAttributes(OpAsmParser &parser,
                                             DenseI64ArrayAttr &strides,
                                             DenseIntElementsAttr &padding,
                                             DenseI64ArrayAttr &lhsDilation,
                                             DenseI64ArrayAttr &rhsDilation,
                                             DenseBoolArrayAttr &reversal) {
  StringRef name;
  if (failed(parser.parseOptionalKeyword(&name)))
    return success();
  do {
    if (!name.data() && parser.parseKeyword(&name))
      return failure();
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseEqual())
      return failure();
    DenseI64ArrayAttr *list = name == "stride"       ? &strides
                              : name == "lhs_dilate" ? &lhsDilation
                              : name == "rhs_dilate" ? &rhsDilation
                                                     : nullptr;
    if (list) {
      Integers values;
      if (*list)
        return parser.emitError(loc) << "duplicated `" << name << "` entry";
      if (parseIntegers(parser, values))
        return failure();
      *list = parser.getBuilder().getDenseI64ArrayAttr(values);
    } else if (name == "pad" && !padding) {
      if (parsePadding(parser, padding))
        return failure();
    } else if (name == "reverse" && !reversal) {
      if (parseBooleans(parser, reversal))
        return failure();
    } else {
      return parser.emitError(loc)
             << "unexpected window entry '" << name << "'";
    }
    name = StringRef();
  } while (succeeded(parser.parseOptionalComma()));
  return success();
}

void stablehlo::printWindowAttributes(OpAsmPrinter &printer, Operation *,
                                      DenseI64ArrayAttr strides,
                                      DenseIntElementsAttr padding,
                                      DenseI64ArrayAttr lhsDilation,
                                      DenseI64ArrayAttr rhsDilation,
                                      DenseBoolArrayAttr reversal) {
  bool first = true;
  auto begin = [&](StringRef name) {
    printer << (first ? "" : ", ") << name << " = ";
    first = false;
  };
  auto list = [&](StringRef name, DenseI64ArrayAttr values) {
    if (values) {
      begin(name);
      printIntegers(printer, values);
    }
  };
  list("stride", strides);
  if (padding) {
    begin("pad");
    SmallVector<int64_t> values(padding.getValues<int64_t>());
    printer << '[';
    for (size_t i = 0; i + 1 < values.size(); i += 2)
      printer << (i ? ", [" : "[") << values[i] << ", " << values[i + 1] << ']';
    printer << ']';
  }
  list("lhs_dilate", lhsDilation);
  list("rhs_dilate", rhsDilation);
  if (reversal) {
    begin("reverse");
    printer << '[';
    llvm::interleaveComma(reversal.asArrayRef(), printer, [&](bool reversed) {
      printer << (reversed ? "true" : "false");
    });
    printer << ']';
  }
}
