// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and dimensions of the ordering family.

#include "ir/GraphOps.h"
#include "ir/OpRegistration.h"
#include "ir/OpSyntax.h"
#include "ir/dims/DimPreference.h"
#include "ir/ops/OpInference.h"
#include "ir/ops/RegionChecks.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "ir/Ordering.cpp.inc"

namespace zenith::graph {

void insertOrderingOps(Dialect &dialect) {
  insertOps<
#define GET_OP_LIST
#include "ir/Ordering.cpp.inc"
      >(dialect);
}

/// What sort and sort_with have in common: c1, c2 and the last constraint.
template <typename Op>
static LogicalResult checkSorted(const ShapeChecks &checks, Op op) {
  if (failed(checkOneShape(checks, "operand", op.getInputs(), 1)) ||
      failed(checks.inRange("dim", op.getDim(), 0,
                            tensorType(op.getInputs()[0]).getRank(), 2)) ||
      failed(checks.count("number of results", op.getNumResults(),
                          op.getInputs().size(), 4)))
    return failure();
  for (auto [i, input] : llvm::enumerate(op.getInputs()))
    if (failed(checks.compatible("result " + Twine(i),
                                 op.getResult(i).getType(), input.getType(),
                                 4)))
      return failure();
  return success();
}

/// All operands have one shape: each dimension as the one that says most.
static DimVector sortedDims(ValueRange inputs, DimAnalysis &analysis) {
  DimVector result = analysis.dimsOf(inputs[0]);
  for (Value input : inputs.drop_front()) {
    DimVector dims = analysis.dimsOf(input);
    for (size_t i = 0; i < result.size() && i < dims.size(); ++i)
      result[i] = moreSpecific(result[i], dims[i]);
  }
  return result;
}

LogicalResult SortOp::verify() {
  ShapeChecks checks(*this);
  // sort_c1, sort_c2, sort_c4
  if (failed(checkSorted(checks, *this)))
    return failure();
  // sort_c3
  int64_t keys = getNumKeys();
  if (failed(checks.inRange("num_keys", keys, 1, getInputs().size() + 1, 3)))
    return failure();
  for (Value key : getInputs().take_front(keys))
    if (isa<ComplexType>(tensorType(key).getElementType()))
      return checks.fail("key", typeText(key.getType()), "ordered elements", 3);
  return success();
}

DimVector SortOp::resultDims(unsigned, DimAnalysis &analysis) {
  return sortedDims(getInputs(), analysis);
}

LogicalResult SortWithOp::verify() {
  ShapeChecks checks(*this);
  // sort_with_c1, sort_with_c2, sort_with_c4
  if (failed(checkSorted(checks, *this)))
    return failure();
  // sort_with_c3
  RegionChecks comparator{checks, getComparator(), "comparator", 3};
  Type boolean = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  return failed(comparator.arguments(scalarsOf(getInputs().getTypes(), 2)))
             ? failure()
             : comparator.yields(boolean);
}

DimVector SortWithOp::resultDims(unsigned, DimAnalysis &analysis) {
  return sortedDims(getInputs(), analysis);
}

LogicalResult TopKOp::verify() {
  ShapeChecks checks(*this);
  RankedTensorType operand = tensorType(getOperand()),
                   values = tensorType(getValues());
  int64_t dim = getDim();
  // top_k_c1
  if (failed(checks.inRange("dim", dim, 0, operand.getRank(), 1)) ||
      failed(checks.count("rank of values", values.getRank(), operand.getRank(),
                          2)))
    return failure();
  // top_k_c2
  for (int64_t other = 0; other < operand.getRank(); ++other)
    if (other != dim &&
        failed(checks.sameSize("dimension " + Twine(other) + " of values",
                               values.getDimSize(other),
                               operand.getDimSize(other), 2)))
      return failure();
  if (!values.isDynamicDim(dim) && !operand.isDynamicDim(dim) &&
      values.getDimSize(dim) > operand.getDimSize(dim))
    return checks.fail("dimension " + Twine(dim) + " of values",
                       Twine(values.getDimSize(dim)),
                       "at most " + Twine(operand.getDimSize(dim)), 2);
  // top_k_c3
  if (failed(checks.count("number of k operands", getK() ? 1 : 0,
                          values.isDynamicDim(dim) ? 1 : 0, 3)))
    return failure();
  // top_k_c4
  if (failed(checks.sameType("element type of values", values.getElementType(),
                             operand.getElementType(), 4)))
    return failure();
  RankedTensorType indices = tensorType(getIndices());
  if (failed(verifyCompatibleShape(indices.getShape(), values.getShape())))
    return checks.fail("indices", "shape " + listText(indices.getShape()),
                       "shape " + listText(values.getShape()), 4);
  return success();
}

DimVector TopKOp::resultDims(unsigned, DimAnalysis &analysis) {
  DimVector result = analysis.dimsOf(getOperand());
  result[getDim()] =
      getK() ? analysis.scalar(getK())
             : DimExpr(tensorType(getValues()).getDimSize(getDim()));
  return result;
}

/// Rows of `operand`, as many as the data gives.
static LogicalResult checkSelectedRows(const ShapeChecks &checks,
                                       const Twine &place, Type got,
                                       RankedTensorType operand,
                                       unsigned constraint) {
  SmallVector<int64_t> shape(operand.getShape());
  shape[0] = ShapedType::kDynamic;
  auto type = cast<RankedTensorType>(got);
  if (type.getRank() == 0 || !type.isDynamicDim(0))
    return checks.fail(place, typeText(got), "a dynamic dimension 0",
                       constraint);
  return checks.compatible(
      place, got, RankedTensorType::get(shape, operand.getElementType()),
      constraint);
}

LogicalResult UniqueOp::verify() {
  ShapeChecks checks(*this);
  RankedTensorType operand = tensorType(getOperand());
  // unique_c1
  if (operand.getRank() < 1)
    return checks.fail("rank", Twine(operand.getRank()), "at least 1", 1);
  // unique_c2
  if (failed(
          checkSelectedRows(checks, "rows", getRows().getType(), operand, 2)))
    return failure();
  // unique_c3
  auto integer = IntegerType::get(getContext(), 64);
  auto perRow = RankedTensorType::get({ShapedType::kDynamic}, integer);
  if (failed(checks.sameType("first", getFirst().getType(), perRow, 3)) ||
      failed(checks.sameType("counts", getCounts().getType(), perRow, 3)))
    return failure();
  // unique_c4
  return checks.compatible(
      "inverse", getInverse().getType(),
      RankedTensorType::get({operand.getDimSize(0)}, integer), 4);
}

DimVector UniqueOp::resultDims(unsigned result, DimAnalysis &analysis) {
  if (result == 2)
    return {analysis.dimsOf(getOperand())[0]};
  if (result != 0)
    return {analysis.dimsOf(getRows())[0]};
  DimVector dims = analysis.dimsOf(getOperand());
  dims[0] = analysis.freshSymbol();
  return dims;
}

LogicalResult CompactOp::verify() {
  ShapeChecks checks(*this);
  RankedTensorType mask = tensorType(getMask());
  // compact_c1
  if (failed(checks.count("rank of the mask", mask.getRank(), 1, 1)))
    return failure();
  // compact_c2
  if (getInputs().empty())
    return checks.fail("number of operands", "0", "at least 1", 2);
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    RankedTensorType type = tensorType(input);
    if (type.getRank() < 1)
      return checks.fail("rank of operand " + Twine(i), "0", "at least 1", 2);
    if (failed(checks.sameSize("dimension 0 of operand " + Twine(i),
                               type.getDimSize(0), mask.getDimSize(0), 2)))
      return failure();
  }
  // compact_c3
  if (failed(checks.count("number of results", getNumResults(),
                          getInputs().size(), 3)))
    return failure();
  for (auto [i, input] : llvm::enumerate(getInputs()))
    if (failed(checkSelectedRows(checks, "result " + Twine(i),
                                 getResult(i).getType(), tensorType(input), 3)))
      return failure();
  return success();
}

