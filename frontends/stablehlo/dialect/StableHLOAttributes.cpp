// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and prints attributes in the forms of StableHLO text.

#include "frontends/stablehlo/dialect/StableHLODialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include <functional>

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

#include "frontends/stablehlo/dialect/StableHLOEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "frontends/stablehlo/dialect/StableHLOAttrs.cpp.inc"

namespace zenith::stablehlo {
void StableHLODialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "frontends/stablehlo/dialect/StableHLOAttrs.cpp.inc"
      >();
}
OptionalParseResult parseKnownAttribute(AsmParser &parser, StringRef *mnemonic,
                                        Type type, Attribute &value) {
  return generatedAttributeParser(parser, mnemonic, type, value);
}
LogicalResult printKnownAttribute(Attribute attribute, AsmPrinter &printer) {
  return generatedAttributePrinter(attribute, printer);
}
} // namespace zenith::stablehlo

using Integers = SmallVector<int64_t>;

//===----------------------------------------------------------------------===//
// Fields `name = value` in any order
//===----------------------------------------------------------------------===//

namespace {
struct Field {
  StringRef name;
  std::function<ParseResult()> parse;
};
} // namespace

static ParseResult parseIntegers(AsmParser &parser, Integers &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(values.emplace_back());
  });
}

static ParseResult parseField(AsmParser &parser, ArrayRef<Field> fields,
                              llvm::SmallBitVector &seen) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name) || parser.parseEqual())
    return failure();
  const Field *field =
      llvm::find_if(fields, [&](const Field &f) { return f.name == name; });
  if (field == fields.end())
    return parser.emitError(loc) << "unknown field '" << name << "'";
  if (seen.test(field - fields.begin()))
    return parser.emitError(loc) << "duplicated `" << name << "` entry";
  seen.set(field - fields.begin());
  return field->parse();
}

// `<a = 1, b = [2]>`; a comma may follow the last field.
static ParseResult parseFieldList(AsmParser &parser, ArrayRef<Field> fields) {
  llvm::SmallBitVector seen(fields.size());
  if (parser.parseLess())
    return failure();
  while (failed(parser.parseOptionalGreater())) {
    if (parseField(parser, fields, seen))
      return failure();
    if (failed(parser.parseOptionalComma()))
      return parser.parseGreater();
  }
  return success();
}

static Field listField(AsmParser &parser, StringRef name, Integers &values) {
  return {name, [&parser, &values] { return parseIntegers(parser, values); }};
}
static Field integerField(AsmParser &parser, StringRef name, int64_t &value) {
  return {name, [&parser, &value] { return parser.parseInteger(value); }};
}

namespace {
/// Prints fields that differ from their defaults.
class FieldList {
public:
  explicit FieldList(AsmPrinter &printer) : printer(printer) { printer << '<'; }
  ~FieldList() { printer << '>'; }
  void list(StringRef name, ArrayRef<int64_t> values) {
    if (!values.empty())
      always(name, values);
  }
  void always(StringRef name, ArrayRef<int64_t> values) {
    begin(name);
    printer << '[';
    llvm::interleaveComma(values, printer.getStream());
    printer << ']';
  }
  template <typename T> void value(StringRef name, const T &value) {
    begin(name);
    printer << value;
  }

private:
  void begin(StringRef name) {
    printer << (first ? "" : ", ") << name << " = ";
    first = false;
  }
  AsmPrinter &printer;
  bool first = true;
};
} // namespace

//===----------------------------------------------------------------------===//
// Dimension numbers
//===----------------------------------------------------------------------===//

Attribute DotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  Integers lhsBatch, rhsBatch, lhsContracting, rhsContracting;
  if (parseFieldList(
          parser,
          {listField(parser, "lhs_batching_dimensions", lhsBatch),
           listField(parser, "rhs_batching_dimensions", rhsBatch),
           listField(parser, "lhs_contracting_dimensions", lhsContracting),
           listField(parser, "rhs_contracting_dimensions", rhsContracting)}))
    return {};
  return get(parser.getContext(), lhsBatch, rhsBatch, lhsContracting,
             rhsContracting);
}
void DotDimensionNumbersAttr::print(AsmPrinter &printer) const {
  FieldList fields(printer);
  fields.list("lhs_batching_dimensions", getLhsBatchingDimensions());
  fields.list("rhs_batching_dimensions", getRhsBatchingDimensions());
  fields.list("lhs_contracting_dimensions", getLhsContractingDimensions());
  fields.list("rhs_contracting_dimensions", getRhsContractingDimensions());
}

