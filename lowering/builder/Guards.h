// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards of the variants of a choice: comparisons of sizes.

#ifndef ZENITH_LOWERING_BUILDER_GUARDS_H
#define ZENITH_LOWERING_BUILDER_GUARDS_H

#include "ir/dims/DimExpr.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace zenith::kernels {

/// `lower <= upper`; other comparisons are read as this one.
struct Guard {
  graph::DimExpr lower, upper;

  /// "n <= 28", also with <, > and >=; nullopt for other texts.
  static std::optional<Guard> parse(llvm::StringRef text);
  std::string str() const { return lower.str() + " <= " + upper.str(); }
  /// 1 where it holds, else 0.
  graph::DimExpr taken() const;
};

/// The guard of the last variant.
inline constexpr llvm::StringLiteral elseGuard = "else";
bool isElse(llvm::StringRef guard);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_BUILDER_GUARDS_H
