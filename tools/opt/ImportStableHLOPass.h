// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// StableHLO to GraphIR as a pass of zenith-opt.

#ifndef ZENITH_TOOLS_OPT_IMPORTSTABLEHLOPASS_H
#define ZENITH_TOOLS_OPT_IMPORTSTABLEHLOPASS_H

#include "llvm/ADT/StringRef.h"

namespace zenith::tools {

inline constexpr llvm::StringLiteral importStableHLOArgument =
    "zenith-import-stablehlo";

/// Registers the pass. It leaves modules without StableHLO as they are.
void registerImportStableHLOPass();

} // namespace zenith::tools

#endif // ZENITH_TOOLS_OPT_IMPORTSTABLEHLOPASS_H
