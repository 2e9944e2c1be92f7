// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ranked tensor type that every value of GraphIR has.

#ifndef ZENITH_IR_MATCHERS_TYPEOF_H
#define ZENITH_IR_MATCHERS_TYPEOF_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace zenith::graph {

inline mlir::RankedTensorType typeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

} // namespace zenith::graph

#endif // ZENITH_IR_MATCHERS_TYPEOF_H
