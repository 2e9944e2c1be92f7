// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers, types and dimensions of the reduction family.

#include "ir/GraphOps.h"
#include "ir/OpInference.h"
#include "ir/OpRegistration.h"
#include "ir/OpSyntax.h"
#include "ir/WindowShapes.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "ir/Reduction.cpp.inc"

namespace zenith::graph {

void insertReductionOps(Dialect &dialect) {
  insertOps<
#define GET_OP_LIST
#include "ir/Reduction.cpp.inc"
      >(dialect);
}

static LogicalResult checkKind(const ShapeChecks &checks, ReduceKind kind,
                               Type element, unsigned constraint) {
  bool fits = false;
  std::string expected;
  switch (kind) {
  case ReduceKind::sum:
  case ReduceKind::prod:
    fits = !element.isInteger(1);
    expected = "numbers";
    break;
  case ReduceKind::max:
  case ReduceKind::min:
    fits = !isa<ComplexType>(element);
    expected = "ordered elements";
    break;
  case ReduceKind::all:
  case ReduceKind::any:
  case ReduceKind::parity:
    fits = isa<IntegerType>(element);
    expected = "integers or booleans";
    break;
  }
  if (fits)
    return success();
  return checks.fail(stringifyEnum(kind), typeText(element), expected,
                     constraint);
}

static SmallVector<int64_t> shapeWithout(RankedTensorType type,
                                         ArrayRef<int64_t> dims) {
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!llvm::is_contained(dims, dim))
      shape.push_back(type.getDimSize(dim));
  return shape;
}

static DimVector dimsWithout(const DimVector &all, ArrayRef<int64_t> dims) {
  DimVector result;
  for (int64_t dim = 0; dim < int64_t(all.size()); ++dim)
    if (!llvm::is_contained(dims, dim))
      result.push_back(all[dim]);
  return result;
}

template <typename Op>
static FailureOr<RankedTensorType> reduceType(ShapeChecks &checks, Op op) {
  RankedTensorType operand = tensorType(op.getOperand());
  // reduce_c1, reduce_c2
  if (failed(checks.ascendingInRange("dims", op.getDims(), operand.getRank(),
                                     1)) ||
      failed(checkKind(checks, op.getKind(), operand.getElementType(), 2)))
    return failure();
  return RankedTensorType::get(shapeWithout(operand, op.getDims()),
                               operand.getElementType());
}

ZENITH_INFER_WITH(ReduceOp, reduceType)

LogicalResult ReduceOp::verify() {
  ShapeChecks checks(*this);
  auto expected = reduceType(checks, *this);
  // reduce_c3
  return failed(expected)
             ? failure()
             : checks.compatible("result", getType(), *expected, 3);
}

DimVector ReduceOp::resultDims(unsigned, DimAnalysis &analysis) {
  return dimsWithout(analysis.dimsOf(getOperand()), getDims());
}

LogicalResult ArgReduceOp::verify() {
  ShapeChecks checks(*this);
  RankedTensorType operand = tensorType(getOperand());
  int64_t dim = getDim();
  // arg_reduce_c1
  if (failed(checks.inRange("dim", dim, 0, operand.getRank(), 1)))
    return failure();
  // arg_reduce_c2
  if (getKind() != ReduceKind::max && getKind() != ReduceKind::min)
    return checks.fail("kind", stringifyEnum(getKind()), "max or min", 2);
  // arg_reduce_c3
  auto expected = RankedTensorType::get(
      shapeWithout(operand, dim), tensorType(getResult()).getElementType());
  return checks.compatible("result", getType(), expected, 3);
}

DimVector ArgReduceOp::resultDims(unsigned, DimAnalysis &analysis) {
  return dimsWithout(analysis.dimsOf(getOperand()), {int64_t(getDim())});
}

template <typename Op> static WindowDim windowOf(Op op, unsigned dim) {
  WindowDim window;
  window.size = op.getWindow()[dim];
  window.stride = op.getStrides()[dim];
  window.low = op.getLow()[dim];
  window.high = op.getHigh()[dim];
  window.baseDilation = op.getBaseDilation()[dim];
  window.dilation = op.getDilation()[dim];
  return window;
}

template <typename Op>
static FailureOr<RankedTensorType> reduceWindowType(ShapeChecks &checks,
                                                    Op op) {
  RankedTensorType operand = tensorType(op.getOperand());
  std::pair<const char *, ArrayRef<int64_t>> lists[] = {
      {"window", op.getWindow()},
      {"strides", op.getStrides()},
      {"base_dilation", op.getBaseDilation()},
      {"dilation", op.getDilation()},
      {"low", op.getLow()},
      {"high", op.getHigh()}};
  // reduce_window_c1, reduce_window_c2: all lists but the padding, which may be
  // negative
  for (auto [name, list] : lists)
    if (failed(checks.count("entries of " + Twine(name), list.size(),
                            operand.getRank(), 1)))
      return failure();
  for (auto [name, list] : llvm::ArrayRef(lists).take_front(4))
    if (failed(checks.atLeast(name, list, 1, 2)))
      return failure();
  // reduce_window_c3
  if (failed(checkKind(checks, op.getKind(), operand.getElementType(), 3)))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < operand.getRank(); ++dim)
    shape.push_back(windowedSize(operand.getDimSize(dim), windowOf(op, dim)));
  return RankedTensorType::get(shape, operand.getElementType());
}

ZENITH_INFER_WITH(ReduceWindowOp, reduceWindowType)

LogicalResult ReduceWindowOp::verify() {
  ShapeChecks checks(*this);
  auto expected = reduceWindowType(checks, *this);
  // reduce_window_c4
  return failed(expected)
             ? failure()
             : checks.compatible("result", getType(), *expected, 4);
}

DimVector ReduceWindowOp::resultDims(unsigned, DimAnalysis &analysis) {
  DimVector result = analysis.dimsOf(getOperand());
  for (unsigned dim = 0; dim < result.size(); ++dim)
    result[dim] = windowedSize(result[dim], windowOf(*this, dim));
  return result;
}

LogicalResult CumulativeOp::verify() {
  ShapeChecks checks(*this);
  RankedTensorType operand = tensorType(getOperand());
  // cumulative_c1, cumulative_c2
  if (failed(checks.inRange("dim", getDim(), 0, operand.getRank(), 1)))
    return failure();
  return checkKind(checks, getKind(), operand.getElementType(), 2);
}

DimVector CumulativeOp::resultDims(unsigned, DimAnalysis &analysis) {
  return analysis.dimsOf(getOperand());
}

OpFoldResult ReduceOp::fold(FoldAdaptor) {
  return getDims().empty() && getOperand().getType() == getType()
             ? OpFoldResult(getOperand())
             : OpFoldResult();
}

} // namespace zenith::graph
