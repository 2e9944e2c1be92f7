// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From GraphIR to StableHLO text that JAX's compiler accepts.

#ifndef ZENITH_FRONTENDS_STABLEHLO_EXPORTSTABLEHLO_H
#define ZENITH_FRONTENDS_STABLEHLO_EXPORTSTABLEHLO_H

#include "ir/Error.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace zenith::stablehlo {

struct ExportOptions {
  /// Folder that paths of parameters are relative to: the one of the IR file;
  /// empty: the current one.
  std::string folder;
  /// Compares checksums of parameters with those that the IR records.
  bool verifyFiles = true;
};

/// Accepts the IR as imported or cleaned, without fusions. Shapes must be
/// static. Composites become their formulas, parameters constants. Needs the
/// stablehlo, chlo and func dialects to be loaded.
Result<mlir::OwningOpRef<mlir::ModuleOp>>
exportStableHLO(mlir::ModuleOp module, const ExportOptions &options = {});

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_EXPORTSTABLEHLO_H
