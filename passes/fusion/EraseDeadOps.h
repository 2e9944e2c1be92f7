// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Removal of ops whose results nobody reads.

#ifndef ZENITH_PASSES_FUSION_ERASEDEADOPS_H
#define ZENITH_PASSES_FUSION_ERASEDEADOPS_H

#include "mlir/IR/Block.h"

namespace zenith::fusion {

/// Erases ops of `block` without effects and readers, from the last to the
/// first, so that chains go as a whole.
void eraseDeadOps(mlir::Block &block);

} // namespace zenith::fusion

#endif // ZENITH_PASSES_FUSION_ERASEDEADOPS_H
