// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants that hold one number everywhere.

#ifndef ZENITH_IR_MATCHERS_SPLATCONSTANT_H
#define ZENITH_IR_MATCHERS_SPLATCONSTANT_H

#include "mlir/IR/Value.h"
#include <optional>

namespace zenith::graph {

/// The number that every element of a float or integer value has, through
/// broadcasts and other movement.
std::optional<double> splatValue(mlir::Value value);

} // namespace zenith::graph

#endif // ZENITH_IR_MATCHERS_SPLATCONSTANT_H
