// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbolic shape inference: keeps the dimensions and scalars that are known
// already; what they are made of is asked of the ops (DimRules.cpp).

#include "ir/DimAnalysis.h"
#include "ir/DimLimits.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace zenith::graph {

DimExpr DimAnalysis::freshSymbol() {
  return DimExpr::symbol("%" + std::to_string(fresh++));
}
DimExpr DimAnalysis::freshScalar() {
  return DimExpr::symbol("%i" + std::to_string(fresh++));
}

const DimVector &DimAnalysis::dimsOf(Value value) {
  if (auto found = dims.find(value); found != dims.end())
    return *found->second;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  auto result = std::make_unique<DimVector>();
  if (type && type.hasStaticShape()) {
    result->assign(type.getShape().begin(), type.getShape().end());
  } else if (type) {
    settleOperands(value);
    *result = computeDims(value);
  }
  return *(dims[value] = std::move(result));
}

DimExpr DimAnalysis::elementCount(Value value) {
  DimExpr count(1);
  for (const DimExpr &dim : dimsOf(value)) {
    if (count.terms().size() * dim.terms().size() > termLimit)
      return freshSymbol();
    count = count * dim;
  }
  return count;
}

DimExpr DimAnalysis::scalar(Value value) {
  if (auto found = scalars.find(value); found != scalars.end())
    return *found->second;
  std::optional<DimExpr> result;
  if (isIntegerScalar(value.getType())) {
    settleOperands(value);
    result = withinLimits(computeScalar(value));
  }
  auto &entry = scalars[value];
  entry = std::make_unique<DimExpr>(result ? *result : freshScalar());
  return *entry;
}

DimExpr DimAnalysis::element(Value value, int64_t index) {
  auto key = std::make_pair(value, index);
  if (auto found = elements.find(key); found != elements.end())
    return *found->second;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  std::optional<DimExpr> result;
  if (type && type.getRank() == 1 && type.getElementType().isInteger() &&
      index >= 0)
    result = withinLimits(computeElement(value, index));
  auto &entry = elements[key];
  entry = std::make_unique<DimExpr>(result ? *result : freshScalar());
  return *entry;
}

DimVector dimsFromOperands(Type type, ValueRange operands,
                           DimAnalysis &analysis) {
  DimVector result;
  unsigned next = 0;
  for (int64_t size : cast<RankedTensorType>(type).getShape()) {
    if (!ShapedType::isDynamic(size))
      result.push_back(size);
    else
      result.push_back(next < operands.size()
                           ? analysis.scalar(operands[next++])
                           : analysis.freshSymbol());
  }
  return result;
}

} // namespace zenith::graph
