// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Twisty dodecahedra that are built from their geometry.

#ifndef ZENITH_FRONTENDS_CAYLEY_DODECAHEDRA_H
#define ZENITH_FRONTENDS_CAYLEY_DODECAHEDRA_H

#include "frontends/cayley/StateGraph.h"

namespace zenith::cayley {

/// Builds "starminx_2", whose cuts lie beyond the neighbouring faces' centres:
/// a turn by 72 degrees moves a face, and of its five neighbours all but the
/// corner that is farthest away. Generators are the turns of the twelve faces,
/// then back; positions are 60 corners of faces, whose states are the colours 0
/// to 11, the two sides of 30 edges, and 12 centres, which are all different,
/// in the order of CayleyPy. False where the name is another one.
bool buildStarminx(llvm::StringRef name, StateGraph &graph);

} // namespace zenith::cayley

#endif // ZENITH_FRONTENDS_CAYLEY_DODECAHEDRA_H
