// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per family that adds its ops to the dialect, so that no unit
// instantiates all op models.

#ifndef ZENITH_IR_OPREGISTRATION_H
#define ZENITH_IR_OPREGISTRATION_H

#include "mlir/IR/Dialect.h"
#include "mlir/IR/OperationSupport.h"

namespace zenith::graph {

template <typename... Ops> void insertOps(mlir::Dialect &dialect) {
  (mlir::RegisteredOperationName::insert<Ops>(dialect), ...);
}

void insertElementwiseOps(mlir::Dialect &dialect);
void insertMovementOps(mlir::Dialect &dialect);
void insertContractionOps(mlir::Dialect &dialect);
void insertLinearAlgebraOps(mlir::Dialect &dialect);
void insertReductionOps(mlir::Dialect &dialect);
void insertIndexingOps(mlir::Dialect &dialect);
void insertOrderingOps(mlir::Dialect &dialect);
void insertRandomOps(mlir::Dialect &dialect);
void insertCompositeOps(mlir::Dialect &dialect);
void insertControlOps(mlir::Dialect &dialect);
void insertCollectiveOps(mlir::Dialect &dialect);
void insertShardingOps(mlir::Dialect &dialect);

} // namespace zenith::graph

#endif // ZENITH_IR_OPREGISTRATION_H