DimVector CompactOp::resultDims(unsigned result, DimAnalysis &analysis) {
  DimVector dims = analysis.dimsOf(getInputs()[result]);
  dims[0] =
      result == 0 ? analysis.freshSymbol() : analysis.dimsOf(getResult(0))[0];
  return dims;
}

LogicalResult SearchSortedOp::verify() {
  ShapeChecks checks(*this);
  RankedTensorType list = tensorType(getList()),
                   queries = tensorType(getQueries()),
                   result = tensorType(getResult());
  // searchsorted_c1, searchsorted_c2
  if (failed(checks.count("rank of the list", list.getRank(), 1, 1)) ||
      failed(checks.sameType("element type of queries",
                             queries.getElementType(), list.getElementType(),
                             2)))
    return failure();
  // searchsorted_c3
  return checks.compatible(
      "result", result,
      RankedTensorType::get(queries.getShape(), result.getElementType()), 3);
}

DimVector SearchSortedOp::resultDims(unsigned, DimAnalysis &analysis) {
  return analysis.dimsOf(getQueries());
}

LogicalResult IsInOp::verify() {
  ShapeChecks checks(*this);
  RankedTensorType operand = tensorType(getOperand()),
                   set = tensorType(getSet());
  // is_in_c1
  if (operand.getRank() < 1)
    return checks.fail("rank", Twine(operand.getRank()), "at least 1", 1);
  if (failed(checks.count("rank of the set", set.getRank(), operand.getRank(),
                          1)) ||
      failed(checks.sameType("element type of the set", set.getElementType(),
                             operand.getElementType(), 1)))
    return failure();
  for (int64_t dim = 1; dim < operand.getRank(); ++dim)
    if (failed(checks.sameSize("dimension " + Twine(dim) + " of the set",
                               set.getDimSize(dim), operand.getDimSize(dim),
                               1)))
      return failure();
  // is_in_c2
  return checks.compatible(
      "result", getType(),
      RankedTensorType::get({operand.getDimSize(0)},
                            IntegerType::get(getContext(), 1)),
      2);
}

