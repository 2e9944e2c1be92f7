// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The error code with which an assertion that does not hold ends a run.

#ifndef ZENITH_IR_ASSERTIONCODE_H
#define ZENITH_IR_ASSERTIONCODE_H

#include "ir/Error.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace zenith::graph {

/// Unit attribute of assertions and guards about elements, such as indices: the
/// run fails (ErrorCode::Run). Without it they are about the form of the inputs
/// (ErrorCode::Invalid).
inline constexpr llvm::StringLiteral runErrorAttrName = "graph.run_error";

inline ErrorCode assertionCode(mlir::Operation *op) {
  return op->hasAttr(runErrorAttrName) ? ErrorCode::Run : ErrorCode::Invalid;
}

inline void markRunError(mlir::Operation *op) {
  op->setAttr(runErrorAttrName, mlir::UnitAttr::get(op->getContext()));
}

} // namespace zenith::graph

#endif // ZENITH_IR_ASSERTIONCODE_H
