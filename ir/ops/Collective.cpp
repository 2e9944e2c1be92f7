// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and dimensions of the collective family.

#include "ir/CollectiveOps.h"
#include "ir/OpRegistration.h"
#include "ir/OpSyntax.h"
#include "ir/ops/OpInference.h"
#include "ir/ops/RegionChecks.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "ir/Collective.cpp.inc"

namespace zenith::graph {

void insertCollectiveOps(Dialect &dialect) {
  insertOps<
#define GET_OP_LIST
#include "ir/Collective.cpp.inc"
      >(dialect);
}

/// Devices of a row of `groups`; nothing where the mesh decides.
static std::optional<int64_t> groupSize(DenseIntElementsAttr groups) {
  if (!groups || groups.getType().getRank() != 2)
    return std::nullopt;
  return groups.getType().getDimSize(1);
}

// Constraints 1 and 2 of every op with groups.
template <typename Op>
static LogicalResult checkGroups(const ShapeChecks &checks, Op op) {
  if (bool(op.getMeshAttr()) != bool(op.getAxesAttr()) ||
      bool(op.getAxesAttr()) == bool(op.getGroupsAttr()))
    return checks.fail("devices",
                       op.getAxesAttr() ? "axes and groups" : "neither",
                       "axes of a mesh or groups", 1);
  auto groups = dyn_cast_or_null<DenseIntElementsAttr>(op.getGroupsAttr());
  if (!groups)
    return op.getGroupsAttr()
               ? checks.fail("groups", "no dense table", "a dense table", 2)
               : success();
  if (groups.getType().getRank() != 2)
    return checks.count("rank of groups", groups.getType().getRank(), 2, 2);
  llvm::SmallDenseSet<int64_t> seen;
  for (APInt id : groups) {
    int64_t device = id.getSExtValue();
    if (device < -1 || (device >= 0 && !seen.insert(device).second))
      return checks.fail("groups", Twine(device),
                         "distinct devices, and -1 to fill rows up", 2);
  }
  return success();
}

// One kind, or one region of two scalars that folds each operand.
template <typename Op>
static LogicalResult checkFold(const ShapeChecks &checks, Op op,
                               ValueRange inputs, unsigned constraint,
                               unsigned kindConstraint) {
  if (bool(op.getKindAttr()) == !op.getBody().empty() ||
      op.getBody().size() > 1)
    return checks.fail("fold",
                       op.getKindAttr() ? "a kind and a region" : "neither",
                       "a kind or a region", constraint);
  for (Value input : inputs) {
    if (op.getKindAttr()) {
      if (failed(checkReduceKind(checks, *op.getKind(),
                                 tensorType(input).getElementType(),
                                 kindConstraint)))
        return failure();
    } else if (failed(checkReduceRegion(checks, op.getBody().front(),
                                        input.getType(), constraint))) {
      return failure();
    }
  }
  return success();
}

static LogicalResult checkSameTypes(const ShapeChecks &checks, Operation *op,
                                    unsigned constraint) {
  if (failed(checks.count("results", op->getNumResults(), op->getNumOperands(),
                          constraint)))
    return failure();
  for (auto [i, types] : llvm::enumerate(
           llvm::zip_equal(op->getResultTypes(), op->getOperandTypes())))
    if (failed(checks.compatible("result " + Twine(i), std::get<0>(types),
                                 std::get<1>(types), constraint)))
      return failure();
  return success();
}

/// `type` with dimension `dim` replaced.
static RankedTensorType withSize(RankedTensorType type, int64_t dim,
                                 int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  return RankedTensorType::get(shape, type.getElementType());
}

/// The static sizes of a result; those of its operand elsewhere.
static DimVector ownDims(Value result, Value operand, DimAnalysis &analysis) {
  DimVector dims = analysis.dimsOf(operand);
  for (auto [dim, size] : llvm::enumerate(tensorType(result).getShape()))
    if (!ShapedType::isDynamic(size))
      dims[dim] = size;
  return dims;
}

LogicalResult AllReduceOp::verify() {
  ShapeChecks checks(*this);
  // all_reduce_c1 to all_reduce_c5
  if (failed(checkGroups(checks, *this)) ||
      failed(checkFold(checks, *this, getInputs(), 3, 5)))
    return failure();
  return checkSameTypes(checks, *this, 4);
}

DimVector AllReduceOp::resultDims(unsigned result, DimAnalysis &analysis) {
  return ownDims(getResult(result), getInputs()[result], analysis);
}

LogicalResult AllGatherOp::verify() {
  ShapeChecks checks(*this);
  // all_gather_c1 to all_gather_c4
  if (failed(checkGroups(checks, *this)) ||
      failed(checks.count("results", getNumResults(), getInputs().size(), 4)))
    return failure();
  for (auto [input, result] : llvm::zip_equal(getInputs(), getResults())) {
    RankedTensorType from = tensorType(input), to = tensorType(result);
    if (failed(checks.inRange("dim", getDim(), 0, from.getRank(), 3)))
      return failure();
    int64_t own = from.getDimSize(getDim()),
            all = to.getRank() == from.getRank() ? to.getDimSize(getDim()) : 0;
    if (std::optional<int64_t> size =
            groupSize(cast_or_null<DenseIntElementsAttr>(getGroupsAttr())))
      all = own * *size;
    else if (all < own || (own > 0 && all % own != 0))
      return checks.fail("result dimension " + Twine(getDim()), Twine(all),
                         "a multiple of " + Twine(own), 4);
    if (failed(
            checks.compatible("result", to, withSize(from, getDim(), all), 4)))
      return failure();
  }
  return success();
}

DimVector AllGatherOp::resultDims(unsigned result, DimAnalysis &analysis) {
  return ownDims(getResult(result), getInputs()[result], analysis);
}

LogicalResult ReduceScatterOp::verify() {
  ShapeChecks checks(*this);
  RankedTensorType from = tensorType(getInput()), to = tensorType(getResult());
  // reduce_scatter_c1 to reduce_scatter_c6
  if (failed(checkGroups(checks, *this)) ||
      failed(checkFold(checks, *this, getInput(), 3, 6)) ||
      failed(checks.inRange("dim", getDim(), 0, from.getRank(), 4)))
    return failure();
  int64_t whole = from.getDimSize(getDim()),
          part = to.getRank() == from.getRank() ? to.getDimSize(getDim()) : 0;
  std::optional<int64_t> size =
      groupSize(cast_or_null<DenseIntElementsAttr>(getGroupsAttr()));
  if (size ? part * *size != whole : part > 0 && whole % part != 0)
    return checks.fail("result dimension " + Twine(getDim()), Twine(part),
                       "a part of " + Twine(whole), 5);
  return checks.compatible("result", to, withSize(from, getDim(), part), 5);
}

DimVector ReduceScatterOp::resultDims(unsigned, DimAnalysis &analysis) {
  return ownDims(getResult(), getInput(), analysis);
}

LogicalResult AllToAllOp::verify() {
  ShapeChecks checks(*this);
  // all_to_all_c1, all_to_all_c2
  if (failed(checkGroups(checks, *this)) ||
      failed(checks.count("results", getNumResults(), getInputs().size(), 5)))
    return failure();
  int64_t count = getCount(), split = getSplit(), concat = getConcat();
  for (auto [input, result] : llvm::zip_equal(getInputs(), getResults())) {
    RankedTensorType from = tensorType(input);
    // all_to_all_c3
    if (failed(checks.inRange("split", split, 0, from.getRank(), 3)) ||
        failed(checks.inRange("concat", concat, 0, from.getRank(), 3)))
      return failure();
    // all_to_all_c4
    std::optional<int64_t> size =
        groupSize(cast_or_null<DenseIntElementsAttr>(getGroupsAttr()));
    if (count < 1 || (size && *size != count) ||
        from.getDimSize(split) % count != 0)
      return checks.fail("count", Twine(count),
                         "the devices of a group, a divisor of " +
                             Twine(from.getDimSize(split)),
                         4);
    RankedTensorType parts =
        withSize(from, split, from.getDimSize(split) / count);
    // all_to_all_c5
    if (failed(checks.compatible(
            "result", result.getType(),
            withSize(parts, concat, parts.getDimSize(concat) * count), 5)))
      return failure();
  }
  return success();
}

DimVector AllToAllOp::resultDims(unsigned result, DimAnalysis &analysis) {
  return ownDims(getResult(result), getInputs()[result], analysis);
}

LogicalResult CollectivePermuteOp::verify() {
  ShapeChecks checks(*this);
  auto pairs = dyn_cast<DenseIntElementsAttr>(getPairs());
  // collective_permute_c1
  if (!pairs || pairs.getType().getRank() != 2 ||
      pairs.getType().getDimSize(1) != 2)
    return checks.fail("pairs", typeText(getPairs().getShapedType()),
                       "rows of two", 1);
  // collective_permute_c2
  llvm::SmallDenseSet<int64_t> sides[2];
  for (auto [i, id] : llvm::enumerate(pairs.getValues<int64_t>()))
    if (id < 0 || !sides[i % 2].insert(id).second)
      return checks.fail(i % 2 ? "targets" : "sources", Twine(id),
                         "distinct devices", 2);
  if (bool(getMeshAttr()) != bool(getAxesAttr()))
    return checks.fail("axes", "no mesh", "a mesh with its axes", 1);
  // collective_permute_c3
  return checks.compatible("result", getResult().getType(),
                           getInput().getType(), 3);
}

DimVector CollectivePermuteOp::resultDims(unsigned, DimAnalysis &analysis) {
  return ownDims(getResult(), getInput(), analysis);
}

LogicalResult CollectiveBroadcastOp::verify() {
  ShapeChecks checks(*this);
  // collective_broadcast_c1, collective_broadcast_c2, collective_broadcast_c4
  if (failed(checkGroups(checks, *this)) ||
      failed(checks.atLeast("source", int64_t(getSource()), 0, 4)))
    return failure();
  // collective_broadcast_c3
  return checkSameTypes(checks, *this, 3);
}

DimVector CollectiveBroadcastOp::resultDims(unsigned result,
                                            DimAnalysis &analysis) {
  return ownDims(getResult(result), getInputs()[result], analysis);
}

LogicalResult AxisIndexOp::verify() {
  ShapeChecks checks(*this);
  // axis_index_c1, axis_index_c2
  if (failed(checkGroups(checks, *this)))
    return failure();
  // axis_index_c3
  return checks.count("rank of the result", tensorType(getResult()).getRank(),
                      0, 3);
}

DimVector AxisIndexOp::resultDims(unsigned, DimAnalysis &) { return {}; }

} // namespace zenith::graph
