// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the factors of nested multiplications, divisions and powers.

#include "ir/matchers/ProductFactors.h"
#include "ir/GraphOps.h"
#include "ir/matchers/SplatConstant.h"
#include <cmath>

using namespace mlir;

namespace zenith::graph {

int ProductFactors::powerOf(Value value) const {
  for (auto [factor, power] : factors)
    if (factor == value)
      return power;
  return 0;
}

static void multiply(ProductFactors &product, Value value, int power,
                     unsigned opsLeft) {
  if (std::optional<double> constant = splatValue(value)) {
    product.constant *= std::pow(*constant, power);
    return;
  }
  if (auto mul = value.getDefiningOp<MulOp>(); mul && opsLeft > 0) {
    multiply(product, mul.getLhs(), power, opsLeft - 1);
    multiply(product, mul.getRhs(), power, opsLeft - 1);
    return;
  }
  if (auto div = value.getDefiningOp<DivOp>(); div && opsLeft > 0)
    if (std::optional<double> divisor = splatValue(div.getRhs());
        divisor && *divisor != 0) {
      product.constant *= std::pow(1 / *divisor, power);
      return multiply(product, div.getLhs(), power, opsLeft - 1);
    }
  if (auto pow = value.getDefiningOp<PowOp>(); pow && opsLeft > 0) {
    std::optional<double> exponent = splatValue(pow.getRhs());
    if (exponent && (*exponent == 2 || *exponent == 3))
      return multiply(product, pow.getLhs(), power * int(*exponent),
                      opsLeft - 1);
  }
  for (auto &[factor, known] : product.factors)
    if (factor == value) {
      known += power;
      return;
    }
  product.factors.push_back({value, power});
}

ProductFactors productFactorsOf(Value value) {
  ProductFactors product;
  multiply(product, value, 1, 4);
  return product;
}

} // namespace zenith::graph
