// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reduction that a region computes for one of its results.

#ifndef ZENITH_PASSES_RAISE_REGIONREDUCEKIND_H
#define ZENITH_PASSES_RAISE_REGIONREDUCEKIND_H

#include "ir/GraphOps.h"

namespace zenith::raise {

/// The kind of reduction by which a region (accumulated values, then next
/// elements) computes result `index`: one op on the two arguments of that
/// index. Nullopt for other regions.
std::optional<graph::ReduceKind> regionReduceKind(mlir::Region &region,
                                                  unsigned index);

} // namespace zenith::raise

#endif // ZENITH_PASSES_RAISE_REGIONREDUCEKIND_H
