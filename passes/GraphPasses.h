// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares, creates and registers every pass from GraphIR to GraphIR.

#ifndef ZENITH_PASSES_GRAPHPASSES_H
#define ZENITH_PASSES_GRAPHPASSES_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace zenith {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/GraphPasses.h.inc"

} // namespace zenith

#endif // ZENITH_PASSES_GRAPHPASSES_H
