// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of two expressions for one dimension to keep: the one that says more.

#ifndef ZENITH_IR_DIMS_DIMPREFERENCE_H
#define ZENITH_IR_DIMS_DIMPREFERENCE_H

#include "ir/dims/DimExpr.h"

namespace zenith::graph {

/// A number says more than a name of the signature, that more than an
/// expression, that more than one that depends on data. `first` where both say
/// as much.
inline const DimExpr &moreSpecific(const DimExpr &first,
                                   const DimExpr &second) {
  auto vagueness = [](const DimExpr &expr) {
    bool fromData = false;
    expr.forEachSymbol([&](const std::string &name) {
      fromData |= !name.empty() && name[0] == '%';
    });
    return fromData ? 3 : expr.constant() ? 0 : expr.asSymbol() ? 1 : 2;
  };
  return vagueness(second) < vagueness(first) ? second : first;
}

} // namespace zenith::graph

#endif // ZENITH_IR_DIMS_DIMPREFERENCE_H
