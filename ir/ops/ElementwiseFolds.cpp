// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact folds of the elementwise family: identities, and integer arithmetic on
// small constants.

#include "ir/GraphOps.h"
#include "ir/ops/OpInference.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace zenith::graph {

static bool isUnsignedElement(Type element) {
  return element.isUnsignedInteger() || element.isInteger(1);
}

static DenseIntElementsAttr smallIntegers(Attribute attribute) {
  auto elements = dyn_cast_or_null<DenseIntElementsAttr>(attribute);
  return elements &&
                 (elements.isSplat() || elements.getNumElements() <= foldLimit)
             ? elements
             : DenseIntElementsAttr();
}

using IntegerRule = llvm::function_ref<llvm::APInt(
    const llvm::APInt &, const llvm::APInt &, bool isUnsigned)>;

/// Elements of `type` that `rule` gives for two integer constants; null where
/// one isn't known.
static Attribute foldIntegers(Attribute lhs, Attribute rhs, Type type,
                              IntegerRule rule) {
  DenseIntElementsAttr left = smallIntegers(lhs), right = smallIntegers(rhs);
  auto shaped = cast<RankedTensorType>(type);
  if (!left || !right || !shaped.hasStaticShape())
    return {};
  bool isUnsigned = isUnsignedElement(left.getElementType());
  if (left.isSplat() && right.isSplat() && shaped.getNumElements() > 0)
    return DenseElementsAttr::get(
        shaped, rule(left.getSplatValue<llvm::APInt>(),
                     right.getSplatValue<llvm::APInt>(), isUnsigned));
  if (shaped.getNumElements() > foldLimit)
    return {};
  SmallVector<llvm::APInt> values;
  for (auto [a, b] :
       llvm::zip(left.getValues<llvm::APInt>(), right.getValues<llvm::APInt>()))
    values.push_back(rule(a, b, isUnsigned));
  return DenseElementsAttr::get(shaped, values);
}

static bool isInteger(Attribute attribute,
                      llvm::function_ref<bool(const llvm::APInt &)> test) {
  auto elements = dyn_cast_or_null<DenseIntElementsAttr>(attribute);
  return elements && elements.isSplat() &&
         test(elements.getSplatValue<llvm::APInt>());
}
static bool isZero(Attribute attribute) {
  return isInteger(attribute,
                   [](const llvm::APInt &value) { return value.isZero(); });
}
static bool isAllOnes(Attribute attribute) {
  return isInteger(attribute,
                   [](const llvm::APInt &value) { return value.isAllOnes(); });
}
static bool isFloat(Attribute attribute,
                    llvm::function_ref<bool(const llvm::APFloat &)> test) {
  auto elements = dyn_cast_or_null<DenseFPElementsAttr>(attribute);
  return elements && elements.isSplat() &&
         test(elements.getSplatValue<llvm::APFloat>());
}
static bool isOne(Attribute attribute) {
  return isInteger(attribute,
                   [](const llvm::APInt &value) { return value.isOne(); }) ||
         isFloat(attribute, [](const llvm::APFloat &value) {
           return value.isExactlyValue(1.0);
         });
}

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  // x + 0 is x for integers; for floats only x + -0.0 is: -0.0 + 0.0 = 0.0.
  auto neutral = [](Attribute attribute) {
    return isZero(attribute) ||
           isFloat(attribute, [](const llvm::APFloat &value) {
             return value.isNegZero();
           });
  };
  if (neutral(adaptor.getRhs()))
    return getLhs();
  if (neutral(adaptor.getLhs()))
    return getRhs();
  return foldIntegers(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](const llvm::APInt &a, const llvm::APInt &b, bool) { return a + b; });
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  if (isZero(adaptor.getRhs()) ||
      isFloat(adaptor.getRhs(),
              [](const llvm::APFloat &value) { return value.isPosZero(); }))
    return getLhs();
  auto type = tensorType(getResult());
  if (getLhs() == getRhs() && isa<IntegerType>(type.getElementType()) &&
      type.hasStaticShape())
    return DenseElementsAttr::get(
        type, llvm::APInt::getZero(type.getElementTypeBitWidth()));
  return foldIntegers(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](const llvm::APInt &a, const llvm::APInt &b, bool) { return a - b; });
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (isOne(adaptor.getRhs()))
    return getLhs();
  if (isOne(adaptor.getLhs()))
    return getRhs();
  if (isZero(adaptor.getRhs()))
    return adaptor.getRhs();
  if (isZero(adaptor.getLhs()))
    return adaptor.getLhs();
  return foldIntegers(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](const llvm::APInt &a, const llvm::APInt &b, bool) { return a * b; });
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  if (isOne(adaptor.getRhs()))
    return getLhs();
  return foldIntegers(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](const llvm::APInt &a, const llvm::APInt &b, bool isUnsigned) {
        if (b.isZero())
          return llvm::APInt::getAllOnes(a.getBitWidth());
        return isUnsigned ? a.udiv(b) : a.sdiv(b);
      });
}

