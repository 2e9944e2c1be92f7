// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Twisty puzzles that are built from their geometry.

#ifndef ZENITH_FRONTENDS_CAYLEY_PUZZLES_H
#define ZENITH_FRONTENDS_CAYLEY_PUZZLES_H

#include "frontends/cayley/StateGraph.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace zenith::cayley {

/// Positions drawn side by side as the faces of a puzzle: numbers of positions,
/// or nothing where the drawing has a gap.
using Net = std::vector<std::vector<std::optional<int64_t>>>;

/// The stickers of a puzzle that is known by its name. A cube with n layers has
/// 3n rows of 4n, U over F, then L F R B, D below F; another puzzle a row per
/// face. Nothing for graphs that are no puzzles.
std::optional<Net> netOf(const StateGraph &graph);

/// Builds "cube_nnn_METRIC" (cube_333_htm; n as often as the cube has
/// dimensions): qtm turns the outer layers by 90 degrees, htm also by 180, qstm
/// all layers by 90; and "cube_222_fixed_METRIC", which never moves one corner.
/// False where the name is none of these. States are colours, 0 to 5, of the
/// stickers of faces U, F, R, B, L, D, row by row.
bool buildCube(llvm::StringRef name, StateGraph &graph);

/// Two rings of `leftSize` and `rightSize` balls that share position 0 of each
/// and, unless both indices are 0, position leftIndex of the left ring, which
/// is rightIndex steps before position 0 of the right one. False where the
/// sizes make no sense.
bool buildHungarianRings(llvm::ArrayRef<int64_t> sizes, StateGraph &graph);

} // namespace zenith::cayley

#endif // ZENITH_FRONTENDS_CAYLEY_PUZZLES_H
