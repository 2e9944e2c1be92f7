// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes that every rewrite of a program is followed by.

#ifndef ZENITH_PASSES_SIMPLIFICATIONPASSES_H
#define ZENITH_PASSES_SIMPLIFICATIONPASSES_H

#include "mlir/Pass/PassManager.h"

namespace zenith {

/// Simplification that leaves no dead or equal ops behind.
void addTidy(mlir::OpPassManager &passes);

/// Constants, sizes and algebra. With `keepsProducts`, products stay products
/// where K is tiny too: a policy of precision is about them.
void addSimplification(mlir::OpPassManager &passes, bool keepsProducts = false);

} // namespace zenith

#endif // ZENITH_PASSES_SIMPLIFICATIONPASSES_H
