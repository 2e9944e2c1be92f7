// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares constants with the neutral element of a reduction.

#include "passes/raise/NeutralElement.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::raise {

static bool isNeutralFloat(ReduceKind kind, const APFloat &value) {
  switch (kind) {
  case ReduceKind::sum:
    return value.isZero();
  case ReduceKind::prod:
    return value.isExactlyValue(1.0);
  case ReduceKind::max:
    return value.isInfinity() && value.isNegative();
  case ReduceKind::min:
    return value.isInfinity() && !value.isNegative();
  default:
    return false;
  }
}

static bool isNeutralInteger(ReduceKind kind, const APInt &value,
                             bool isUnsigned) {
  switch (kind) {
  case ReduceKind::sum:
  case ReduceKind::any:
  case ReduceKind::parity:
    return value.isZero();
  case ReduceKind::prod:
    return value.isOne();
  case ReduceKind::all:
    return value.isAllOnes();
  case ReduceKind::max:
    return isUnsigned ? value.isZero() : value.isMinSignedValue();
  case ReduceKind::min:
    return isUnsigned ? value.isAllOnes() : value.isMaxSignedValue();
  }
  return false;
}

bool isNeutral(ReduceKind kind, Value init) {
  auto constant = init.getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                           : DenseElementsAttr();
  if (!elements || !elements.isSplat())
    return false;
  Type type = elements.getElementType();
  if (isa<FloatType>(type))
    return isNeutralFloat(kind, elements.getSplatValue<APFloat>());
  if (auto complex = dyn_cast<ComplexType>(type)) {
    auto value = elements.getSplatValue<std::complex<APFloat>>();
    return value.imag().isZero() && isNeutralFloat(kind, value.real());
  }
  return isNeutralInteger(kind, elements.getSplatValue<APInt>(),
                          type.isUnsignedInteger() || type.isInteger(1));
}

} // namespace zenith::raise