Attribute GatherDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  Integers offset, collapsed, operandBatching, indicesBatching, map;
  int64_t vectorDim = 0;
  if (parseFieldList(
          parser,
          {listField(parser, "offset_dims", offset),
           listField(parser, "collapsed_slice_dims", collapsed),
           listField(parser, "operand_batching_dims", operandBatching),
           listField(parser, "start_indices_batching_dims", indicesBatching),
           listField(parser, "start_index_map", map),
           integerField(parser, "index_vector_dim", vectorDim)}))
    return {};
  return get(parser.getContext(), offset, collapsed, operandBatching,
             indicesBatching, map, vectorDim);
}
void GatherDimensionNumbersAttr::print(AsmPrinter &printer) const {
  FieldList fields(printer);
  fields.list("offset_dims", getOffsetDims());
  fields.list("collapsed_slice_dims", getCollapsedSliceDims());
  fields.list("operand_batching_dims", getOperandBatchingDims());
  fields.list("start_indices_batching_dims", getStartIndicesBatchingDims());
  fields.list("start_index_map", getStartIndexMap());
  if (getIndexVectorDim() != 0)
    fields.value("index_vector_dim", getIndexVectorDim());
}

Attribute ScatterDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  Integers window, inserted, inputBatching, indicesBatching, map;
  int64_t vectorDim = 0;
  if (parseFieldList(
          parser,
          {listField(parser, "update_window_dims", window),
           listField(parser, "inserted_window_dims", inserted),
           listField(parser, "input_batching_dims", inputBatching),
           listField(parser, "scatter_indices_batching_dims", indicesBatching),
           listField(parser, "scatter_dims_to_operand_dims", map),
           integerField(parser, "index_vector_dim", vectorDim)}))
    return {};
  return get(parser.getContext(), window, inserted, inputBatching,
             indicesBatching, map, vectorDim);
}
void ScatterDimensionNumbersAttr::print(AsmPrinter &printer) const {
  FieldList fields(printer);
  fields.list("update_window_dims", getUpdateWindowDims());
  fields.list("inserted_window_dims", getInsertedWindowDims());
  fields.list("input_batching_dims", getInputBatchingDims());
  fields.list("scatter_indices_batching_dims", getScatterIndicesBatchingDims());
  fields.list("scatter_dims_to_operand_dims", getScatterDimsToOperandDims());
  if (getIndexVectorDim() != 0)
    fields.value("index_vector_dim", getIndexVectorDim());
}

//===----------------------------------------------------------------------===//
// Convolution: [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]
//===----------------------------------------------------------------------===//

namespace {
/// One bracket: positions of two named dimensions and of the spatial ones.
struct ConvLayout {
  int64_t first = -1, second = -1;
  Integers spatial;
};
} // namespace

static ParseResult parseConvEntry(AsmParser &parser, StringRef names,
                                  int64_t position, ConvLayout &layout,
                                  llvm::SmallDenseMap<int64_t, int64_t> &at) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t number = 0;
  OptionalParseResult isNumber = parser.parseOptionalInteger(number);
  if (isNumber.has_value()) {
    if (failed(*isNumber) || number < 0 ||
        !at.try_emplace(number, position).second)
      return parser.emitError(loc, "expected distinct spatial dimensions");
    return success();
  }
  if (succeeded(parser.parseOptionalQuestion()))
    return success();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  int64_t *dim = word == names.take_front(1)  ? &layout.first
                 : word == names.drop_front() ? &layout.second
                                              : nullptr;
  if (!dim || *dim >= 0)
    return parser.emitError(loc) << "unexpected dimension '" << word << "'";
  *dim = position;
  return success();
}

