// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads StableHLO portable artifacts (VHLO in MLIR bytecode, StableHLO 0.9 to
// 1.20) into the ops of the text form.

#ifndef ZENITH_FRONTENDS_STABLEHLO_BYTECODE_PORTABLEARTIFACT_H
#define ZENITH_FRONTENDS_STABLEHLO_BYTECODE_PORTABLEARTIFACT_H

#include "ir/Error.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace zenith::stablehlo {

/// Whether the bytes are MLIR bytecode written by StableHLO.
bool isPortableArtifact(llvm::StringRef bytes);

/// Needs the stablehlo and func dialects to be loaded. The module has not been
/// verified. Memory is bounded by a multiple of the artifact's size.
Result<mlir::OwningOpRef<mlir::ModuleOp>>
readPortableArtifact(llvm::StringRef bytes, mlir::MLIRContext *context);

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_BYTECODE_PORTABLEARTIFACT_H
