// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares, creates and registers every pass from GraphIR to machine code.

#ifndef ZENITH_LOWERING_LOWERINGPASSES_H
#define ZENITH_LOWERING_LOWERINGPASSES_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace zenith {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lowering/LoweringPasses.h.inc"

} // namespace zenith

#endif // ZENITH_LOWERING_LOWERINGPASSES_H
