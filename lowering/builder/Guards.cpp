// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads comparisons of sizes.

#include "lowering/builder/Guards.h"

using zenith::graph::DimExpr;

namespace zenith::kernels {

bool isElse(llvm::StringRef guard) { return guard == elseGuard; }

DimExpr Guard::taken() const {
  return DimExpr(1) -
         DimExpr::min(DimExpr::max(lower - upper, DimExpr(0)), DimExpr(1));
}

std::optional<Guard> Guard::parse(llvm::StringRef text) {
  size_t at = text.find_first_of("<>");
  if (at == llvm::StringRef::npos)
    return std::nullopt;
  bool isLess = text[at] == '<';
  bool isStrict = !text.substr(at + 1).starts_with("=");
  auto left = DimExpr::parse(text.take_front(at).trim().str()),
       right = DimExpr::parse(
           text.drop_front(at + (isStrict ? 1 : 2)).trim().str());
  if (!left || !right)
    return std::nullopt;
  DimExpr lower = isLess ? *left : *right, upper = isLess ? *right : *left;
  return Guard{isStrict ? lower + 1 : lower, upper};
}

} // namespace zenith::kernels
