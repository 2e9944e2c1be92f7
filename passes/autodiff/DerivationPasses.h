// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares, creates and registers the passes that make functions from
// functions.

#ifndef ZENITH_PASSES_AUTODIFF_DERIVATIONPASSES_H
#define ZENITH_PASSES_AUTODIFF_DERIVATIONPASSES_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace zenith {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/autodiff/DerivationPasses.h.inc"

} // namespace zenith

#endif // ZENITH_PASSES_AUTODIFF_DERIVATIONPASSES_H
