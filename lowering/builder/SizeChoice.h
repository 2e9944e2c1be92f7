// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards of launches: choices among variants of a kernel that the sizes of a
// run make.

#ifndef ZENITH_LOWERING_BUILDER_SIZECHOICE_H
#define ZENITH_LOWERING_BUILDER_SIZECHOICE_H

#include "ir/dims/DimExpr.h"

namespace zenith::kernels {

/// A guard: 1 where `size` is at most `most`, else 0.
inline graph::DimExpr isAtMost(const graph::DimExpr &size, int64_t most) {
  using graph::DimExpr;
  return DimExpr::min(DimExpr::max(DimExpr(most + 1) - size, DimExpr(0)),
                      DimExpr(1));
}

/// A guard: 1 where `size` is at least `least`, else 0.
inline graph::DimExpr isAtLeast(const graph::DimExpr &size, int64_t least) {
  using graph::DimExpr;
  return DimExpr::min(DimExpr::max(size - DimExpr(least - 1), DimExpr(0)),
                      DimExpr(1));
}

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_BUILDER_SIZECHOICE_H
