// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants whose elements are all equal.

#ifndef ZENITH_IR_MATCHERS_SPLATCONSTANT_H
#define ZENITH_IR_MATCHERS_SPLATCONSTANT_H

#include "mlir/IR/Value.h"
#include <optional>

namespace zenith::graph {

/// The constant that every element of a float or integer value is, through
/// broadcasts and other movement.
std::optional<double> splatValue(mlir::Value value);

/// Equal within a relative 1e-5: the last digits of what exporters write for
/// 1/sqrt(2) and similar constants differ.
bool isNear(std::optional<double> value, double expected);

} // namespace zenith::graph

#endif // ZENITH_IR_MATCHERS_SPLATCONSTANT_H
