// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares, creates and registers the passes that write types into a program.

#ifndef ZENITH_PASSES_PRECISION_PRECISIONPASSES_H
#define ZENITH_PASSES_PRECISION_PRECISIONPASSES_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace zenith {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/precision/PrecisionPasses.h.inc"

} // namespace zenith

#endif // ZENITH_PASSES_PRECISION_PRECISIONPASSES_H
