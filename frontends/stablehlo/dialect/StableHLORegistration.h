// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per op file that adds its ops to their dialect, so that no unit
// instantiates all op models.

#ifndef ZENITH_FRONTENDS_STABLEHLO_DIALECT_STABLEHLOREGISTRATION_H
#define ZENITH_FRONTENDS_STABLEHLO_DIALECT_STABLEHLOREGISTRATION_H

#include "mlir/IR/Dialect.h"
#include "mlir/IR/OperationSupport.h"

namespace zenith::stablehlo {

template <typename... Ops> void insertOps(mlir::Dialect &dialect) {
  (mlir::RegisteredOperationName::insert<Ops>(dialect), ...);
}

void insertElementwiseOps(mlir::Dialect &dialect);
void insertMovementOps(mlir::Dialect &dialect);
void insertRegionOps(mlir::Dialect &dialect);
void insertContractionOps(mlir::Dialect &dialect);
void insertDistributionOps(mlir::Dialect &dialect);
void insertCHLOOps(mlir::Dialect &dialect);
void insertSdyOps(mlir::Dialect &dialect);
void insertCheckOps(mlir::Dialect &dialect);
void insertInterpreterOps(mlir::Dialect &dialect);

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_DIALECT_STABLEHLOREGISTRATION_H
