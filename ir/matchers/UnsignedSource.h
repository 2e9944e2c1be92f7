// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that are unsigned integers, whatever type they are held in.

#ifndef ZENITH_IR_MATCHERS_UNSIGNEDSOURCE_H
#define ZENITH_IR_MATCHERS_UNSIGNEDSOURCE_H

#include "mlir/IR/Value.h"

namespace zenith::graph {

/// The unsigned integers that `value` was converted from, where every type on
/// the way holds all of them; null for other values.
mlir::Value unsignedSourceOf(mlir::Value value);

} // namespace zenith::graph

#endif // ZENITH_IR_MATCHERS_UNSIGNEDSOURCE_H
