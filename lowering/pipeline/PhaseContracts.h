// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The predicates that Phases.def names: may this op be left at the exit of the
// phase?

#ifndef ZENITH_LOWERING_PIPELINE_PHASECONTRACTS_H
#define ZENITH_LOWERING_PIPELINE_PHASECONTRACTS_H

namespace mlir {
class Operation;
}

namespace zenith::pipeline {

bool allowsImported(mlir::Operation *op); ///< functions that may call others
bool allowsGraph(mlir::Operation *op);    ///< functions of graph ops
bool allowsOutlined(mlir::Operation *op); ///< straight lines; control names
                                          ///< functions
bool allowsLaidOut(mlir::Operation *op);  ///< without batch_norm
bool allowsFused(mlir::Operation *op);   ///< fusions without composites; around
                                         ///< them parameters, constants, sizes
bool allowsPlanned(mlir::Operation *op); ///< functions with an arena
bool allowsKernels(mlir::Operation *op); ///< host programs and kernels as loops
bool allowsLLVM(
    mlir::Operation *op); ///< host programs and kernels in the LLVM dialect

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PIPELINE_PHASECONTRACTS_H
