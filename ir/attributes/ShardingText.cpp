// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text form of meshes and shardings, which is Shardy's.

#include "ir/attributes/ShardingAttrs.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace zenith::graph {

//===----------------------------------------------------------------------===//
// Parts without the angle brackets around them
//===----------------------------------------------------------------------===//

static void printName(AsmPrinter &printer, StringRef name) {
  printer.printString(name);
}

static void printAxis(AsmPrinter &printer, AxisRefAttr axis) {
  printName(printer, axis.getName());
  if (!axis.isWhole())
    printer << ":(" << axis.getPreSize() << ')' << axis.getSize();
}

static void printAxes(AsmPrinter &printer, ArrayRef<AxisRefAttr> axes) {
  printer << '{';
  llvm::interleaveComma(axes, printer,
                        [&](AxisRefAttr axis) { printAxis(printer, axis); });
  printer << '}';
}

static void printDim(AsmPrinter &printer, DimShardingAttr dim) {
  printer << '{';
  llvm::interleaveComma(dim.getAxes(), printer,
                        [&](AxisRefAttr axis) { printAxis(printer, axis); });
  if (dim.getOpen())
    printer << (dim.getAxes().empty() ? "?" : ", ?");
  printer << '}';
  if (dim.getPriority() != 0)
    printer << 'p' << dim.getPriority();
}

static ParseResult parseAxis(AsmParser &parser, AxisRefAttr &axis) {
  SMLoc place = parser.getCurrentLocation();
  std::string name;
  int64_t before = 1, size = 0;
  if (parser.parseString(&name))
    return failure();
  if (succeeded(parser.parseOptionalColon())) {
    if (parser.parseLParen() || parser.parseInteger(before) ||
        parser.parseRParen() || parser.parseInteger(size))
      return failure();
    if (size == 0)
      return parser.emitError(place)
             << "axis: got a factor of size 0, expected at least 2 (axis_c1)";
  }
  axis = parser.getChecked<AxisRefAttr>(place, parser.getContext(),
                                        StringRef(name), before, size);
  return failure(!axis);
}

static ParseResult parseAxes(AsmParser &parser,
                             SmallVectorImpl<AxisRefAttr> &axes) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&] {
    return parseAxis(parser, axes.emplace_back());
  });
}

// `p` and digits, written without a space between them.
static ParseResult parsePriority(AsmParser &parser, int64_t &priority) {
  SMLoc place = parser.getCurrentLocation();
  StringRef word;
  if (failed(parser.parseOptionalKeyword(&word)))
    return success();
  if (!word.consume_front("p") || word.getAsInteger(10, priority))
    return parser.emitError(place)
           << "priority: expected p followed by a number, as in p1";
  return success();
}

static ParseResult parseDim(AsmParser &parser, DimShardingAttr &dim) {
  SMLoc place = parser.getCurrentLocation();
  SmallVector<AxisRefAttr> axes;
  bool open = false;
  int64_t priority = 0;
  ParseResult list = parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Braces, [&]() -> ParseResult {
        if (open)
          return parser.emitError(parser.getCurrentLocation())
                 << "expected no axis behind ?";
        if (succeeded(parser.parseOptionalQuestion())) {
          open = true;
          return success();
        }
        return parseAxis(parser, axes.emplace_back());
      });
  if (list || parsePriority(parser, priority))
    return failure();
  dim = parser.getChecked<DimShardingAttr>(place, parser.getContext(),
                                           ArrayRef(axes), open, priority);
  return failure(!dim);
}

static ParseResult parseMeshAxis(AsmParser &parser, MeshAxisAttr &axis) {
  SMLoc place = parser.getCurrentLocation();
  std::string name;
  int64_t size = 0;
  if (parser.parseString(&name) || parser.parseEqual() ||
      parser.parseInteger(size))
    return failure();
  axis = parser.getChecked<MeshAxisAttr>(place, parser.getContext(),
                                         StringRef(name), size);
  return failure(!axis);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

void MeshAxisAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printName(printer, getName());
  printer << '=' << getSize() << '>';
}
Attribute MeshAxisAttr::parse(AsmParser &parser, Type) {
  MeshAxisAttr axis;
  if (parser.parseLess() || parseMeshAxis(parser, axis) ||
      parser.parseGreater())
    return {};
  return axis;
}

void AxisRefAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printAxis(printer, *this);
  printer << '>';
}
Attribute AxisRefAttr::parse(AsmParser &parser, Type) {
  AxisRefAttr axis;
  if (parser.parseLess() || parseAxis(parser, axis) || parser.parseGreater())
    return {};
  return axis;
}

void DimShardingAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printDim(printer, *this);
  printer << '>';
}
Attribute DimShardingAttr::parse(AsmParser &parser, Type) {
  DimShardingAttr dim;
  if (parser.parseLess() || parseDim(parser, dim) || parser.parseGreater())
    return {};
  return dim;
}

void MeshAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getAxes(), printer, [&](MeshAxisAttr axis) {
    printName(printer, axis.getName());
    printer << '=' << axis.getSize();
  });
  printer << ']';
  if (!getDeviceIds().empty()) {
    printer << ", device_ids = [";
    llvm::interleaveComma(getDeviceIds(), printer);
    printer << ']';
  }
  printer << '>';
}
Attribute MeshAttr::parse(AsmParser &parser, Type) {
  SMLoc place = parser.getCurrentLocation();
  SmallVector<MeshAxisAttr> axes;
  SmallVector<int64_t> ids;
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parseMeshAxis(parser, axes.emplace_back());
      }))
    return {};
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("device_ids") || parser.parseEqual() ||
       parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
         return parser.parseInteger(ids.emplace_back());
       })))
    return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<MeshAttr>(place, parser.getContext(), ArrayRef(axes),
                                     ArrayRef(ids));
}

void ShardingAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printAttribute(getMesh());
  printer << ", [";
  llvm::interleaveComma(getDims(), printer,
                        [&](DimShardingAttr dim) { printDim(printer, dim); });
  printer << ']';
  if (!getReplicated().empty()) {
    printer << ", replicated = ";
    printAxes(printer, getReplicated());
  }
  if (!getUnreduced().empty()) {
    printer << ", unreduced = ";
    printAxes(printer, getUnreduced());
  }
  printer << '>';
}
Attribute ShardingAttr::parse(AsmParser &parser, Type) {
  SMLoc place = parser.getCurrentLocation();
  FlatSymbolRefAttr mesh;
  SmallVector<DimShardingAttr> dims;
  SmallVector<AxisRefAttr> replicated, unreduced;
  if (parser.parseLess() || parser.parseAttribute(mesh) ||
      parser.parseComma() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parseDim(parser, dims.emplace_back());
      }))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    StringRef word;
    SMLoc wordPlace = parser.getCurrentLocation();
    if (parser.parseKeyword(&word) || parser.parseEqual())
      return {};
    if (word == "replicated" && replicated.empty()) {
      if (parseAxes(parser, replicated))
        return {};
    } else if (word == "unreduced" && unreduced.empty()) {
      if (parseAxes(parser, unreduced))
        return {};
    } else {
      parser.emitError(wordPlace)
          << "got " << word << ", expected replicated or unreduced, once";
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<ShardingAttr>(place, parser.getContext(), mesh,
                                         ArrayRef(dims), ArrayRef(replicated),
                                         ArrayRef(unreduced));
}

} // namespace zenith::graph
