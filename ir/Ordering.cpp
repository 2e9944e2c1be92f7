// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and dimensions of the ordering family.

#include "ir/GraphOps.h"
#include "ir/OpInference.h"
#include "ir/OpRegistration.h"
#include "ir/OpSyntax.h"
#include "ir/RegionChecks.h"
#include "ir/dims/DimPreference.h"
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

/// The lists have rank 1 and one size.
static LogicalResult checkWordLists(const ShapeChecks &checks, ValueRange lists,
                                    const Twine &place, unsigned constraint) {
  for (Value list : lists) {
    RankedTensorType type = tensorType(list);
    if (failed(
            checks.count("rank of " + place, type.getRank(), 1, constraint)) ||
        failed(checks.sameSize("size of " + place, type.getDimSize(0),
                               tensorType(lists.front()).getDimSize(0),
                               constraint)))
      return failure();
  }
  return success();
}

unsigned FreshKeysOp::partBits() {
  return llvm::Log2_64(uint64_t(tensorType(getImageBits()).getDimSize(3)));
}

/// Constraint 5.
static LogicalResult checkImages(const ShapeChecks &checks, FreshKeysOp op) {
  bool hasParts = bool(op.getImageParts());
  if (hasParts != bool(op.getImageBits()) || hasParts != bool(op.getTies()))
    return checks.fail("images", "some of image parts, image bits and ties",
                       "all or none", 5);
  if (!hasParts)
    return success();
  RankedTensorType parts = tensorType(op.getImageParts()),
                   bits = tensorType(op.getImageBits());
  if (failed(checks.count("rank of the image parts", parts.getRank(), 3, 5)) ||
      failed(checks.count("rank of the image bits", bits.getRank(), 4, 5)))
    return failure();
  if (!parts.hasStaticShape() || parts.getDimSize(0) == 0)
    return checks.fail("image parts", typeText(parts),
                       "a static shape with at least 1 image", 5);
  if (failed(checks.count("words of an image", parts.getDimSize(1), op.words(),
                          5)))
    return failure();
  for (int64_t dim = 0; dim < parts.getRank(); ++dim)
    if (failed(checks.sameSize("dimension " + Twine(dim) + " of the image bits",
                               bits.getDimSize(dim), parts.getDimSize(dim), 5)))
      return failure();
  int64_t values = bits.getDimSize(3);
  if (!bits.hasStaticShape() || values < 2 || values > 256 ||
      !llvm::isPowerOf2_64(uint64_t(values)))
    return checks.fail("values of a part", Twine(values),
                       "a power of two from 2 to 256", 5);
  if (*op.getTies() < 0 || *op.getTies() > 63)
    return checks.fail("ties", Twine(*op.getTies()), "a bit from 0 to 63", 5);
  return success();
}

LogicalResult FreshKeysOp::verify() {
  ShapeChecks checks(*this);
  // fresh_keys_c1
  if (getKey().empty())
    return checks.fail("key", "no words", "at least 1", 1);
  // fresh_keys_c2
  if (getCandidates().empty())
    return checks.fail("number of candidates", "0", "at least 1", 2);
  if (failed(checks.count("candidates beyond whole keys",
                          getCandidates().size() % words(), 0, 2)) ||
      failed(checks.count("known beyond whole keys",
                          getKnown().size() % words(), 0, 2)))
    return failure();
  // fresh_keys_c3
  if (failed(checkWordLists(checks, getCandidates(), "a candidate", 3)))
    return failure();
  for (unsigned list = 0; list < knownLists(); ++list)
    if (failed(checkWordLists(checks, getKnown().slice(list * words(), words()),
                              "a known list", 3)))
      return failure();
  // fresh_keys_c4
  if (failed(checks.count("number of results", getNumResults(), words(), 4)))
    return failure();
  for (Value result : getResults()) {
    RankedTensorType type = tensorType(result);
    if (type.getRank() != 1 || !type.isDynamicDim(0))
      return checks.fail("result", typeText(type), "tensor<?xui64>", 4);
  }
  // fresh_keys_c5
  return checkImages(checks, *this);
}

DimVector FreshKeysOp::resultDims(unsigned result, DimAnalysis &analysis) {
  return {result == 0 ? analysis.freshSymbol()
                      : analysis.dimsOf(getResult(0))[0]};
}

