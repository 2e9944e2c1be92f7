// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions with other expressions in place of their symbols.

#ifndef ZENITH_IR_DIMS_DIMSUBSTITUTION_H
#define ZENITH_IR_DIMS_DIMSUBSTITUTION_H

#include "ir/dims/DimExpr.h"

namespace zenith::graph {

/// `expr` with what `valueOf` gives for each symbol, simplified. An atom of
/// kind Symbol has its name and bounds.
DimExpr substituted(const DimExpr &expr,
                    const std::function<DimExpr(const DimAtom &)> &valueOf);

} // namespace zenith::graph

#endif // ZENITH_IR_DIMS_DIMSUBSTITUTION_H