OpFoldResult MaxOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs())
    return getLhs();
  return foldIntegers(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](const llvm::APInt &a, const llvm::APInt &b, bool isUnsigned) {
        return (isUnsigned ? a.uge(b) : a.sge(b)) ? a : b;
      });
}

OpFoldResult MinOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs())
    return getLhs();
  return foldIntegers(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](const llvm::APInt &a, const llvm::APInt &b, bool isUnsigned) {
        return (isUnsigned ? a.ule(b) : a.sle(b)) ? a : b;
      });
}

OpFoldResult AndOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs() || isAllOnes(adaptor.getRhs()))
    return getLhs();
  if (isAllOnes(adaptor.getLhs()))
    return getRhs();
  if (isZero(adaptor.getRhs()))
    return adaptor.getRhs();
  if (isZero(adaptor.getLhs()))
    return adaptor.getLhs();
  return foldIntegers(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](const llvm::APInt &a, const llvm::APInt &b, bool) { return a & b; });
}

OpFoldResult OrOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs() || isZero(adaptor.getRhs()))
    return getLhs();
  if (isZero(adaptor.getLhs()))
    return getRhs();
  if (isAllOnes(adaptor.getRhs()))
    return adaptor.getRhs();
  if (isAllOnes(adaptor.getLhs()))
    return adaptor.getLhs();
  return foldIntegers(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](const llvm::APInt &a, const llvm::APInt &b, bool) { return a | b; });
}

static bool holds(CompareDirection direction, const llvm::APInt &a,
                  const llvm::APInt &b, bool isUnsigned) {
  switch (direction) {
  case CompareDirection::eq:
    return a == b;
  case CompareDirection::ne:
    return a != b;
  case CompareDirection::lt:
    return isUnsigned ? a.ult(b) : a.slt(b);
  case CompareDirection::le:
    return isUnsigned ? a.ule(b) : a.sle(b);
  case CompareDirection::gt:
    return isUnsigned ? a.ugt(b) : a.sgt(b);
  case CompareDirection::ge:
    return isUnsigned ? a.uge(b) : a.sge(b);
  }
  return false;
}

OpFoldResult CompareOp::fold(FoldAdaptor adaptor) {
  auto type = tensorType(getResult());
  CompareDirection direction = getDirection();
  // x == x is false for a NaN, so only integers fold.
  if (getLhs() == getRhs() &&
      isa<IntegerType>(getElementTypeOrSelf(getLhs().getType())) &&
      type.hasStaticShape())
    return DenseElementsAttr::get(
        type, llvm::APInt(1, holds(direction, llvm::APInt(1, 0),
                                   llvm::APInt(1, 0), true)));
  return foldIntegers(
      adaptor.getLhs(), adaptor.getRhs(), type,
      [&](const llvm::APInt &a, const llvm::APInt &b, bool isUnsigned) {
        return llvm::APInt(1, holds(direction, a, b, isUnsigned));
      });
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (getOnTrue() == getOnFalse() || isAllOnes(adaptor.getPred()))
    return getOnTrue();
  if (isZero(adaptor.getPred()))
    return getOnFalse();
  return {};
}

OpFoldResult ConvertOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  auto type = tensorType(getResult());
  auto to = dyn_cast<IntegerType>(type.getElementType());
  Attribute operand = adaptor.getOperand();
  if (!to || !smallIntegers(operand))
    return {};
  return foldIntegers(
      operand, operand, type,
      [&](const llvm::APInt &value, const llvm::APInt &, bool isUnsigned) {
        if (to.getWidth() == 1)
          return llvm::APInt(1, !value.isZero());
        return isUnsigned ? value.zextOrTrunc(to.getWidth())
                          : value.sextOrTrunc(to.getWidth());
      });
}

} // namespace zenith::graph
