// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and dimensions of the ops that write at positions given by data.

#include "ir/GraphOps.h"
#include "ir/ops/OpInference.h"
#include "ir/ops/RegionChecks.h"

using namespace mlir;

namespace zenith::graph {

static LogicalResult checkIndexDims(const ShapeChecks &checks,
                                    ScatterDimsAttr dims,
                                    RankedTensorType operand,
                                    RankedTensorType indices) {
  // scatter_c1
  ArrayRef<int64_t> batching = dims.getInputBatchingDims(),
                    indexBatching = dims.getIndicesBatchingDims();
  if (failed(checks.distinctInRange("index_map", dims.getIndexMap(),
                                    operand.getRank(), 1)) ||
      failed(checks.disjoint("index_map and batching", dims.getIndexMap(),
                             batching, 1)) ||
      failed(checks.distinctInRange("batching dimensions of indices",
                                    indexBatching, indices.getRank(), 1)) ||
      failed(
          checks.disjoint("batching dimensions of indices and index_vector_dim",
                          indexBatching, {dims.getIndexVectorDim()}, 1)) ||
      failed(checks.count("number of batching dimensions of indices",
                          indexBatching.size(), batching.size(), 1)))
    return failure();
  for (auto [left, right] : llvm::zip(batching, indexBatching))
    if (failed(checks.sameSize(
            "batching dimension " + Twine(right) + " of indices",
            indices.getDimSize(right), operand.getDimSize(left), 1)))
      return failure();
  // scatter_c2: an index_vector_dim after the last dimension stands for one
  // index each
  bool implicit = dims.getIndexVectorDim() == indices.getRank();
  int64_t entries = implicit ? 1 : indices.getDimSize(dims.getIndexVectorDim());
  return checks.sameSize("indices along index_vector_dim", entries,
                         dims.getIndexMap().size(), 2);
}

static LogicalResult checkWindowDims(const ShapeChecks &checks,
                                     ScatterDimsAttr dims,
                                     RankedTensorType operand,
                                     RankedTensorType indices,
                                     RankedTensorType updates) {
  // scatter_c1
  ArrayRef<int64_t> window = dims.getUpdateWindowDims(),
                    inserted = dims.getInsertedWindowDims(),
                    batching = dims.getInputBatchingDims();
  if (failed(checks.inRange("index_vector_dim", dims.getIndexVectorDim(), 0,
                            indices.getRank() + 1, 1)) ||
      failed(checks.ascendingInRange("window", window, updates.getRank(), 1)) ||
      failed(checks.ascendingInRange("inserted", inserted, operand.getRank(),
                                     1)) ||
      failed(checks.ascendingInRange("batching dimensions of the operand",
                                     batching, operand.getRank(), 1)) ||
      failed(checks.disjoint("inserted and batching", inserted, batching, 1)))
    return failure();
  return checks.count(
      "number of window dimensions", window.size(),
      operand.getRank() - int64_t(inserted.size() + batching.size()), 1);
}

/// scatter_c3. Precondition: scatter_c1.
static LogicalResult checkUpdatesShape(const ShapeChecks &checks,
                                       ScatterDimsAttr dims,
                                       RankedTensorType operand,
                                       RankedTensorType indices,
                                       RankedTensorType updates) {
  SmallVector<int64_t> windowed, scattered;
  for (int64_t dim = 0; dim < operand.getRank(); ++dim)
    if (!llvm::is_contained(dims.getInsertedWindowDims(), dim) &&
        !llvm::is_contained(dims.getInputBatchingDims(), dim))
      windowed.push_back(operand.getDimSize(dim));
  for (int64_t dim = 0; dim < indices.getRank(); ++dim)
    if (dim != dims.getIndexVectorDim())
      scattered.push_back(indices.getDimSize(dim));
  if (failed(checks.count("rank of updates", updates.getRank(),
                          windowed.size() + scattered.size(), 3)))
    return failure();
  size_t nextWindow = 0, nextScatter = 0;
  for (int64_t dim = 0; dim < updates.getRank(); ++dim) {
    int64_t size = updates.getDimSize(dim);
    if (!llvm::is_contained(dims.getUpdateWindowDims(), dim)) {
      if (failed(checks.sameSize("dimension " + Twine(dim) + " of updates",
                                 size, scattered[nextScatter++], 3)))
        return failure();
      continue;
    }
    int64_t bound = windowed[nextWindow++];
    if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(bound) &&
        size > bound)
      return checks.fail("dimension " + Twine(dim) + " of updates", Twine(size),
                         "at most " + Twine(bound), 3);
  }
  return success();
}