static ParseResult parseConvLayout(AsmParser &parser, StringRef names,
                                   ConvLayout &layout) {
  llvm::SmallDenseMap<int64_t, int64_t> at;
  int64_t position = 0;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parseConvEntry(parser, names, position++, layout, at);
      }))
    return failure();
  for (int64_t i = 0; i < int64_t(at.size()); ++i) {
    auto found = at.find(i);
    if (found == at.end())
      return parser.emitError(loc, "expected spatial dimensions from 0 on");
    layout.spatial.push_back(found->second);
  }
  if (layout.first < 0 || layout.second < 0)
    return parser.emitError(loc)
           << "expected dimensions " << names[0] << " and " << names[1];
  return success();
}

static void printConvLayout(AsmPrinter &printer, StringRef names, int64_t first,
                            int64_t second, ArrayRef<int64_t> spatial) {
  SmallVector<std::string> words(spatial.size() + 2, "?");
  auto put = [&](int64_t at, std::string word) {
    if (at >= 0 && at < int64_t(words.size()))
      words[at] = std::move(word);
  };
  put(first, names.take_front(1).str());
  put(second, names.drop_front().str());
  for (auto [i, at] : llvm::enumerate(spatial))
    put(at, std::to_string(i));
  printer << '[';
  llvm::interleaveComma(words, printer.getStream());
  printer << ']';
}

namespace zenith::stablehlo {
ParseResult parseConvolutionDimensions(AsmParser &parser,
                                       ConvDimensionNumbersAttr &attribute) {
  ConvLayout input, kernel, output;
  // `x[` may be glued to the bracket before it.
  if (parseConvLayout(parser, "bf", input) || parser.parseKeyword("x") ||
      parseConvLayout(parser, "io", kernel) || parser.parseArrow() ||
      parseConvLayout(parser, "bf", output))
    return failure();
  attribute = ConvDimensionNumbersAttr::get(
      parser.getContext(), input.first, input.second, input.spatial,
      kernel.first, kernel.second, kernel.spatial, output.first, output.second,
      output.spatial);
  return success();
}
void printConvolutionDimensions(AsmPrinter &printer,
                                ConvDimensionNumbersAttr attribute) {
  printConvLayout(printer, "bf", attribute.getInputBatchDimension(),
                  attribute.getInputFeatureDimension(),
                  attribute.getInputSpatialDimensions());
  printer << 'x';
  printConvLayout(printer, "io", attribute.getKernelInputFeatureDimension(),
                  attribute.getKernelOutputFeatureDimension(),
                  attribute.getKernelSpatialDimensions());
  printer << "->";
  printConvLayout(printer, "bf", attribute.getOutputBatchDimension(),
                  attribute.getOutputFeatureDimension(),
                  attribute.getOutputSpatialDimensions());
}
} // namespace zenith::stablehlo

static Attribute parseRawConv(AsmParser &parser) {
  int64_t dims[6] = {};
  Integers lists[3];
  llvm::SmallBitVector seen(9);
  Field fields[] = {
      integerField(parser, "input_batch_dimension", dims[0]),
      integerField(parser, "input_feature_dimension", dims[1]),
      listField(parser, "input_spatial_dimensions", lists[0]),
      integerField(parser, "kernel_input_feature_dimension", dims[2]),
      integerField(parser, "kernel_output_feature_dimension", dims[3]),
      listField(parser, "kernel_spatial_dimensions", lists[1]),
      integerField(parser, "output_batch_dimension", dims[4]),
      integerField(parser, "output_feature_dimension", dims[5]),
      listField(parser, "output_spatial_dimensions", lists[2])};
  if (parser.parseCommaSeparatedList(
          [&] { return parseField(parser, fields, seen); }) ||
      parser.parseGreater())
    return {};
  return ConvDimensionNumbersAttr::get(parser.getContext(), dims[0], dims[1],
                                       lists[0], dims[2], dims[3], lists[1],
                                       dims[4], dims[5], lists[2]);
}

Attribute ConvDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalKeyword("raw")))
    return parseRawConv(parser);
  ConvDimensionNumbersAttr attribute;
  if (parseConvolutionDimensions(parser, attribute) || parser.parseGreater())
    return {};
  return attribute;
}
void ConvDimensionNumbersAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printConvolutionDimensions(printer, *this);
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

