// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and dimensions of branches, loops and what has an order or a name.

#include "ir/matchers/LapackCalls.h"
#include "ir/ops/OpInference.h"
#include "ir/ops/RegionChecks.h"

using namespace mlir;

namespace zenith::graph {

static LogicalResult checkBooleanScalar(const ShapeChecks &checks, Value value,
                                        unsigned constraint) {
  auto boolean =
      RankedTensorType::get({}, IntegerType::get(value.getContext(), 1));
  return checks.sameType("condition", value.getType(), boolean, constraint);
}

static LogicalResult checkBranch(const ShapeChecks &checks, Region &region,
                                 std::string name, TypeRange results) {
  // if_c2, case_c2
  RegionChecks branch{checks, region, std::move(name), 2};
  return failed(branch.arguments({})) ? failure()
                                      : branch.yieldsAtLeast(results);
}

LogicalResult IfOp::verify() {
  ShapeChecks checks(*this);
  // if_c1
  if (failed(checkBooleanScalar(checks, getCondition(), 1)) ||
      failed(checkBranch(checks, getThenRegion(), "then region",
                         getResultTypes())))
    return failure();
  return checkBranch(checks, getElseRegion(), "else region", getResultTypes());
}

DimVector IfOp::resultDims(unsigned result, DimAnalysis &analysis) {
  return analysis.dimsOf(getResult(result));
}

LogicalResult CaseOp::verify() {
  ShapeChecks checks(*this);
  RankedTensorType index = tensorType(getIndex());
  // case_c1
  if (index.getRank() != 0 || (!index.getElementType().isSignlessInteger(32) &&
                               !index.getElementType().isSignlessInteger(64)))
    return checks.fail("index", typeText(index), "an i32 or i64 scalar", 1);
  if (getBranches().empty())
    return checks.fail("number of regions", "0", "at least 1", 1);
  for (auto [i, region] : llvm::enumerate(getBranches()))
    if (failed(checkBranch(checks, region, "region " + std::to_string(i),
                           getResultTypes())))
      return failure();
  return success();
}

DimVector CaseOp::resultDims(unsigned result, DimAnalysis &analysis) {
  return analysis.dimsOf(getResult(result));
}

LogicalResult WhileOp::verify() {
  ShapeChecks checks(*this);
  RegionChecks condition{checks, getCondition(), "condition", 1},
      body{checks, getBody(), "body", 1};
  // while_c1
  if (failed(condition.arguments(getResultTypes())) ||
      failed(body.arguments(getResultTypes())))
    return failure();
  // while_c2
  if (failed(checks.count("number of initial values", getInits().size(),
                          getNumResults(), 2)))
    return failure();
  for (auto [i, init] : llvm::enumerate(getInits()))
    if (Type type = getResult(i).getType(); !generalizes(type, init.getType()))
      return checks.fail("initial value " + Twine(i), typeText(init.getType()),
                         typeText(type), 2);
  // while_c3
  condition.constraint = 3;
  Type boolean = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  if (failed(condition.yields(boolean)))
    return failure();
  // while_c4
  body.constraint = 4;
  return body.yieldsAtLeast(getResultTypes());
}

DimVector WhileOp::resultDims(unsigned result, DimAnalysis &analysis) {
  return analysis.dimsOf(getResult(result));
}

LogicalResult BarrierOp::verify() {
  ShapeChecks checks(*this);
  // barrier_c1
  if (failed(checks.count("number of results", getNumResults(),
                          getInputs().size(), 1)))
    return failure();
  for (auto [i, input] : llvm::enumerate(getInputs()))
    if (failed(checks.sameType("result " + Twine(i), getResult(i).getType(),
                               input.getType(), 1)))
      return failure();
  return success();
}

DimVector BarrierOp::resultDims(unsigned result, DimAnalysis &analysis) {
  return analysis.dimsOf(getInputs()[result]);
}

DimVector StopGradientOp::resultDims(unsigned, DimAnalysis &analysis) {
  return analysis.dimsOf(getOperand());
}

LogicalResult HostReadOp::verify() {
  // host_read_c1
  if (Type type = getInput().getType(); tensorType(getInput()).getRank() != 0)
    return ShapeChecks(*this).fail("operand", typeText(type),
                                   "an integer scalar", 1);
  return success();
}

DimVector HostReadOp::resultDims(unsigned, DimAnalysis &) { return {}; }

LogicalResult AssertOp::verify() {
  ShapeChecks checks(*this);
  // assert_c1
  if (failed(checkBooleanScalar(checks, getCondition(), 1)))
    return failure();
  // assert_c2
  for (auto [i, detail] : llvm::enumerate(getDetails()))
    if (tensorType(detail).getRank() != 0)
      return checks.fail("detail " + Twine(i), typeText(detail.getType()),
                         "an integer scalar", 2);
  return success();
}

DimVector AssertOp::resultDims(unsigned, DimAnalysis &) { return {}; }

LogicalResult CustomCallOp::verify() {
  // custom_call_c1
  if (getTarget().empty())
    return ShapeChecks(*this).fail("target", "\"\"", "a name", 1);
  return success();
}

DimVector CustomCallOp::resultDims(unsigned result, DimAnalysis &analysis) {
  std::vector<DimVector> operands;
  for (Value input : getInputs())
    operands.push_back(analysis.dimsOf(input));
  llvm::Expected<LapackCall> call = lapackCall(*this, operands);
  if (call)
    return call->resultDims[result];
  llvm::consumeError(call.takeError());
  DimVector dims;
  for (int64_t size : tensorType(getResult(result)).getShape())
    dims.push_back(ShapedType::isDynamic(size) ? analysis.freshSymbol()
                                               : DimExpr(size));
  return dims;
}

} // namespace zenith::graph
