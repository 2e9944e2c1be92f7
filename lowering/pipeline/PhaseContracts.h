// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The predicates that Phases.def names: may this op be left at the exit of the
// phase? Phases.def says in words what each allows.

#ifndef ZENITH_LOWERING_PIPELINE_PHASECONTRACTS_H
#define ZENITH_LOWERING_PIPELINE_PHASECONTRACTS_H

namespace mlir {
class Operation;
}

namespace zenith::pipeline {

bool allowsImported(mlir::Operation *op);
bool allowsGraph(mlir::Operation *op);
bool allowsOutlined(mlir::Operation *op);
bool allowsLaidOut(mlir::Operation *op);
bool allowsFused(mlir::Operation *op);
bool allowsScheduled(mlir::Operation *op);
bool allowsPlanned(mlir::Operation *op);
bool allowsKernels(mlir::Operation *op);
bool allowsLLVM(mlir::Operation *op);

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PIPELINE_PHASECONTRACTS_H