Attribute DotAlgorithmAttr::parse(AsmParser &parser, Type) {
  Type lhs, rhs, accumulation;
  int64_t lhsCount = 1, rhsCount = 1, operations = 1;
  bool imprecise = false;
  auto typeField = [&](StringRef name, Type &type) -> Field {
    return {name, [&parser, &type] { return parser.parseType(type); }};
  };
  if (parseFieldList(
          parser, {typeField("lhs_precision_type", lhs),
                   typeField("rhs_precision_type", rhs),
                   typeField("accumulation_type", accumulation),
                   integerField(parser, "lhs_component_count", lhsCount),
                   integerField(parser, "rhs_component_count", rhsCount),
                   integerField(parser, "num_primitive_operations", operations),
                   {"allow_imprecise_accumulation", [&]() -> ParseResult {
                      imprecise =
                          succeeded(parser.parseOptionalKeyword("true"));
                      return imprecise ? success()
                                       : parser.parseKeyword("false");
                    }}}))
    return {};
  if (!lhs || !rhs || !accumulation) {
    parser.emitError(parser.getNameLoc(), "dot algorithm lacks a type");
    return {};
  }
  return get(parser.getContext(), lhs, rhs, accumulation, lhsCount, rhsCount,
             operations, imprecise);
}
void DotAlgorithmAttr::print(AsmPrinter &printer) const {
  FieldList fields(printer);
  fields.value("lhs_precision_type", getLhsPrecisionType());
  fields.value("rhs_precision_type", getRhsPrecisionType());
  fields.value("accumulation_type", getAccumulationType());
  fields.value("lhs_component_count", getLhsComponentCount());
  fields.value("rhs_component_count", getRhsComponentCount());
  fields.value("num_primitive_operations", getNumPrimitiveOperations());
  fields.value("allow_imprecise_accumulation",
               getAllowImpreciseAccumulation() ? "true" : "false");
}

Attribute OutputOperandAliasAttr::parse(AsmParser &parser, Type) {
  Integers output, operandTuple;
  int64_t operand = 0;
  if (parseFieldList(
          parser, {listField(parser, "output_tuple_indices", output),
                   integerField(parser, "operand_index", operand),
                   listField(parser, "operand_tuple_indices", operandTuple)}))
    return {};
  return get(parser.getContext(), output, operand, operandTuple);
}
void OutputOperandAliasAttr::print(AsmPrinter &printer) const {
  FieldList fields(printer);
  fields.always("output_tuple_indices", getOutputTupleIndices());
  fields.value("operand_index", getOperandIndex());
  fields.always("operand_tuple_indices", getOperandTupleIndices());
}

Attribute ResultAccuracyAttr::parse(AsmParser &parser, Type) {
  double atol = 0, rtol = 0;
  int64_t ulps = 0;
  ResultAccuracyModeAttr mode;
  auto floatField = [&](StringRef name, double &value) -> Field {
    return {name, [&parser, &value] { return parser.parseFloat(value); }};
  };
  if (parseFieldList(parser, {floatField("atol", atol),
                              floatField("rtol", rtol),
                              integerField(parser, "ulps", ulps),
                              {"mode", [&]() -> ParseResult {
                                 return parser.parseAttribute(mode);
                               }}}))
    return {};
  if (!mode)
    mode = ResultAccuracyModeAttr::get(parser.getContext(),
                                       ResultAccuracyMode::DEFAULT);
  return get(parser.getContext(), APFloat(atol), APFloat(rtol), ulps, mode);
}
void ResultAccuracyAttr::print(AsmPrinter &printer) const {
  FieldList fields(printer);
  fields.value("atol", getAtol());
  fields.value("rtol", getRtol());
  fields.value("ulps", getUlps());
  fields.value("mode", Attribute(getMode()));
}

// A missing bound is printed as `?`.
Attribute TypeExtensionsAttr::parse(AsmParser &parser, Type) {
  Integers bounds;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::LessGreater, [&]() -> ParseResult {
            if (succeeded(parser.parseOptionalQuestion())) {
              bounds.push_back(ShapedType::kDynamic);
              return success();
            }
            return parser.parseInteger(bounds.emplace_back());
          }))
    return {};
  return get(parser.getContext(), bounds);
}
void TypeExtensionsAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getBounds(), printer.getStream(), [&](int64_t bound) {
    if (ShapedType::isDynamic(bound))
      printer << '?';
    else
      printer << bound;
  });
  printer << '>';
}
