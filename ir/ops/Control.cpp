// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters, fusion regions and their end: text, verifiers, control flow.

#include "ir/GraphOps.h"
#include "ir/OpRegistration.h"
#include "ir/OpSyntax.h"
#include "ir/ops/OpInference.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "ir/Control.cpp.inc"

namespace zenith::graph {

void insertControlOps(Dialect &dialect) {
  insertOps<
#define GET_OP_LIST
#include "ir/Control.cpp.inc"
      >(dialect);
}

/// Bytes of a static tensor in a file: elements below a byte take one.
static std::optional<int64_t> bytesOf(RankedTensorType type) {
  Type element = type.getElementType();
  int64_t width = isa<ComplexType>(element) ? 2 * cast<ComplexType>(element)
                                                      .getElementType()
                                                      .getIntOrFloatBitWidth()
                                            : element.getIntOrFloatBitWidth();
  int64_t bytes = (width + 7) / 8;
  for (int64_t size : type.getShape())
    if (__builtin_mul_overflow(bytes, size, &bytes))
      return std::nullopt;
  return bytes;
}

LogicalResult ParamOp::verify() {
  ShapeChecks checks(*this);
  auto type = cast<RankedTensorType>((*this).getType());
  // param_c1
  if (!type.hasStaticShape())
    return checks.fail("type", typeText(type), "a static shape", 1);
  Attribute source = getSourceAttr();
  if (!source)
    return success();
  // param_c2
  if (auto external = dyn_cast<ExternalAttr>(source)) {
    if (external.getOffset() < 0)
      return checks.fail("offset", Twine(external.getOffset()), "at least 0",
                         2);
    auto bytes = bytesOf(type);
    if (!bytes)
      return checks.fail("type", typeText(type), "a size that fits 63 bits", 2);
    return checks.count("length in bytes", external.getLength(), *bytes, 2);
  }
  // param_c3
  auto elements = dyn_cast<ElementsAttr>(source);
  if (!elements)
    return checks.fail("source", "another attribute",
                       "#graph.external or elements", 3);
  return checks.elements("source", elements, type, 3);
}

DimVector ParamOp::resultDims(unsigned, DimAnalysis &) { return {}; }

LogicalResult DerivedParamOp::verify() {
  ShapeChecks checks(*this);
  auto type = cast<RankedTensorType>((*this).getType());
  // derived_param_c1
  if (!type.hasStaticShape())
    return checks.fail("type", typeText(type), "a static shape", 1);
  // derived_param_c2
  if (static_cast<int64_t>(getIndex()) < 0)
    return checks.fail("index", Twine(static_cast<int64_t>(getIndex())),
                       "at least 0", 2);
  return success();
}

DimVector DerivedParamOp::resultDims(unsigned, DimAnalysis &) { return {}; }

LogicalResult GetParamOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  ShapeChecks checks(*this);
  Operation *symbol =
      symbolTable.lookupNearestSymbolFrom(*this, getParamAttr());
  // get_param_c1, get_param_c2
  if (auto param = dyn_cast_or_null<ParamOp>(symbol))
    return checks.sameType("result", getType(), param.getType(), 2);
  if (auto derived = dyn_cast_or_null<DerivedParamOp>(symbol))
    return checks.sameType("result", getType(), derived.getType(), 2);
  return checks.fail("param", "@" + getParam(),
                     "the name of a param or derived_param", 1);
}

DimVector GetParamOp::resultDims(unsigned, DimAnalysis &analysis) {
  return analysis.dimsOf(getResult());
}

void FusionOp::build(OpBuilder &, OperationState &state, TypeRange results,
                     FusionKind kind, ValueRange inputs) {
  state.addOperands(inputs);
  state.getOrAddProperties<Properties>().kind =
      FusionKindAttr::get(state.getContext(), kind);
  state.addRegion();
  state.addTypes(results);
}

ParseResult FusionOp::parse(OpAsmParser &parser, OperationState &state) {
  FusionKindAttr kind;
  if (failed(parseEnumWord(parser, kind)))
    return failure();
  state.getOrAddProperties<Properties>().kind = kind;
  SmallVector<OpAsmParser::Argument> arguments;
  SMLoc place = parser.getCurrentLocation();
  if (failed(parseBoundInputs(parser, arguments, state.operands)) ||
      failed(parser.parseOptionalArrowTypeList(state.types)) ||
      failed(parser.parseOptionalAttrDictWithKeyword(state.attributes)) ||
      failed(verifyInherentAttrs(state.name, state.attributes, [&] {
        return parser.emitError(place) << "'graph.fusion' op ";
      })))
    return failure();
  return parser.parseRegion(*state.addRegion(), arguments);
}

void FusionOp::print(OpAsmPrinter &printer) {
  printer << ' ' << stringifyEnum(getKind()) << ' ';
  printBoundInputs(printer, getBody().getArguments(), getInputs());
  printer.printOptionalArrowTypeList(getResultTypes());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getKindAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult FusionOp::verify() {
  ShapeChecks checks(*this);
  Block &block = getBody().front();
  // fusion_c1
  if (failed(checks.count("number of block arguments", block.getNumArguments(),
                          getInputs().size(), 1)))
    return failure();
  for (auto [argument, input] : llvm::zip(block.getArguments(), getInputs()))
    if (failed(
            checks.sameType("block argument " + Twine(argument.getArgNumber()),
                            argument.getType(), input.getType(), 1)))
      return failure();
  // fusion_c2
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield)
    return checks.fail("last op",
                       block.empty() ? "none"
                                     : block.back().getName().getStringRef(),
                       "graph.yield", 2);
  if (failed(checks.count("yielded values", yield.getValues().size(),
                          getNumResults(), 2)))
    return failure();
  for (auto [i, value] : llvm::enumerate(yield.getValues()))
    if (failed(checks.sameType("yielded value " + Twine(i), value.getType(),
                               getResult(i).getType(), 2)))
      return failure();
  // fusion_c3
  auto isProduct = [](Operation &op) {
    return familyOf(&op) == Family::Contraction;
  };
  if (getKind() == FusionKind::contraction && llvm::none_of(block, isProduct))
    return checks.fail("ops", "no matmul and no convolution",
                       "one in a contraction", 3);
  Schedule schedule = getScheduleAttr();
  return schedule ? schedule.verifyFusion(*this) : success();
}

DimVector FusionOp::resultDims(unsigned result, DimAnalysis &analysis) {
  return analysis.dimsOf(getBody().front().getTerminator()->getOperand(result));
}

OperandRange FusionOp::getEntrySuccessorOperands(RegionBranchPoint) {
  return getInputs();
}

void FusionOp::getSuccessorRegions(RegionBranchPoint point,
                                   SmallVectorImpl<RegionSuccessor> &regions) {
  if (point.isParent())
    regions.emplace_back(&getBody(), getBody().getArguments());
  else
    regions.emplace_back(getResults());
}

DimVector YieldOp::resultDims(unsigned, DimAnalysis &) { return {}; }

} // namespace zenith::graph
