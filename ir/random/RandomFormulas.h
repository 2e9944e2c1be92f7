// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formulas of the random family in terms of integer arithmetic, and the
// constants in them. Keys, bits and floats are those of jax.random with
// jax_threefry_partitionable (keys of two words), or of its "rbg" (four words).

#ifndef ZENITH_IR_RANDOM_RANDOMFORMULAS_H
#define ZENITH_IR_RANDOM_RANDOMFORMULAS_H

#include "mlir/IR/Builders.h"

namespace zenith::graph {

/// Emits what an op of the random family computes at the builder's place, one
/// value per result; empty for any other op.
llvm::SmallVector<mlir::Value> buildRandomFormula(mlir::OpBuilder &builder,
                                                  mlir::Operation *op);

/// The inverse error function of f32 or f64 elements.
mlir::Value buildErfInv(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value);

/// `value` rounded to the type, to the nearest and ties to even.
llvm::APFloat roundedTo(mlir::FloatType type, llvm::APFloat value);

/// Uniform floats lie in [low, high), or are `low`.
struct UniformBounds {
  llvm::APFloat low, high;
};
/// high - low, rounded to their type.
llvm::APFloat uniformRange(const UniformBounds &bounds);
/// Whether unit * range + low is rounded once, as XLA's fused multiply-add does
/// in f32, and this shows: the product is not exact.
bool roundsOnce(mlir::FloatType type, const UniformBounds &bounds);
/// What random_normal takes the inverse error function of.
UniformBounds normalBounds(mlir::FloatType type);
/// What the Gumbel distribution takes two logarithms of.
UniformBounds gumbelBounds(mlir::FloatType type);
/// What random_truncated_normal takes the inverse error function of.
UniformBounds truncatedBounds(mlir::FloatType type, llvm::APFloat lower,
                              llvm::APFloat upper);
/// The float next to `bound` that lies inside, where results are clipped to.
llvm::APFloat insideOf(mlir::FloatType type, llvm::APFloat bound, bool isLower);

/// How many sorts by 32 random bits make a permutation of `count` elements
/// (rounds of jax.random.permutation).
unsigned permutationRounds(int64_t count);

/// Random bits that a uniform float of this type is made of: as many as it has,
/// or 8 where its mantissa has fewer than 8.
unsigned randomBitsOf(mlir::FloatType type);

} // namespace zenith::graph

#endif // ZENITH_IR_RANDOM_RANDOMFORMULAS_H
