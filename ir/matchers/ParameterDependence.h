// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values of a function depend on parameters and constants only.

#ifndef ZENITH_IR_MATCHERS_PARAMETERDEPENDENCE_H
#define ZENITH_IR_MATCHERS_PARAMETERDEPENDENCE_H

#include "mlir/IR/Value.h"

namespace zenith::graph {

enum class Dependence { Parameters, Constants, Arguments };

/// Parameters: at least one parameter and otherwise constants; Constants: no
/// parameter either; Arguments also for what more than 512 ops compute.
Dependence dependenceOf(mlir::Value value);

/// Known before the program gets arguments.
inline bool isFixed(mlir::Value value) {
  return dependenceOf(value) != Dependence::Arguments;
}
inline bool isParameter(mlir::Value value) {
  return dependenceOf(value) == Dependence::Parameters;
}

/// True for parameters and constants themselves, also reshaped or transposed.
bool isMovedParameter(mlir::Value value);

} // namespace zenith::graph

#endif // ZENITH_IR_MATCHERS_PARAMETERDEPENDENCE_H
