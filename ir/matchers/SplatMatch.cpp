// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks through movement for parameters, and takes products apart.

#include "ir/matchers/SplatMatch.h"
#include <cmath>

using namespace mlir;
using namespace zenith::graph;

namespace zenith::cleanup {

bool isNear(std::optional<double> value, double expected) {
  return value && std::abs(*value - expected) <= 1e-5 * std::abs(expected);
}

bool isParameter(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<GetParamOp, ConstantOp>(op))
      return true;
    if (!isa<ReshapeOp, TransposeOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

SmallVector<Value> dynamicDimsOf(OpBuilder &builder, Location loc,
                                 Value value) {
  SmallVector<Value> dims;
  for (int64_t d = 0; d < typeOf(value).getRank(); ++d)
    if (typeOf(value).isDynamicDim(d))
      dims.push_back(builder.create<DimOp>(loc, value, d));
  return dims;
}

int Product::powerOf(Value value) const {
  for (auto [factor, power] : factors)
    if (factor == value)
      return power;
  return 0;
}

static void multiply(Product &product, Value value, int power, unsigned depth) {
  if (std::optional<double> number = splatValue(value)) {
    product.constant *= std::pow(*number, power);
    return;
  }
  if (auto mul = value.getDefiningOp<MulOp>(); mul && depth > 0) {
    multiply(product, mul.getLhs(), power, depth - 1);
    multiply(product, mul.getRhs(), power, depth - 1);
    return;
  }
  if (auto div = value.getDefiningOp<DivOp>(); div && depth > 0)
    if (std::optional<double> divisor = splatValue(div.getRhs());
        divisor && *divisor != 0) {
      product.constant *= std::pow(1 / *divisor, power);
      return multiply(product, div.getLhs(), power, depth - 1);
    }
  if (auto pow = value.getDefiningOp<PowOp>(); pow && depth > 0) {
    std::optional<double> exponent = splatValue(pow.getRhs());
    if (exponent && (*exponent == 2 || *exponent == 3))
      return multiply(product, pow.getLhs(), power * int(*exponent), depth - 1);
  }
  for (auto &[factor, known] : product.factors)
    if (factor == value) {
      known += power;
      return;
    }
  product.factors.push_back({value, power});
}

Product productOf(Value value) {
  Product product;
  multiply(product, value, 1, 4);
  return product;
}

static bool holdsUnsigned(Type type, unsigned bits) {
  if (auto number = dyn_cast<FloatType>(type))
    return bits <= number.getFPMantissaWidth();
  auto integer = dyn_cast<IntegerType>(type);
  return integer && (integer.isUnsigned() ? integer.getWidth() >= bits
                                          : integer.getWidth() > bits);
}

Value unsignedNumbers(Value value) {
  Value source = value;
  SmallVector<Type> types{typeOf(value).getElementType()};
  while (auto convert = source.getDefiningOp<ConvertOp>()) {
    source = convert.getOperand();
    types.push_back(typeOf(source).getElementType());
  }
  Type own = types.back();
  bool isHeld = own.isUnsignedInteger() && llvm::all_of(types, [&](Type type) {
                  return holdsUnsigned(type, own.getIntOrFloatBitWidth());
                });
  return isHeld ? source : Value();
}

} // namespace zenith::cleanup
