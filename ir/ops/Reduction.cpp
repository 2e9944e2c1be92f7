// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers, types and dimensions of the reduction family.

#include "ir/GraphOps.h"
#include "ir/OpRegistration.h"
#include "ir/OpSyntax.h"
#include "ir/dims/WindowShapes.h"
#include "ir/ops/OpInference.h"
#include "ir/ops/RegionChecks.h"
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

LogicalResult checkReduceKind(const ShapeChecks &checks, ReduceKind kind,
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
      failed(
          checkReduceKind(checks, op.getKind(), operand.getElementType(), 2)))
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
static LogicalResult checkWindow(const ShapeChecks &checks, Op op,
                                 int64_t rank) {
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
    if (failed(checks.count("entries of " + Twine(name), list.size(), rank, 1)))
      return failure();
  for (auto [name, list] : llvm::ArrayRef(lists).take_front(4))
    if (failed(checks.atLeast(name, list, 1, 2)))
      return failure();
  return success();
}

template <typename Op>
static SmallVector<int64_t> windowedShape(Op op, RankedTensorType operand) {
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < operand.getRank(); ++dim)
    shape.push_back(windowedSize(operand.getDimSize(dim), windowOf(op, dim)));
  return shape;
}

template <typename Op>
static FailureOr<RankedTensorType> reduceWindowType(ShapeChecks &checks,
                                                    Op op) {
  RankedTensorType operand = tensorType(op.getOperand());
  // reduce_window_c3
  if (failed(checkWindow(checks, op, operand.getRank())) ||
      failed(
          checkReduceKind(checks, op.getKind(), operand.getElementType(), 3)))
    return failure();
  return RankedTensorType::get(windowedShape(op, operand),
                               operand.getElementType());
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

/// Operands have one shape, each init is a scalar of its operand's element
/// type, and there are as many results.
template <typename Op>
static LogicalResult checkReduced(const ShapeChecks &checks, Op op,
                                  unsigned constraint) {
  if (failed(checkOneShape(checks, "operand", op.getInputs(), constraint)))
    return failure();
  SmallVector<Type> scalars = scalarsOf(op.getInputs().getTypes());
  for (auto [i, init] : llvm::enumerate(op.getInits()))
    if (failed(checks.sameType("init " + Twine(i), init.getType(), scalars[i],
                               constraint)))
      return failure();
  return success();
}

template <typename Op>
static LogicalResult checkReduceResults(const ShapeChecks &checks, Op op,
                                        ArrayRef<int64_t> shape) {
  // reduce_with_c4, reduce_window_with_c4
  if (failed(checks.count("number of results", op.getNumResults(),
                          op.getInputs().size(), 4)))
    return failure();
  for (auto [i, input] : llvm::enumerate(op.getInputs()))
    if (failed(checks.compatible(
            "result " + Twine(i), op.getResult(i).getType(),
            RankedTensorType::get(shape, tensorType(input).getElementType()),
            4)))
      return failure();
  return success();
}

LogicalResult ReduceWithOp::verify() {
  ShapeChecks checks(*this);
  // reduce_with_c2
  if (failed(checkReduced(checks, *this, 2)))
    return failure();
  RankedTensorType operand = tensorType(getInputs()[0]);
  // reduce_with_c1, reduce_with_c3
  if (failed(
          checks.ascendingInRange("dims", getDims(), operand.getRank(), 1)) ||
      failed(checkReduceRegion(checks, getBody(), getInputs().getTypes(), 3)))
    return failure();
  return checkReduceResults(checks, *this, shapeWithout(operand, getDims()));
}

DimVector ReduceWithOp::resultDims(unsigned result, DimAnalysis &analysis) {
  return dimsWithout(analysis.dimsOf(getInputs()[result]), getDims());
}

LogicalResult ReduceWindowWithOp::verify() {
  ShapeChecks checks(*this);
  // reduce_window_with_c3
  if (failed(checkReduced(checks, *this, 3)))
    return failure();
  RankedTensorType operand = tensorType(getInputs()[0]);
  // reduce_window_with_c1, reduce_window_with_c2, reduce_window_with_c3
  if (failed(checkWindow(checks, *this, operand.getRank())) ||
      failed(checkReduceRegion(checks, getBody(), getInputs().getTypes(), 3)))
    return failure();
  return checkReduceResults(checks, *this, windowedShape(*this, operand));
}

DimVector ReduceWindowWithOp::resultDims(unsigned result,
                                         DimAnalysis &analysis) {
  DimVector dims = analysis.dimsOf(getInputs()[result]);
  for (unsigned dim = 0; dim < dims.size(); ++dim)
    dims[dim] = windowedSize(dims[dim], windowOf(*this, dim));
  return dims;
}

LogicalResult CumulativeOp::verify() {
  ShapeChecks checks(*this);
  RankedTensorType operand = tensorType(getOperand());
  // cumulative_c1, cumulative_c2
  if (failed(checks.inRange("dim", getDim(), 0, operand.getRank(), 1)))
    return failure();
  return checkReduceKind(checks, getKind(), operand.getElementType(), 2);
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
