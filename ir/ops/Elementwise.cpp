// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers, types and dimensions of the elementwise family.

#include "ir/GraphOps.h"
#include "ir/OpRegistration.h"
#include "ir/OpSyntax.h"
#include "ir/ShapeChecks.h"
#include "ir/dims/DimPreference.h"
#include "ir/ops/OpInference.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "ir/Elementwise.cpp.inc"

namespace zenith::graph {

void insertElementwiseOps(Dialect &dialect) {
  insertOps<
#define GET_OP_LIST
#include "ir/Elementwise.cpp.inc"
      >(dialect);
}

static std::string valuePlace(Operation *op, unsigned index) {
  unsigned operands = op->getNumOperands();
  return index < operands ? "operand " + std::to_string(index)
                          : "result " + std::to_string(index - operands);
}

LogicalResult verifyElementwiseTypes(Operation *op) {
  ShapeChecks checks(op);
  SmallVector<Type> types(op->getOperandTypes());
  size_t sameElements =
      op->hasTrait<OpTrait::SameTypeOperands>() ? types.size() : 1;
  types.append(op->result_type_begin(), op->result_type_end());
  if (op->hasTrait<OpTrait::SameOperandsAndResultType>())
    sameElements = types.size();
  auto first = dyn_cast<RankedTensorType>(types[0]);
  if (!first)
    return success(); // the types themselves are checked elsewhere
  for (unsigned i = 1; i < types.size(); ++i) {
    auto type = dyn_cast<RankedTensorType>(types[i]);
    if (!type)
      return success();
    // elementwise_c1
    if (type.getShape() != first.getShape())
      return checks.fail(valuePlace(op, i),
                         "shape " + listText(type.getShape()),
                         "shape " + listText(first.getShape()), 1);
    // elementwise_c2
    if (i < sameElements && type.getElementType() != first.getElementType())
      return checks.fail(valuePlace(op, i), typeText(type.getElementType()),
                         typeText(first.getElementType()), 2);
  }
  return success();
}

DimVector elementwiseDims(Operation *op, DimAnalysis &analysis) {
  DimVector result = analysis.dimsOf(op->getOperand(0));
  for (Value operand : op->getOperands().drop_front()) {
    const DimVector &dims = analysis.dimsOf(operand);
    for (size_t i = 0; i < result.size() && i < dims.size(); ++i)
      result[i] = moreSpecific(result[i], dims[i]);
  }
  return result;
}

bool compatibleTypes(TypeRange lhs, TypeRange rhs) {
  return llvm::all_of_zip(lhs, rhs, [](Type a, Type b) {
    return getElementTypeOrSelf(a) == getElementTypeOrSelf(b) &&
           succeeded(verifyCompatibleShape(a, b));
  });
}

template <typename Op>
static FailureOr<RankedTensorType> booleanResult(ShapeChecks &, Op op) {
  RankedTensorType type = tensorType(*op.getODSOperands(0).begin());
  return RankedTensorType::get(type.getShape(),
                               IntegerType::get(type.getContext(), 1));
}

ZENITH_INFER_WITH(CompareOp, booleanResult)
ZENITH_INFER_WITH(IsFiniteOp, booleanResult)

LogicalResult CompareOp::verify() {
  bool ordered = getDirection() != CompareDirection::eq &&
                 getDirection() != CompareDirection::ne;
  // compare_c3
  if (ordered && isa<ComplexType>(getElementTypeOrSelf(getLhs().getType())))
    return ShapeChecks(*this).fail("direction", stringifyEnum(getDirection()),
                                   "eq or ne for complex numbers", 3);
  return success();
}

LogicalResult ConvertOp::verify() {
  Type from = getElementTypeOrSelf(getOperand().getType()),
       to = getElementTypeOrSelf(getType());
  // convert_c3
  if (getSaturate() && !(isa<FloatType>(to) && to.getIntOrFloatBitWidth() == 8))
    return ShapeChecks(*this).fail("saturate", typeText(to), "an f8 result", 3);
  // convert_c4
  if (isa<ComplexType>(from) && !isa<ComplexType>(to))
    return ShapeChecks(*this).fail("result", typeText(to), "a complex type", 4);
  return success();
}

static unsigned elementWidth(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return 2 * complex.getElementType().getIntOrFloatBitWidth();
  return type.getIntOrFloatBitWidth();
}

LogicalResult BitcastOp::verify() {
  unsigned from = elementWidth(getElementTypeOrSelf(getOperand().getType()));
  unsigned to = elementWidth(getElementTypeOrSelf(getType()));
  // bitcast_c2
  if (from != to)
    return ShapeChecks(*this).fail("result", Twine(to) + " bits",
                                   Twine(from) + " bits", 2);
  return success();
}

/// Checks that `part` is the element type of `complex`'s parts.
static LogicalResult checkParts(Operation *op, Type complex, Type part) {
  Type expected =
      cast<ComplexType>(getElementTypeOrSelf(complex)).getElementType();
  return ShapeChecks(op).sameType("parts", getElementTypeOrSelf(part), expected,
                                  2);
}

// complex_c2, real_c2, imag_c2, complex_abs_c2
LogicalResult ComplexOp::verify() {
  return checkParts(*this, getType(), getReal().getType());
}
LogicalResult RealOp::verify() {
  return checkParts(*this, getOperand().getType(), getType());
}
LogicalResult ImagOp::verify() {
  return checkParts(*this, getOperand().getType(), getType());
}
LogicalResult ComplexAbsOp::verify() {
  return checkParts(*this, getOperand().getType(), getType());
}

} // namespace zenith::graph
