// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of (element, its index) that keep the first of the largest or
// smallest elements become arg_reduce, and so does top_k with k = 1.

#include "passes/raise/RaiseArgReduce.h"
#include "ir/GraphOps.h"
#include "ir/matchers/DynamicDims.h"
#include "ir/matchers/SplatConstant.h"
#include "ir/matchers/TypeOf.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/raise/NeutralElement.h"
using namespace mlir;
using namespace zenith::graph;

namespace zenith::raise {

namespace {

/// The region's arguments: the element kept so far and its index, then the next
/// ones.
struct ArgReduceRegion {
  Value keptValue, keptIndex, nextValue, nextIndex;
};

} // namespace

static bool isCompare(Value value, CompareDirection direction, Value lhs,
                      Value rhs) {
  auto compare = value.getDefiningOp<CompareOp>();
  if (!compare)
    return false;
  bool symmetric =
      direction == CompareDirection::eq || direction == CompareDirection::ne;
  return compare.getDirection() == direction &&
         ((compare.getLhs() == lhs && compare.getRhs() == rhs) ||
          (symmetric && compare.getLhs() == rhs && compare.getRhs() == lhs));
}

/// kept > next, or kept is NaN; gives the direction of the comparison.
static std::optional<ReduceKind> keepsValue(Value value,
                                            const ArgReduceRegion &region) {
  if (isCompare(value, CompareDirection::gt, region.keptValue,
                region.nextValue))
    return ReduceKind::max;
  if (isCompare(value, CompareDirection::lt, region.keptValue,
                region.nextValue))
    return ReduceKind::min;
  return std::nullopt;
}

static std::optional<ReduceKind>
keepsValueOrNaN(Value value, const ArgReduceRegion &region) {
  bool isFloat = isa<FloatType>(typeOf(region.keptValue).getElementType());
  auto either = value.getDefiningOp<OrOp>();
  if (!either)
    return isFloat ? std::nullopt : keepsValue(value, region);
  for (bool swapped : {false, true}) {
    Value first = swapped ? either.getRhs() : either.getLhs(),
          second = swapped ? either.getLhs() : either.getRhs();
    if (isCompare(second, CompareDirection::ne, region.keptValue,
                  region.keptValue))
      return keepsValue(first, region);
  }
  return std::nullopt;
}

/// True for equal elements of which the kept one is earlier.
static bool isEarlierEqual(Value value, const ArgReduceRegion &region) {
  auto both = value.getDefiningOp<AndOp>();
  if (!both)
    return false;
  for (bool swapped : {false, true}) {
    Value first = swapped ? both.getRhs() : both.getLhs(),
          second = swapped ? both.getLhs() : both.getRhs();
    if (isCompare(first, CompareDirection::eq, region.keptValue,
                  region.nextValue) &&
        isCompare(second, CompareDirection::lt, region.keptIndex,
                  region.nextIndex))
      return true;
  }
  return false;
}

static std::optional<ReduceKind> argReduceKind(Block &block) {
  ArgReduceRegion region{block.getArgument(0), block.getArgument(1),
                         block.getArgument(2), block.getArgument(3)};
  auto place = block.getTerminator()->getOperand(1).getDefiningOp<SelectOp>();
  auto value = block.getTerminator()->getOperand(0).getDefiningOp<SelectOp>();
  auto keeps = place ? place.getPred().getDefiningOp<OrOp>() : OrOp();
  if (!keeps || !value || place.getOnTrue() != region.keptIndex ||
      place.getOnFalse() != region.nextIndex ||
      value.getOnTrue() != region.keptValue ||
      value.getOnFalse() != region.nextValue)
    return std::nullopt;
  for (bool swapped : {false, true}) {
    Value first = swapped ? keeps.getRhs() : keeps.getLhs(),
          second = swapped ? keeps.getLhs() : keeps.getRhs();
    // Of equal elements either value may be kept.
    if (isEarlierEqual(second, region) &&
        (value.getPred() == first || value.getPred() == keeps.getResult()))
      return keepsValueOrNaN(first, region);
  }
  return std::nullopt;
}

/// Equal elements may differ in the sign of zero, so the reduction is raised
/// only where nothing but their index is used.
static LogicalResult raiseArgReduce(ReduceWithOp op,
                                    PatternRewriter &rewriter) {
  if (op.getInputs().size() != 2 || op.getDims().size() != 1 ||
      !op.getResult(0).use_empty())
    return failure();
  int64_t dim = op.getDims()[0];
  auto type = typeOf(op.getInputs()[0]);
  auto iota = op.getInputs()[1].getDefiningOp<IotaOp>();
  auto places = typeOf(op.getInputs()[1]);
  if (!iota || int64_t(iota.getDim()) != dim || type.isDynamicDim(dim) ||
      type.getDimSize(dim) == 0 ||
      !isa<FloatType, IntegerType>(type.getElementType()))
    return failure();
  Type place = places.getElementType();
  if (!place.isInteger(32) && !place.isInteger(64))
    return failure();
  std::optional<ReduceKind> kind = argReduceKind(op.getBody().front());
  // A start of (-inf, 0) loses against, or equals, the first element.
  if (!kind || !isNeutral(*kind, op.getInits()[0]) ||
      splatValue(op.getInits()[1]) != 0.0)
    return failure();
  auto index = IntegerType::get(op.getContext(), place.getIntOrFloatBitWidth());
  auto resultType = typeOf(op.getResult(1));
  Value found = rewriter.create<ArgReduceOp>(
      op.getLoc(), resultType.clone(index), *kind, op.getInputs()[0],
      uint64_t(dim), /*last=*/false);
  if (found.getType() != resultType)
    found = rewriter.create<ConvertOp>(op.getLoc(), resultType, found);
  rewriter.replaceAllUsesWith(op.getResult(1), found);
  rewriter.eraseOp(op);
  return success();
}

/// The element of each row at its index; a reduction could return a zero of the
/// other sign.
static Value elementsAt(TopKOp op, Value places, PatternRewriter &rewriter) {
  auto type = typeOf(op.getOperand());
  int64_t dim = op.getDim(), rank = type.getRank();
  SmallVector<int64_t> rows, numbers;
  for (int64_t d = 0; d < rank; ++d)
    if (d != dim) {
      numbers.push_back(rows.size());
      rows.push_back(d);
    }
  auto dims = GatherDimsAttr::get(op.getContext(), {}, {dim}, rows, numbers,
                                  {dim}, rank - 1);
  return rewriter.create<GatherOp>(
      op.getLoc(), typeOf(places).clone(type.getElementType()), op.getOperand(),
      places, dims, SmallVector<int64_t>(rank, 1));
}

/// With k = 1 no list of candidates is needed: rows are compared in parallel, a
/// vector of rows or of elements. A single row is left to the top_k kernel that
/// filters it. NaN comes first for arg_reduce.
static LogicalResult raiseTopOne(TopKOp op, PatternRewriter &rewriter) {
  auto type = typeOf(op.getOperand());
  int64_t dim = op.getDim();
  bool smallest = op.getSmallest(),
       isFloat = isa<FloatType>(type.getElementType());
  if (typeOf(op.getIndices()).getDimSize(dim) != 1 || op.getK() ||
      type.getRank() < 2 || type.isDynamicDim(dim) ||
      type.getDimSize(dim) == 0 || (smallest && isFloat))
    return failure();
  SmallVector<int64_t> rows(type.getShape());
  rows.erase(rows.begin() + dim);
  Location loc = op.getLoc();
  Value places = rewriter.create<ArgReduceOp>(
      loc, typeOf(op.getIndices()).clone(rows),
      smallest ? ReduceKind::min : ReduceKind::max, op.getOperand(),
      uint64_t(dim), /*last=*/false);
  SmallVector<Value> sizes = dynamicDimsOf(rewriter, loc, op.getOperand());
  auto asColumn = [&](Value value, Value result) {
    return rewriter.create<ReshapeOp>(loc, result.getType(), value, sizes);
  };
  Value values = asColumn(elementsAt(op, places, rewriter), op.getValues());
  rewriter.replaceOp(op, {values, asColumn(places, op.getIndices())});
  return success();
}

void addArgReducePatterns(RewritePatternSet &patterns) {
  patterns.add(raiseArgReduce);
  patterns.add(raiseTopOne);
}

} // namespace zenith::raise
