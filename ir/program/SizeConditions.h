// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an op requires of the sizes of one run, beyond what its types state.

#ifndef ZENITH_IR_PROGRAM_SIZECONDITIONS_H
#define ZENITH_IR_PROGRAM_SIZECONDITIONS_H

#include "ir/DimAnalysis.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace zenith::graph {

struct SizeCondition {
  enum class Relation { Equal, OneOrEqual, AtMost };
  /// lhs == rhs; lhs is 1 or rhs; lhs <= rhs.
  Relation relation = Relation::Equal;
  DimExpr lhs, rhs;
  /// What is wrong where it does not hold, without the sizes: "sizes".
  std::string what;

  /// Holds for all values of the symbols.
  bool isProved() const;
  /// Holds for no value of the symbols: both sizes are constants.
  bool isRefuted() const;
  /// Text that is the same for the same condition.
  std::string key() const;
};

/// Calls `visit` for each condition of `op` on its own sizes, proved or not;
/// conditions of ops inside its regions are theirs. Sizes are in the words of
/// `dims`.
void forEachSizeCondition(
    mlir::Operation *op, DimAnalysis &dims,
    llvm::function_ref<void(const SizeCondition &)> visit);

} // namespace zenith::graph

#endif // ZENITH_IR_PROGRAM_SIZECONDITIONS_H
