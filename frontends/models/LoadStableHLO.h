// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A StableHLO program, text or portable artifact, as a GraphIR module.

#ifndef ZENITH_FRONTENDS_MODELS_LOADSTABLEHLO_H
#define ZENITH_FRONTENDS_MODELS_LOADSTABLEHLO_H

#include "frontends/stablehlo/ImportStableHLO.h"
#include "llvm/ADT/StringRef.h"

namespace mlir {
class MLIRContext;
}

namespace zenith::models {

class Diagnostics;

/// True for text whose ops are StableHLO's and for portable artifacts.
bool isStableHLO(llvm::StringRef bytes);

/// `name` is what messages call the file. Errors that the parser found have
/// been printed to `diagnostics`.
llvm::Expected<stablehlo::ImportedProgram> loadStableHLO(
    const std::string &name, llvm::StringRef bytes, mlir::MLIRContext *context,
    const stablehlo::ImportOptions &options, Diagnostics &diagnostics);

} // namespace zenith::models

#endif // ZENITH_FRONTENDS_MODELS_LOADSTABLEHLO_H
