// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of matrices over the integers modulo a number, by name and size.

#ifndef ZENITH_FRONTENDS_CAYLEY_MATRIXFAMILIES_H
#define ZENITH_FRONTENDS_CAYLEY_MATRIXFAMILIES_H

#include "frontends/cayley/StateGraph.h"
#include "llvm/ADT/ArrayRef.h"

namespace zenith::cayley {

/// Builds "heisenberg" (sizes n, modulus), "sl_<n>_fund_roots" or
/// "sl_<n>_root_weyl" (modulus); false where the name is none of these. `valid`
/// tells whether the sizes make sense.
bool buildMatrixFamily(llvm::StringRef family, llvm::ArrayRef<int64_t> sizes,
                       StateGraph &graph, bool &valid);

} // namespace zenith::cayley

#endif // ZENITH_FRONTENDS_CAYLEY_MATRIXFAMILIES_H
