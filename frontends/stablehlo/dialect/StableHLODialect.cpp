// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers dialects, attributes and types, and keeps unknown attributes as
// text.

#include "frontends/stablehlo/dialect/StableHLODialect.h"

#include "frontends/stablehlo/dialect/StableHLORegistration.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/QuantOps.h"
#include "mlir/Dialect/Quant/QuantTypes.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

#include "frontends/stablehlo/dialect/CHLODialect.cpp.inc"
#include "frontends/stablehlo/dialect/CheckDialect.cpp.inc"
#include "frontends/stablehlo/dialect/InterpreterDialect.cpp.inc"
#include "frontends/stablehlo/dialect/SdyDialect.cpp.inc"
#include "frontends/stablehlo/dialect/StableHLODialect.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "frontends/stablehlo/dialect/StableHLOTypes.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "frontends/stablehlo/dialect/CHLOAttrs.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "frontends/stablehlo/dialect/SdyAttrs.cpp.inc"

namespace zenith::stablehlo {
// Defined beside the attributes' syntax.
OptionalParseResult parseKnownAttribute(AsmParser &parser, StringRef *mnemonic,
                                        Type type, Attribute &value);
LogicalResult printKnownAttribute(Attribute attribute, AsmPrinter &printer);
} // namespace zenith::stablehlo

bool stablehlo::isQuantized(Type type) {
  return isa<quant::QuantizedType>(type);
}

void stablehlo::registerStableHLODialects(DialectRegistry &registry) {
  registry.insert<StableHLODialect, chlo::CHLODialect, sdy::SdyDialect,
                  check::CheckDialect, interpreter::InterpreterDialect,
                  func::FuncDialect, quant::QuantizationDialect,
                  arith::ArithDialect>();
}

void StableHLODialect::initialize() {
  registerAttributes();
  addTypes<
#define GET_TYPEDEF_LIST
#include "frontends/stablehlo/dialect/StableHLOTypes.cpp.inc"
      >();
  insertElementwiseOps(*this);
  insertMovementOps(*this);
  insertRegionOps(*this);
  insertContractionOps(*this);
  insertDistributionOps(*this);
}

void chlo::CHLODialect::initialize() {
  addAttributes<chlo::TextAttr>();
  insertCHLOOps(*this);
}
void sdy::SdyDialect::initialize() {
  addAttributes<sdy::TextAttr>();
  insertSdyOps(*this);
}
void check::CheckDialect::initialize() { insertCheckOps(*this); }
void interpreter::InterpreterDialect::initialize() {
  insertInterpreterOps(*this);
}

// The caller has found the end of the attribute already, so that its text may
// stand for itself.
template <typename TextAttr>
static Attribute takeText(DialectAsmParser &parser) {
  return TextAttr::get(parser.getContext(), parser.getFullSymbolSpec());
}

// `type_extensions<bounds = [3, ?]>`, the older form of `bounds<3, ?>`.
static Attribute parseTypeExtensions(DialectAsmParser &parser) {
  SmallVector<int64_t> bounds;
  auto parseBound = [&]() -> ParseResult {
    bounds.push_back(ShapedType::kDynamic);
    return succeeded(parser.parseOptionalQuestion())
               ? success()
               : parser.parseInteger(bounds.back());
  };
  if (parser.parseKeyword("type_extensions") || parser.parseLess() ||
      parser.parseKeyword("bounds") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     parseBound) ||
      parser.parseGreater())
    return {};
  return TypeExtensionsAttr::get(parser.getContext(), bounds);
}

Attribute StableHLODialect::parseAttribute(DialectAsmParser &parser,
                                           Type type) const {
  StringRef text = parser.getFullSymbolSpec();
  for (StringRef carried : {"replica_group_mesh_axes", "mesh_axis", "mesh<",
                            "axis_ref", "sub_axis"})
    if (text.starts_with(carried))
      return takeText<stablehlo::TextAttr>(parser);
  if (text.starts_with("type_extensions<"))
    return parseTypeExtensions(parser);
  StringRef mnemonic;
  Attribute value;
  SMLoc loc = parser.getCurrentLocation();
  OptionalParseResult parsed =
      parseKnownAttribute(parser, &mnemonic, type, value);
  if (parsed.has_value())
    return value;
  parser.emitError(loc) << "unknown attribute `" << mnemonic
                        << "` in dialect `stablehlo`";
  return {};
}

void StableHLODialect::printAttribute(Attribute attribute,
                                      DialectAsmPrinter &printer) const {
  if (auto text = dyn_cast<stablehlo::TextAttr>(attribute))
    printer << text.getText();
  else
    (void)printKnownAttribute(attribute, printer);
}

Type StableHLODialect::parseType(DialectAsmParser &parser) const {
  StringRef mnemonic;
  Type value;
  SMLoc loc = parser.getCurrentLocation();
  OptionalParseResult parsed = generatedTypeParser(parser, &mnemonic, value);
  if (parsed.has_value())
    return value;
  parser.emitError(loc) << "unknown type `" << mnemonic
                        << "` in dialect `stablehlo`";
  return {};
}

void StableHLODialect::printType(Type type, DialectAsmPrinter &printer) const {
  (void)generatedTypePrinter(type, printer);
}

Attribute chlo::CHLODialect::parseAttribute(DialectAsmParser &parser,
                                            Type) const {
  return takeText<chlo::TextAttr>(parser);
}
void chlo::CHLODialect::printAttribute(Attribute attribute,
                                       DialectAsmPrinter &printer) const {
  printer << cast<chlo::TextAttr>(attribute).getText();
}
Attribute sdy::SdyDialect::parseAttribute(DialectAsmParser &parser,
                                          Type) const {
  return takeText<sdy::TextAttr>(parser);
}
void sdy::SdyDialect::printAttribute(Attribute attribute,
                                     DialectAsmPrinter &printer) const {
  printer << cast<sdy::TextAttr>(attribute).getText();
}