/// scatter_c1 to scatter_c3.
static LogicalResult checkScatter(const ShapeChecks &checks,
                                  ScatterDimsAttr dims,
                                  RankedTensorType operand,
                                  RankedTensorType indices,
                                  RankedTensorType updates) {
  return success(
      succeeded(checkWindowDims(checks, dims, operand, indices, updates)) &&
      succeeded(checkIndexDims(checks, dims, operand, indices)) &&
      succeeded(checkUpdatesShape(checks, dims, operand, indices, updates)));
}

static LogicalResult checkCombination(const ShapeChecks &checks,
                                      ScatterKind kind, Type element) {
  bool isSum = kind == ScatterKind::sum || kind == ScatterKind::prod;
  // scatter_c5
  if (isSum && element.isInteger(1))
    return checks.fail(stringifyEnum(kind), typeText(element), "numbers", 5);
  if (!isSum && kind != ScatterKind::set && isa<ComplexType>(element))
    return checks.fail(stringifyEnum(kind), typeText(element),
                       "ordered elements", 5);
  return success();
}

LogicalResult ScatterOp::verify() {
  ShapeChecks checks(*this);
  RankedTensorType operand = tensorType(getOperand()),
                   updates = tensorType(getUpdates());
  if (failed(checkScatter(checks, getDims(), operand, tensorType(getIndices()),
                          updates)))
    return failure();
  // scatter_c4
  if (failed(checks.sameType("element type of updates",
                             updates.getElementType(), operand.getElementType(),
                             4)) ||
      failed(checks.compatible("result", getType(), operand, 4)))
    return failure();
  return checkCombination(checks, getKind(), operand.getElementType());
}

DimVector ScatterOp::resultDims(unsigned, DimAnalysis &analysis) {
  return analysis.dimsOf(getOperand());
}

LogicalResult ScatterWithOp::verify() {
  ShapeChecks checks(*this);
  // scatter_with_c4: the counts
  if (failed(checks.count("number of updates", getUpdates().size(),
                          getInputs().size(), 4)) ||
      failed(checks.count("number of results", getNumResults(),
                          getInputs().size(), 4)) ||
      failed(checkOneShape(checks, "operand", getInputs(), 4)) ||
      failed(checkOneShape(checks, "update", getUpdates(), 4)))
    return failure();
  // scatter_with_c1 to scatter_with_c3
  if (failed(checkScatter(checks, getDims(), tensorType(getInputs()[0]),
                          tensorType(getIndices()),
                          tensorType(getUpdates()[0]))))
    return failure();
  // scatter_with_c4: the types
  for (auto [i, input] : llvm::enumerate(getInputs()))
    if (failed(checks.sameType("element type of update " + Twine(i),
                               tensorType(getUpdates()[i]).getElementType(),
                               tensorType(input).getElementType(), 4)) ||
        failed(checks.compatible("result " + Twine(i), getResult(i).getType(),
                                 input.getType(), 4)))
      return failure();
  // scatter_with_c5
  return checkReduceRegion(checks, getBody(), getInputs().getTypes(), 5);
}

DimVector ScatterWithOp::resultDims(unsigned result, DimAnalysis &analysis) {
  return analysis.dimsOf(getInputs()[result]);
}

} // namespace zenith::graph
