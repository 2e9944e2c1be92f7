// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration of the dialect, its attributes, and what holds for all ops:
// families, constants, text pieces.

#include "ir/GraphDialect.h"

#include "ir/AssertionCode.h"
#include "ir/GraphOps.h"
#include "ir/OpRegistration.h"
#include "ir/OpSyntax.h"
#include "ir/dims/DimAttr.h"
#include "ir/target/TargetModel.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "ir/GraphDialect.cpp.inc"
#include "ir/GraphEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/GraphAttrs.cpp.inc"
#include "ir/ShapeRule.cpp.inc"

namespace zenith::graph {

void GraphDialect::initialize() {
  registerAttributes();
  registerOps();
}

void GraphDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/GraphAttrs.cpp.inc"
      >();
}

void GraphDialect::registerOps() {
  insertElementwiseOps(*this);
  insertMovementOps(*this);
  insertContractionOps(*this);
  insertLinearAlgebraOps(*this);
  insertReductionOps(*this);
  insertIndexingOps(*this);
  insertOrderingOps(*this);
  insertRandomOps(*this);
  insertCompositeOps(*this);
  insertControlOps(*this);
}

Operation *GraphDialect::materializeConstant(OpBuilder &builder,
                                             Attribute value, Type type,
                                             Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getShapedType() != type)
    return nullptr;
  return builder.create<ConstantOp>(loc, elements);
}

/// Words that passes leave on ops and arguments are free; only those that every
/// reader relies on have a form.
LogicalResult GraphDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attribute) {
  if (attribute.getName() == nameAttrName &&
      !isa<StringAttr>(attribute.getValue()))
    return op->emitOpError() << nameAttrName << ": got " << attribute.getValue()
                             << ", expected a string";
  if (attribute.getName() == runErrorAttrName &&
      !isa<UnitAttr>(attribute.getValue()))
    return op->emitOpError() << runErrorAttrName << ": got "
                             << attribute.getValue() << ", expected unit";
  return success();
}

StringRef familyName(Family family) {
  switch (family) {
  case Family::Elementwise:
    return "Elementwise";
  case Family::Contraction:
    return "Contraction";
  case Family::LinearAlgebra:
    return "LinearAlgebra";
  case Family::Reduction:
    return "Reduction";
  case Family::Movement:
    return "Movement";
  case Family::Indexing:
    return "Indexing";
  case Family::Ordering:
    return "Ordering";
  case Family::Search:
    return "Search";
  case Family::Random:
    return "Random";
  case Family::Composite:
    return "Composite";
  case Family::Control:
    return "Control";
  case Family::Collective:
    return "Collective";
  }
  return "";
}

template <Family... Families>
static std::optional<Family> firstFamily(OperationName name) {
  std::optional<Family> result;
  (void)((name.hasTrait<InFamily<Families>::template Impl>() &&
          (result = Families, true)) ||
         ...);
  return result;
}

std::optional<Family> familyOf(OperationName name) {
  return firstFamily<Family::Elementwise, Family::Contraction,
                     Family::LinearAlgebra, Family::Reduction, Family::Movement,
                     Family::Indexing, Family::Ordering, Family::Search,
                     Family::Random, Family::Composite, Family::Control,
                     Family::Collective>(name);
}

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

} // namespace zenith::graph
