// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions with other expressions in place of their atoms.

#ifndef ZENITH_IR_DIMS_DIMSUBSTITUTION_H
#define ZENITH_IR_DIMS_DIMSUBSTITUTION_H

#include "ir/dims/DimExpr.h"

namespace zenith::graph {

/// `expr` with what `valueOf` gives for each atom, simplified. Where that is
/// nothing the atom stays, with other expressions inside of it. An atom of kind
/// Symbol has its name and bounds.
DimExpr substituted(
    const DimExpr &expr,
    const std::function<std::optional<DimExpr>(const DimAtom &)> &valueOf);

} // namespace zenith::graph

#endif // ZENITH_IR_DIMS_DIMSUBSTITUTION_H