LogicalResult BitPositionsOp::verify() {
  ShapeChecks checks(*this);
  RankedTensorType result = tensorType(getResult());
  // bit_positions_c1
  if (failed(checks.count("rank of the operand",
                          tensorType(getOperand()).getRank(), 1, 1)))
    return failure();
  // bit_positions_c2
  if (result.getRank() != 1 || !result.isDynamicDim(0))
    return checks.fail("result", typeText(result), "tensor<?xui64>", 2);
  return success();
}

DimVector BitPositionsOp::resultDims(unsigned, DimAnalysis &analysis) {
  return {analysis.freshSymbol()};
}

/// Constraints 1 and 2 of the ops that look numbers up in known bits.
static LogicalResult checkCandidates(const ShapeChecks &checks, Value known,
                                     ValueRange candidates) {
  if (failed(checks.count("rank of the known bits", tensorType(known).getRank(),
                          1, 1)))
    return failure();
  if (candidates.empty())
    return checks.fail("number of candidates", "0", "at least 1", 2);
  return checkWordLists(checks, candidates, "a candidate", 2);
}

LogicalResult FreshBitsOp::verify() {
  ShapeChecks checks(*this);
  // fresh_bits_c1, fresh_bits_c2
  if (failed(checkCandidates(checks, getKnown(), getCandidates())))
    return failure();
  // fresh_bits_c3
  return checks.compatible("bits", getBits().getType(), getKnown().getType(),
                           3);
}

DimVector FreshBitsOp::resultDims(unsigned result, DimAnalysis &analysis) {
  return result == 0 ? analysis.dimsOf(getKnown()) : DimVector();
}

LogicalResult FreshBitRowsOp::verify() {
  ShapeChecks checks(*this);
  RankedTensorType layer = tensorType(getLayer()),
                   sources = tensorType(getSources()),
                   moves = tensorType(getMoves()),
                   columns = tensorType(getColumns());
  // fresh_bit_rows_c1
  if (failed(checks.count("rank of the layer", layer.getRank(), 2, 1)))
    return failure();
  for (Value rows : {getKnown(), getBits(), getAll()})
    if (failed(checks.compatible("bits", rows.getType(), layer, 1)))
      return failure();
  // fresh_bit_rows_c2
  if (failed(checks.count("rank of the sources", sources.getRank(), 2, 2)) ||
      failed(checks.count("rank of the moves", moves.getRank(), 2, 2)))
    return failure();
  for (int64_t dim = 0; dim < 2; ++dim)
    if (failed(checks.sameSize("dimension of the moves", moves.getDimSize(dim),
                               sources.getDimSize(dim), 2)))
      return failure();
  if (failed(checks.sameSize("rows of the sources", sources.getDimSize(0),
                             layer.getDimSize(0), 2)))
    return failure();
  // fresh_bit_rows_c3
  if (failed(checks.count("rank of the columns", columns.getRank(), 2, 3)))
    return failure();
  int64_t words = layer.getDimSize(1), count = columns.getDimSize(1);
  if (!ShapedType::isDynamic(words) && !ShapedType::isDynamic(count) &&
      count > words * 64)
    return checks.fail("number of columns", Twine(count).str(),
                       ("at most " + Twine(words * 64)).str(), 3);
  return success();
}

DimVector FreshBitRowsOp::resultDims(unsigned result, DimAnalysis &analysis) {
  return result < 2 ? analysis.dimsOf(getKnown()) : DimVector();
}

LogicalResult MarkBitsOp::verify() {
  ShapeChecks checks(*this);
  // mark_bits_c1, mark_bits_c2
  if (failed(checkCandidates(checks, getKnown(), getCandidates())))
    return failure();
  // mark_bits_c3
  RankedTensorType positions = tensorType(getPositions());
  if (positions.getRank() != 1 || !positions.isDynamicDim(0))
    return checks.fail("positions", typeText(positions), "tensor<?xui64>", 3);
  // mark_bits_c4
  if (failed(checks.compatible("bits", getBits().getType(),
                               getKnown().getType(), 4)))
    return failure();
  // mark_bits_c5
  if (std::optional<uint64_t> tags = getTagBits(); tags && *tags - 1 >= 16)
    return checks.fail("tag bits", std::to_string(*tags), "1 to 16", 5);
  return success();
}

DimVector MarkBitsOp::resultDims(unsigned result, DimAnalysis &analysis) {
  return result == 0 ? DimVector{analysis.freshSymbol()}
                     : analysis.dimsOf(getKnown());
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
