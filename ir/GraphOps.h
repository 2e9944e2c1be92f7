// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All op classes of the dialect in one header, meant to be precompiled.

#ifndef ZENITH_IR_GRAPHOPS_H
#define ZENITH_IR_GRAPHOPS_H

#include "ir/DimAnalysis.h"
#include "ir/GraphDialect.h"
#include "ir/ScheduleRule.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ir/ShapeRule.h.inc"
#define GET_OP_CLASSES
#include "ir/GraphOps.h.inc"

namespace zenith::graph {
/// Dimensions of an elementwise result: those of the operand that knows most.
DimVector elementwiseDims(mlir::Operation *op, DimAnalysis &analysis);
/// Same element type and shapes that may be equal at run time.
bool compatibleTypes(mlir::TypeRange lhs, mlir::TypeRange rhs);
} // namespace zenith::graph

#endif // ZENITH_IR_GRAPHOPS_H
