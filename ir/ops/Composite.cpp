// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers, types and dimensions of the composite family.

#include "ir/GraphOps.h"
#include "ir/OpRegistration.h"
#include "ir/OpSyntax.h"
#include "ir/ops/OpInference.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "ir/Composite.cpp.inc"

namespace zenith::graph {

void insertCompositeOps(Dialect &dialect) {
  insertOps<
#define GET_OP_LIST
#include "ir/Composite.cpp.inc"
      >(dialect);
}

// softmax_c1
LogicalResult SoftmaxOp::verify() {
  return ShapeChecks(*this).ascendingInRange(
      "dims", getDims(), tensorType(getOperand()).getRank(), 1);
}
DimVector SoftmaxOp::resultDims(unsigned, DimAnalysis &analysis) {
  return analysis.dimsOf(getOperand());
}

// log_softmax_c1
LogicalResult LogSoftmaxOp::verify() {
  return ShapeChecks(*this).ascendingInRange(
      "dims", getDims(), tensorType(getOperand()).getRank(), 1);
}
DimVector LogSoftmaxOp::resultDims(unsigned, DimAnalysis &analysis) {
  return analysis.dimsOf(getOperand());
}

/// Checks that `value` holds one number for each position of the operand's
/// dimensions from `axis` on.
static LogicalResult checkTrailing(const ShapeChecks &checks, const char *name,
                                   Value value, RankedTensorType operand,
                                   int64_t axis) {
  if (!value)
    return success();
  auto expected = RankedTensorType::get(operand.getShape().drop_front(axis),
                                        operand.getElementType());
  return checks.compatible(name, value.getType(), expected, 2);
}

template <typename Op>
static FailureOr<RankedTensorType> layerNormType(ShapeChecks &checks, Op op) {
  RankedTensorType operand = tensorType(op.getOperand());
  int64_t axis = op.getAxis();
  // layer_norm_c1
  if (failed(checks.inRange("axis", axis, 0, operand.getRank(), 1)))
    return failure();
  // layer_norm_c2
  if (op.getBias() && !op.getScale()) {
    (void)checks.fail("bias", "no scale", "a scale", 2);
    return failure();
  }
  if (failed(checkTrailing(checks, "scale", op.getScale(), operand, axis)) ||
      failed(checkTrailing(checks, "bias", op.getBias(), operand, axis)))
    return failure();
  return operand;
}

ZENITH_INFER_WITH(LayerNormOp, layerNormType)

LogicalResult LayerNormOp::verify() {
  ShapeChecks checks(*this);
  auto expected = layerNormType(checks, *this);
  // layer_norm_c3
  return failed(expected)
             ? failure()
             : checks.compatible("result", getType(), *expected, 3);
}
DimVector LayerNormOp::resultDims(unsigned, DimAnalysis &analysis) {
  return analysis.dimsOf(getOperand());
}

template <typename Op>
static FailureOr<RankedTensorType> rmsNormType(ShapeChecks &checks, Op op) {
  RankedTensorType operand = tensorType(op.getOperand());
  int64_t axis = op.getAxis();
  // rms_norm_c1, rms_norm_c2
  if (failed(checks.inRange("axis", axis, 0, operand.getRank(), 1)) ||
      failed(checkTrailing(checks, "scale", op.getScale(), operand, axis)))
    return failure();
  return operand;
}

ZENITH_INFER_WITH(RmsNormOp, rmsNormType)

LogicalResult RmsNormOp::verify() {
  ShapeChecks checks(*this);
  auto expected = rmsNormType(checks, *this);
  // rms_norm_c3
  return failed(expected)
             ? failure()
             : checks.compatible("result", getType(), *expected, 3);
}
DimVector RmsNormOp::resultDims(unsigned, DimAnalysis &analysis) {
  return analysis.dimsOf(getOperand());
}

template <typename Op>
static FailureOr<RankedTensorType> batchNormType(ShapeChecks &checks, Op op) {
  RankedTensorType operand = tensorType(op.getOperand());
  int64_t dim = op.getDim();
  // batch_norm_c1
  if (failed(checks.inRange("dim", dim, 0, operand.getRank(), 1)))
    return failure();
  // batch_norm_c2
  auto expected = RankedTensorType::get({operand.getDimSize(dim)},
                                        operand.getElementType());
  std::pair<const char *, Value> vectors[] = {{"scale", op.getScale()},
                                              {"bias", op.getBias()},
                                              {"mean", op.getMean()},
                                              {"variance", op.getVariance()}};
  for (auto [name, vector] : vectors)
    if (failed(checks.compatible(name, vector.getType(), expected, 2)))
      return failure();
  return operand;
}

ZENITH_INFER_WITH(BatchNormOp, batchNormType)

LogicalResult BatchNormOp::verify() {
  ShapeChecks checks(*this);
  auto expected = batchNormType(checks, *this);
  // batch_norm_c3
  return failed(expected)
             ? failure()
             : checks.compatible("result", getType(), *expected, 3);
}
DimVector BatchNormOp::resultDims(unsigned, DimAnalysis &analysis) {
  return analysis.dimsOf(getOperand());
}

LogicalResult GeluOp::verify() { return success(); }
DimVector GeluOp::resultDims(unsigned, DimAnalysis &analysis) {
  return analysis.dimsOf(getOperand());
}

template <typename Op>
static FailureOr<RankedTensorType> attentionType(ShapeChecks &checks, Op op) {
  RankedTensorType query = tensorType(op.getQuery()),
                   key = tensorType(op.getKey()),
                   value = tensorType(op.getValue());
  SmallVector<std::pair<const char *, RankedTensorType>> all{
      {"query", query}, {"key", key}, {"value", value}};
  if (op.getMask())
    all.emplace_back("mask", tensorType(op.getMask()));
  int64_t rank = query.getRank(), leading = rank - 2;
  // attention_c1
  for (auto [name, type] : all)
    if (type.getRank() != rank || rank < 2) {
      (void)checks.fail(name, "rank " + Twine(type.getRank()),
                        "rank " + Twine(std::max<int64_t>(rank, 2)), 1);
      return failure();
    }
  // attention_c2, attention_c5
  for (auto [name, type] : all) {
    for (int64_t dim = 0; dim < leading; ++dim)
      if (failed(checks.sameSize(Twine(name) + " dimension " + Twine(dim),
                                 type.getDimSize(dim), query.getDimSize(dim),
                                 2)))
        return failure();
    bool isFlags = type.getElementType().isInteger(1);
    if (!isFlags && failed(checks.sameType(Twine(name) + " element type",
                                           type.getElementType(),
                                           query.getElementType(), 5)))
      return failure();
  }
  // attention_c3
  if (failed(checks.sameSize("last dimension of key", key.getDimSize(rank - 1),
                             query.getDimSize(rank - 1), 3)) ||
      failed(checks.sameSize("rows of value", value.getDimSize(leading),
                             key.getDimSize(leading), 3)))
    return failure();
  // attention_c4
  if (op.getMask()) {
    RankedTensorType mask = all.back().second;
    if (failed(checks.sameSize("rows of mask", mask.getDimSize(leading),
                               query.getDimSize(leading), 4)) ||
        failed(checks.sameSize("columns of mask", mask.getDimSize(rank - 1),
                               key.getDimSize(leading), 4)))
      return failure();
  }
  SmallVector<int64_t> shape(query.getShape());
  shape.back() = value.getDimSize(rank - 1);
  return RankedTensorType::get(shape, query.getElementType());
}

ZENITH_INFER_WITH(AttentionOp, attentionType)

LogicalResult AttentionOp::verify() {
  ShapeChecks checks(*this);
  auto expected = attentionType(checks, *this);
  // attention_c7
  bool hasFlags =
      getMask() && tensorType(getMask()).getElementType().isInteger(1);
  if (getRemoved() && !hasFlags)
    return checks.fail("removed", "no mask of i1", "one", 7);
  // attention_c6
  return failed(expected)
             ? failure()
             : checks.compatible("result", getType(), *expected, 6);
}

DimVector AttentionOp::resultDims(unsigned, DimAnalysis &analysis) {
  DimVector result = analysis.dimsOf(getQuery());
  result.back() = analysis.dimsOf(getValue()).back();
  return result;
}

} // namespace zenith::graph