DimVector IsInOp::resultDims(unsigned, DimAnalysis &analysis) {
  return {analysis.dimsOf(getOperand())[0]};
}

LogicalResult HashOp::verify() {
  ShapeChecks checks(*this);
  RankedTensorType operand = tensorType(getOperand()),
                   result = tensorType(getResult());
  bool isMatrix = getKind() == HashKind::matrix;
  // hash_c1
  if (failed(checks.count("rank", operand.getRank(), 2, 1)))
    return failure();
  if (operand.isDynamicDim(1))
    return checks.fail("width", "a dynamic one", "a static one", 1);
  if (operand.getElementTypeBitWidth() < 8)
    return checks.fail("element type", typeText(operand.getElementType()),
                       "integers of 8 bits or more", 1);
  // hash_c2
  if (failed(checks.count("rank of the result", result.getRank(), 2, 2)) ||
      failed(checks.sameSize("rows of the result", result.getDimSize(0),
                             operand.getDimSize(0), 2)))
    return failure();
  auto element = IntegerType::get(getContext(), isMatrix ? 64 : 32,
                                  isMatrix ? IntegerType::Signless
                                           : IntegerType::Unsigned);
  if (failed(checks.sameType("element type of the result",
                             result.getElementType(), element, 2)))
    return failure();
  int64_t lanes = result.getDimSize(1);
  if (result.isDynamicDim(1) || lanes < 1 || (!isMatrix && lanes != 1))
    return checks.fail(
        "lanes", result.isDynamicDim(1) ? "dynamic" : std::to_string(lanes),
        isMatrix ? "a static number of at least 1" : "1", 2);
  // hash_c3
  if (!isMatrix && getSeed())
    return checks.fail("seed", std::to_string(*getSeed()), "none", 3);
  return success();
}

DimVector HashOp::resultDims(unsigned, DimAnalysis &analysis) {
  return {analysis.dimsOf(getOperand())[0],
          tensorType(getResult()).getDimSize(1)};
}

LogicalResult NonMaxSuppressionOp::verify() {
  ShapeChecks checks(*this);
  RankedTensorType boxes = tensorType(getBoxes()),
                   scores = tensorType(getScores()),
                   result = tensorType(getResult());
  // non_max_suppression_c1
  if (failed(checks.count("rank of boxes", boxes.getRank(), 3, 1)) ||
      failed(
          checks.sameSize("dimension 2 of boxes", boxes.getDimSize(2), 4, 1)))
    return failure();
  // non_max_suppression_c2
  if (failed(checks.count("rank of scores", scores.getRank(), 3, 2)) ||
      failed(checks.sameSize("batches of scores", scores.getDimSize(0),
                             boxes.getDimSize(0), 2)) ||
      failed(checks.sameSize("boxes of scores", scores.getDimSize(2),
                             boxes.getDimSize(1), 2)))
    return failure();
  // non_max_suppression_c3
  return checks.sameType(
      "result", result,
      RankedTensorType::get({ShapedType::kDynamic, 3}, result.getElementType()),
      3);
}

DimVector NonMaxSuppressionOp::resultDims(unsigned, DimAnalysis &analysis) {
  return {analysis.freshSymbol(), 3};
}

} // namespace zenith::graph
