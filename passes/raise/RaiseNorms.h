// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises layer_norm and rms_norm.

#ifndef ZENITH_PASSES_RAISE_RAISENORMS_H
#define ZENITH_PASSES_RAISE_RAISENORMS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace zenith::raise {

void addNormPatterns(mlir::RewritePatternSet &patterns);
/// A remark for each formula that is nearly a norm.
void explainNorms(mlir::func::FuncOp function);

} // namespace zenith::raise

#endif // ZENITH_PASSES_RAISE_RAISENORMS_H
