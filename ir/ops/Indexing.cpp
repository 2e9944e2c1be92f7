// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers, types and dimensions of the indexing family.

#include "ir/ops/Indexing.h"
#include "ir/GraphOps.h"
#include "ir/OpRegistration.h"
#include "ir/OpSyntax.h"
#include "ir/ops/OpInference.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "ir/Indexing.cpp.inc"

namespace zenith::graph {

void insertIndexingOps(Dialect &dialect) {
  insertOps<
#define GET_OP_LIST
#include "ir/Indexing.cpp.inc"
      >(dialect);
}

bool isByteLookup(Operation *op) {
  auto gather = dyn_cast<GatherOp>(op);
  if (!gather)
    return false;
  Operation *source = gather.getOperand().getDefiningOp();
  auto table = cast<RankedTensorType>(gather.getOperand().getType()),
       indices = cast<RankedTensorType>(gather.getStartIndices().getType());
  return (!source || isa<GetParamOp, ConstantOp>(source)) &&
         table.getRank() == 1 && table.getElementType().isInteger(8) &&
         table.hasStaticShape() && gather.getSliceSizes()[0] == 1 &&
         indices.getElementType().isUnsignedInteger(8) &&
         gather.getDims().getIndexVectorDim() == indices.getRank() &&
         gather.getDims().getOffsetDims().empty();
}

/// Which result dimension comes from where: an operand dimension (slices) or
/// one of start_indices (batches).
struct GatherCoordinate {
  bool fromOperand;
  int64_t dim;
};

/// Precondition: dimension numbers hold gather_c2.
static SmallVector<GatherCoordinate>
gatherPlaces(GatherDimsAttr dims, int64_t operandRank, int64_t indicesRank) {
  SmallVector<int64_t> slices, batches;
  for (int64_t dim = 0; dim < operandRank; ++dim)
    if (!llvm::is_contained(dims.getCollapsedSliceDims(), dim) &&
        !llvm::is_contained(dims.getOperandBatchingDims(), dim))
      slices.push_back(dim);
  for (int64_t dim = 0; dim < indicesRank; ++dim)
    if (dim != dims.getIndexVectorDim())
      batches.push_back(dim);
  SmallVector<GatherCoordinate> places;
  size_t nextSlice = 0, nextBatch = 0;
  for (size_t dim = 0; dim < slices.size() + batches.size(); ++dim) {
    if (llvm::is_contained(dims.getOffsetDims(), int64_t(dim)))
      places.push_back({true, slices[nextSlice++]});
    else
      places.push_back({false, batches[nextBatch++]});
  }
  return places;
}

static LogicalResult checkGatherDims(const ShapeChecks &checks,
                                     GatherDimsAttr dims, int64_t rank,
                                     int64_t indicesRank) {
  auto collapsed = dims.getCollapsedSliceDims(),
       batching = dims.getOperandBatchingDims();
  // gather_c2
  if (failed(checks.inRange("index_vector_dim", dims.getIndexVectorDim(), 0,
                            indicesRank + 1, 2)) ||
      failed(checks.ascendingInRange("collapsed", collapsed, rank, 2)) ||
      failed(checks.ascendingInRange("batching dimensions of the operand",
                                     batching, rank, 2)) ||
      failed(
          checks.disjoint("collapsed and batching", collapsed, batching, 2)) ||
      failed(checks.distinctInRange("index_map", dims.getStartIndexMap(), rank,
                                    2)) ||
      failed(checks.disjoint("index_map and batching", dims.getStartIndexMap(),
                             batching, 2)) ||
      failed(checks.distinctInRange("batching dimensions of start_indices",
                                    dims.getStartIndicesBatchingDims(),
                                    indicesRank, 2)) ||
      failed(checks.disjoint(
          "batching dimensions of start_indices and index_vector_dim",
          dims.getStartIndicesBatchingDims(), {dims.getIndexVectorDim()}, 2)))
    return failure();
  int64_t slices = rank - int64_t(collapsed.size() + batching.size());
  int64_t batches =
      indicesRank - (dims.getIndexVectorDim() < indicesRank ? 1 : 0);
  if (failed(checks.count("number of offset dimensions",
                          dims.getOffsetDims().size(), slices, 2)))
    return failure();
  return checks.ascendingInRange("offset", dims.getOffsetDims(),
                                 slices + batches, 2);
}

template <typename Op>
static LogicalResult checkGather(ShapeChecks &checks, Op op) {
  RankedTensorType operand = tensorType(op.getOperand()),
                   indices = tensorType(op.getStartIndices());
  GatherDimsAttr dims = op.getDims();
  ArrayRef<int64_t> sizes = op.getSliceSizes();
  // gather_c1
  if (failed(checks.count("entries of slice_sizes", sizes.size(),
                          operand.getRank(), 1)) ||
      failed(checks.atLeast("slice_sizes", sizes, -1, 1)))
    return failure();
  auto isEmptyBatch = [&](int64_t dim) {
    return operand.getDimSize(dim) == 0 &&
           llvm::is_contained(dims.getOperandBatchingDims(), dim);
  };
  for (int64_t dim = 0; dim < operand.getRank(); ++dim)
    if (!operand.isDynamicDim(dim) && sizes[dim] > operand.getDimSize(dim) &&
        !isEmptyBatch(dim))
      return checks.fail("slice size " + Twine(dim), Twine(sizes[dim]),
                         "at most " + Twine(operand.getDimSize(dim)), 1);
  if (failed(
          checkGatherDims(checks, dims, operand.getRank(), indices.getRank())))
    return failure();
  // gather_c3
  for (auto list :
       {dims.getCollapsedSliceDims(), dims.getOperandBatchingDims()})
    for (int64_t dim : list)
      if (failed(checks.count("slice size " + Twine(dim), sizes[dim], 1, 3)))
        return failure();
  // gather_c4: an index_vector_dim after the last dimension stands for one
  // index each
  bool implicit = dims.getIndexVectorDim() == indices.getRank();
  int64_t entries = implicit ? 1 : indices.getDimSize(dims.getIndexVectorDim());
  if (failed(checks.sameSize("start_indices along index_vector_dim", entries,
                             dims.getStartIndexMap().size(), 4)))
    return failure();
  // gather_c5
  if (failed(checks.count("number of batching dimensions of start_indices",
                          dims.getStartIndicesBatchingDims().size(),
                          dims.getOperandBatchingDims().size(), 5)))
    return failure();
  for (auto [left, right] : llvm::zip(dims.getOperandBatchingDims(),
                                      dims.getStartIndicesBatchingDims()))
    if (failed(checks.sameSize(
            "batching dimension " + Twine(right) + " of start_indices",
            indices.getDimSize(right), operand.getDimSize(left), 5)))
      return failure();
  return success();
}

LogicalResult GatherOp::verify() {
  ShapeChecks checks(*this);
  if (failed(checkGather(checks, *this)))
    return failure();
  RankedTensorType operand = tensorType(getOperand()),
                   indices = tensorType(getStartIndices());
  SmallVector<int64_t> shape;
  for (GatherCoordinate place :
       gatherPlaces(getDims(), operand.getRank(), indices.getRank())) {
    int64_t size = place.fromOperand ? getSliceSizes()[place.dim]
                                     : indices.getDimSize(place.dim);
    shape.push_back(
        place.fromOperand && size == -1 ? operand.getDimSize(place.dim) : size);
  }
  RankedTensorType result = tensorType(getResult());
  // gather_c6
  if (failed(verifyCompatibleShape(result.getShape(), shape)))
    return checks.fail("result", "shape " + listText(result.getShape()),
                       "shape " + listText(shape), 6);
  // gather_c7
  return checks.sameType("result element type", result.getElementType(),
                         operand.getElementType(), 7);
}

DimVector GatherOp::resultDims(unsigned, DimAnalysis &analysis) {
  DimVector operand = analysis.dimsOf(getOperand()),
            indices = analysis.dimsOf(getStartIndices()), result;
  for (GatherCoordinate place :
       gatherPlaces(getDims(), operand.size(), indices.size())) {
    if (!place.fromOperand)
      result.push_back(indices[place.dim]);
    else
      result.push_back(getSliceSizes()[place.dim] == -1
                           ? operand[place.dim]
                           : DimExpr(getSliceSizes()[place.dim]));
  }
  return result;
}

static LogicalResult checkStarts(const ShapeChecks &checks, ValueRange starts,
                                 RankedTensorType operand) {
  if (failed(checks.count("number of starts", starts.size(), operand.getRank(),
                          1)))
    return failure();
  for (auto [i, start] : llvm::enumerate(starts)) {
    RankedTensorType type = tensorType(start);
    if (type.getRank() != 0)
      return checks.fail("start " + Twine(i), typeText(type), "a scalar", 1);
    if (failed(
            checks.sameType("start " + Twine(i), type, starts[0].getType(), 1)))
      return failure();
  }
  return success();
}

LogicalResult DynamicSliceOp::verify() {
  ShapeChecks checks(*this);
  RankedTensorType operand = tensorType(getOperand()),
                   result = tensorType(getResult());
  // dynamic_slice_c1
  if (failed(checkStarts(checks, getStarts(), operand)))
    return failure();
  // dynamic_slice_c2
  if (!result.hasStaticShape() || result.getRank() != operand.getRank())
    return checks.fail("result", typeText(result),
                       "a static shape of rank " + Twine(operand.getRank()), 2);
  for (int64_t dim = 0; dim < operand.getRank(); ++dim)
    if (!operand.isDynamicDim(dim) &&
        result.getDimSize(dim) > operand.getDimSize(dim))
      return checks.fail("result dimension " + Twine(dim),
                         Twine(result.getDimSize(dim)),
                         "at most " + Twine(operand.getDimSize(dim)), 2);
  return checks.sameType("result element type", result.getElementType(),
                         operand.getElementType(), 3);
}

DimVector DynamicSliceOp::resultDims(unsigned, DimAnalysis &analysis) {
  return analysis.dimsOf(getResult());
}

template <typename Op>
static FailureOr<RankedTensorType> updateSliceType(ShapeChecks &checks, Op op) {
  RankedTensorType operand = tensorType(op.getOperand()),
                   update = tensorType(op.getUpdate());
  // dynamic_update_slice_c1
  if (failed(checkStarts(checks, op.getStarts(), operand)))
    return failure();
  // dynamic_update_slice_c2
  if (failed(checks.count("rank of update", update.getRank(), operand.getRank(),
                          2)) ||
      failed(checks.sameType("update element type", update.getElementType(),
                             operand.getElementType(), 2)))
    return failure();
  for (int64_t dim = 0; dim < operand.getRank(); ++dim)
    if (!operand.isDynamicDim(dim) && !update.isDynamicDim(dim) &&
        update.getDimSize(dim) > operand.getDimSize(dim)) {
      (void)checks.fail("update dimension " + Twine(dim),
                        Twine(update.getDimSize(dim)),
                        "at most " + Twine(operand.getDimSize(dim)), 2);
      return failure();
    }
  return operand;
}

ZENITH_INFER_WITH(DynamicUpdateSliceOp, updateSliceType)

LogicalResult DynamicUpdateSliceOp::verify() {
  ShapeChecks checks(*this);
  auto expected = updateSliceType(checks, *this);
  // dynamic_update_slice_c3
  return failed(expected)
             ? failure()
             : checks.compatible("result", getType(), *expected, 3);
}

DimVector DynamicUpdateSliceOp::resultDims(unsigned, DimAnalysis &analysis) {
  return analysis.dimsOf(getOperand());
}

} // namespace zenith::graph
