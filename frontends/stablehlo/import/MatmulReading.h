// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types in which matmuls and convolutions of StableHLO are computed.

#ifndef ZENITH_FRONTENDS_STABLEHLO_IMPORT_MATMULREADING_H
#define ZENITH_FRONTENDS_STABLEHLO_IMPORT_MATMULREADING_H

#include "frontends/stablehlo/import/OpReading.h"

namespace zenith::stablehlo {

/// The type to which the operands of a matmul or convolution are converted.
Type matmulOperandType(Value lhs, Value rhs, Type result);
/// The type of its sums before a final conversion.
Type matmulSumType(Type operand, Type result);
/// Sums as elements of the result: from i32 back to i1 by comparison with zero.
Value convertSums(OpReading &x, Value accumulated, Type element);
/// Marks a product (graph.highest_precision) where the op that it is made of
/// asks for HIGHEST.
void markPrecision(OpReading &x, Value product);
/// A dot_general of type `type`, whose operands and sums have the types above.
Value makeDot(OpReading &x, graph::DotDimsAttr dims, Value lhs, Value rhs,
              RankedTensorType type);

/// Rules of einsum, which become matmuls.
void addEinsumRules(RuleTable &rules);

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_IMPORT_MATMULREADING_H
