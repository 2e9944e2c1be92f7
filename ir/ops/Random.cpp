// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and dimensions of the random family.

#include "ir/GraphOps.h"
#include "ir/OpRegistration.h"
#include "ir/OpSyntax.h"
#include "ir/ops/OpInference.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/SmallString.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "ir/Random.cpp.inc"

namespace zenith::graph {

void insertRandomOps(Dialect &dialect) {
  insertOps<
#define GET_OP_LIST
#include "ir/Random.cpp.inc"
      >(dialect);
}

LogicalResult RandomBitsOp::verify() {
  ShapeChecks checks(*this);
  RankedTensorType state = tensorType(getState()), bits = tensorType(getBits());
  bool philox = getAlgorithm() == RandomKind::philox;
  // random_bits_c1
  if (state.getRank() != 1 || state.isDynamicDim(0) ||
      (state.getDimSize(0) != 2 && !(philox && state.getDimSize(0) == 3)))
    return checks.fail(
        "state", typeText(state),
        philox ? "ui64 of 2 or 3 elements" : "ui64 of 2 elements", 1);
  // random_bits_c2
  if (failed(checks.sameType("new state", getNewState().getType(), state, 2)))
    return failure();
  // random_bits_c3
  if (!bits.hasStaticShape() ||
      bits.getElementType().getIntOrFloatBitWidth() < 8)
    return checks.fail("bits", typeText(bits),
                       "static integers of 8 to 64 bits", 3);
  return success();
}

DimVector RandomBitsOp::resultDims(unsigned result, DimAnalysis &analysis) {
  return analysis.dimsOf(getResult(result));
}

/// A key is ui32 of two words (Threefry) or four (Philox): constraint 1 of all
/// ops that take one.
static LogicalResult checkKey(const ShapeChecks &checks, Value key) {
  RankedTensorType type = tensorType(key);
  bool isKey = type.getRank() == 1 &&
               (type.getDimSize(0) == 2 || type.getDimSize(0) == 4);
  return isKey
             ? success()
             : checks.fail("key", typeText(type), "ui32 of 2 or 4 elements", 1);
}

/// Constraints 1 and 2 of ops that fill a result of any shape.
static LogicalResult checkSample(const ShapeChecks &checks, Value key,
                                 ValueRange sizes, Value result) {
  return success(succeeded(checkKey(checks, key)) &&
                 succeeded(checks.dimOperands("sizes", sizes.size(),
                                              tensorType(result), 2)));
}

static std::string numberText(const APFloat &number) {
  llvm::SmallString<16> text;
  number.toString(text);
  return text.str().str();
}

LogicalResult SplitKeyOp::verify() {
  ShapeChecks checks(*this);
  // split_key_c1
  if (failed(checkKey(checks, getKey())))
    return failure();
  // split_key_c2
  RankedTensorType type = tensorType(getResult());
  int64_t words = tensorType(getKey()).getDimSize(0);
  if (type.getRank() != 2 || !type.hasStaticShape() ||
      type.getDimSize(1) != words)
    return checks.fail("result", typeText(type),
                       "rows of " + Twine(words) + " elements", 2);
  return success();
}
DimVector SplitKeyOp::resultDims(unsigned, DimAnalysis &analysis) {
  return analysis.dimsOf(getResult());
}

LogicalResult FoldInOp::verify() {
  ShapeChecks checks(*this);
  // fold_in_c1
  if (failed(checkKey(checks, getKey())))
    return failure();
  // fold_in_c2
  RankedTensorType data = tensorType(getData());
  return data.getRank() == 0
             ? success()
             : checks.fail("data", typeText(data), "an integer scalar", 2);
}
DimVector FoldInOp::resultDims(unsigned, DimAnalysis &analysis) {
  return analysis.dimsOf(getKey());
}

LogicalResult RandomUniformOp::verify() {
  ShapeChecks checks(*this);
  // random_uniform_c1, random_uniform_c2
  if (failed(checkSample(checks, getKey(), getSizes(), getResult())))
    return failure();
  // random_uniform_c3
  if (!getLow().isFinite() || !getHigh().isFinite() || getLow() > getHigh())
    return checks.fail("bounds",
                       numberText(getLow()) + " and " + numberText(getHigh()),
                       "finite numbers, the lower one first", 3);
  return success();
}
DimVector RandomUniformOp::resultDims(unsigned, DimAnalysis &analysis) {
  return dimsFromOperands(getType(), getSizes(), analysis);
}

LogicalResult RandomNormalOp::verify() {
  // random_normal_c1, random_normal_c2
  return checkSample(ShapeChecks(*this), getKey(), getSizes(), getResult());
}
DimVector RandomNormalOp::resultDims(unsigned, DimAnalysis &analysis) {
  return dimsFromOperands(getType(), getSizes(), analysis);
}

LogicalResult RandomTruncatedNormalOp::verify() {
  ShapeChecks checks(*this);
  // random_truncated_normal_c1, random_truncated_normal_c2
  if (failed(checkSample(checks, getKey(), getSizes(), getResult())))
    return failure();
  // random_truncated_normal_c3
  if (!(getLower() < getUpper()))
    return checks.fail(
        "bounds", numberText(getLower()) + " and " + numberText(getUpper()),
        "the lower one first", 3);
  return success();
}
DimVector RandomTruncatedNormalOp::resultDims(unsigned, DimAnalysis &analysis) {
  return dimsFromOperands(getType(), getSizes(), analysis);
}

LogicalResult RandomBernoulliOp::verify() {
  ShapeChecks checks(*this);
  // random_bernoulli_c1, random_bernoulli_c2
  if (failed(checkSample(checks, getKey(), getSizes(), getResult())))
    return failure();
  // random_bernoulli_c3
  double probability = getProbability().convertToDouble();
  if (!(probability >= 0 && probability <= 1))
    return checks.fail("probability", numberText(getProbability()),
                       "a number from 0 to 1", 3);
  return success();
}
DimVector RandomBernoulliOp::resultDims(unsigned, DimAnalysis &analysis) {
  return dimsFromOperands(getType(), getSizes(), analysis);
}

LogicalResult RandomPermutationOp::verify() {
  ShapeChecks checks(*this);
  // random_permutation_c1
  if (failed(checkKey(checks, getKey())))
    return failure();
  // random_permutation_c2
  RankedTensorType type = tensorType(getResult());
  if (type.getRank() != 1 || !type.hasStaticShape())
    return checks.fail("result", typeText(type), "a static vector", 2);
  // random_permutation_c3
  auto element = cast<IntegerType>(type.getElementType());
  unsigned bits = element.getWidth() - !element.isUnsigned();
  if (bits < 63 && type.getDimSize(0) > int64_t(1) << bits)
    return checks.fail("result", typeText(type),
                       "an element type that holds its indices", 3);
  return success();
}
DimVector RandomPermutationOp::resultDims(unsigned, DimAnalysis &analysis) {
  return analysis.dimsOf(getResult());
}

LogicalResult RandomCategoricalOp::verify() {
  ShapeChecks checks(*this);
  // random_categorical_c1
  if (failed(checkKey(checks, getKey())))
    return failure();
  // random_categorical_c2
  RankedTensorType logits = tensorType(getLogits());
  int64_t axis = getAxis();
  if (failed(checks.inRange("axis", axis, 0, logits.getRank(), 2)))
    return failure();
  // random_categorical_c3
  SmallVector<int64_t> shape(logits.getShape());
  shape.erase(shape.begin() + axis);
  RankedTensorType result = tensorType(getResult());
  return checks.compatible(
      "result", result, RankedTensorType::get(shape, result.getElementType()),
      3);
}
DimVector RandomCategoricalOp::resultDims(unsigned, DimAnalysis &analysis) {
  DimVector dims = analysis.dimsOf(getLogits());
  dims.erase(dims.begin() + getAxis());
  return dims;
}

LogicalResult DropoutOp::verify() {
  ShapeChecks checks(*this);
  // dropout_c1
  if (failed(checkKey(checks, getKey())))
    return failure();
  // dropout_c2
  double rate = getRate().convertToDouble();
  if (!(rate >= 0 && rate < 1))
    return checks.fail("rate", numberText(getRate()), "0 <= rate < 1", 2);
  return success();
}
DimVector DropoutOp::resultDims(unsigned, DimAnalysis &analysis) {
  return analysis.dimsOf(getOperand());
}

} // namespace zenith::graph
