// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the dimensions of a run must obey beyond the argument types, and no
// proof could settle at compile time.

#ifndef ZENITH_LOWERING_PROGRAM_SHAPEGUARDS_H
#define ZENITH_LOWERING_PROGRAM_SHAPEGUARDS_H

#include "ir/dims/DimAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <string>
#include <vector>

namespace zenith::pipeline {

/// A run fails with `message` where the expression is negative.
struct ShapeGuard {
  graph::DimExpr nonnegative;
  std::string message;
};

/// Guards of all ops of a function, those inside fusions included; each once,
/// in program order.
std::vector<ShapeGuard> collectShapeGuards(mlir::func::FuncOp function,
                                           graph::DimAnalysis &dims);

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PROGRAM_SHAPEGUARDS_H
