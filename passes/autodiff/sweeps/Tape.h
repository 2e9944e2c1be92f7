// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of each trip of a loop, stored in rows of one tensor.

#ifndef ZENITH_PASSES_AUTODIFF_SWEEPS_TAPE_H
#define ZENITH_PASSES_AUTODIFF_SWEEPS_TAPE_H

#include "passes/autodiff/RuleBuilder.h"

namespace zenith::autodiff {

/// Zeros of [rows, dimensions of `like`], `rows` being a tensor<i64>.
mlir::Value emptyTape(RuleBuilder &rule, mlir::Value rows, mlir::Value like);
/// The tape with `value` in row `row`, a tensor<i64>.
mlir::Value writeRow(RuleBuilder &rule, mlir::Value tape, mlir::Value value,
                     mlir::Value row);
/// Row `row` as a value of `type`.
mlir::Value readRow(RuleBuilder &rule, mlir::Value tape,
                    mlir::RankedTensorType type, mlir::Value row);

/// Adds carried values to a loop and returns the one that takes its place.
/// `yields` gives their next values at the end of the body from their
/// arguments.
graph::WhileOp
withCarried(graph::WhileOp loop, mlir::ValueRange inits,
            llvm::function_ref<llvm::SmallVector<mlir::Value>(RuleBuilder &,
                                                              mlir::ValueRange)>
                yields);

/// A loop over trips from `first` on while before `last`, upwards, or from
/// `last` - 1 down to `first`. `body` gets the trip and the carried values and
/// gives their next values.
llvm::SmallVector<mlir::Value>
tripLoop(RuleBuilder &rule, mlir::Value first, mlir::Value last, bool isUpwards,
         mlir::ValueRange inits, mlir::TypeRange types,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(
             RuleBuilder &, mlir::Value, mlir::ValueRange)>
             body);

} // namespace zenith::autodiff

#endif // ZENITH_PASSES_AUTODIFF_SWEEPS_TAPE_H
