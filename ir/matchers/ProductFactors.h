// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A formula of multiplications, taken apart into its factors.

#ifndef ZENITH_IR_MATCHERS_PRODUCTFACTORS_H
#define ZENITH_IR_MATCHERS_PRODUCTFACTORS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <utility>

namespace zenith::graph {

/// A constant times powers of values. Divisions by constants and squares and
/// cubes count as factors.
struct ProductFactors {
  double constant = 1;
  llvm::SmallVector<std::pair<mlir::Value, int>> factors;
  /// The power of `value`; 0 where it is no factor.
  int powerOf(mlir::Value value) const;
};
ProductFactors productFactorsOf(mlir::Value value);

} // namespace zenith::graph

#endif // ZENITH_IR_MATCHERS_PRODUCTFACTORS_H
