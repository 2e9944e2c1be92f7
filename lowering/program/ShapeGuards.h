// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conditions on the dimensions of a run that the argument types do not state
// and that could not be proved at compile time.

#ifndef ZENITH_LOWERING_PROGRAM_SHAPEGUARDS_H
#define ZENITH_LOWERING_PROGRAM_SHAPEGUARDS_H

#include "ir/DimAnalysis.h"
#include "ir/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <string>
#include <vector>

namespace zenith::pipeline {

/// A run fails with `message` where the expression is negative.
struct ShapeGuard {
  graph::DimExpr nonnegative;
  std::string message;
  /// The op of the function's block that needs it first; null: none alone.
  mlir::Operation *step = nullptr;
};

/// Guards of all ops of a function, those inside fusions included; each once,
/// in program order.
std::vector<ShapeGuard> collectShapeGuards(mlir::func::FuncOp function,
                                           graph::DimAnalysis &dims);

/// Guards of the ops of a fusion that read at a position which their operand
/// may not have: the run fails (ErrorCode::Run), as the interpreter does.
std::vector<ShapeGuard> collectReadGuards(graph::FusionOp fusion,
                                          graph::DimAnalysis &dims);

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PROGRAM_SHAPEGUARDS_H
