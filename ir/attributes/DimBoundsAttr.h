// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What functions say of the sizes of named dimensions: graph.dim_bounds.

#ifndef ZENITH_IR_ATTRIBUTES_DIMBOUNDSATTR_H
#define ZENITH_IR_ATTRIBUTES_DIMBOUNDSATTR_H

#include "ir/dims/DimExpr.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <map>
#include <set>
#include <string>

namespace zenith::graph {

using DimBoundsMap = std::map<std::string, DimBounds>;

/// The names that arguments give to dynamic dimensions, also inside of
/// expressions; "arg0_d1" of a dimension without a name.
std::set<std::string> dimNamesOf(mlir::FunctionOpInterface function);

/// The bounds that a function states; none without the attribute.
DimBoundsMap dimBoundsOf(mlir::Operation *function);
/// States `bounds` of a function, beside what it states of other names.
void addDimBounds(mlir::Operation *function, const DimBoundsMap &bounds);
/// Forgets bounds of dimensions that no argument names.
void keepNamedBounds(mlir::FunctionOpInterface function);

/// "1..512%16", as --dim has it.
std::string textOf(const DimBounds &bounds);
/// Whether a size keeps within bounds.
bool admits(const DimBounds &bounds, int64_t size);

/// `name`, for a dimension of the argument that has no name of its own.
std::string unnamedDim(unsigned argument, int64_t dim);

} // namespace zenith::graph

#endif // ZENITH_IR_ATTRIBUTES_DIMBOUNDSATTR_H
