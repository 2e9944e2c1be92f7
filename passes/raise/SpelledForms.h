// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formulas whose derivative is that of what they compute, not of their steps:
// log(exp(a) + exp(b)) without overflow, and floats that come back from their
// bits.

#ifndef ZENITH_PASSES_RAISE_SPELLEDFORMS_H
#define ZENITH_PASSES_RAISE_SPELLEDFORMS_H

#include "ir/GraphOps.h"
#include <optional>

namespace zenith::raise {

/// Operands of log(exp(a) + exp(b)), spelled max(a, b) + log1p(exp(-|a - b|)).
std::optional<std::pair<mlir::Value, mlir::Value>> logAddExp(graph::AddOp op);
/// Whether the region, which has two scalars, yields log(exp(a) + exp(b)).
bool isLogAddExp(mlir::Region &region);

/// Floats made of bits again: elements of `source` at the indices of a top_k
/// of keys that are in order of the floats; or, without a top_k, `source`
/// rounded to bf16.
struct FloatsFromBits {
  mlir::Value source;
  graph::TopKOp order;
};
std::optional<FloatsFromBits> floatsFromBits(graph::BitcastOp op);
/// Whether floats are made of the bits that `op` gives in a way that
/// floatsFromBits() does not know.
bool leaksBits(graph::BitcastOp op);

} // namespace zenith::raise

#endif // ZENITH_PASSES_RAISE_SPELLEDFORMS_H
