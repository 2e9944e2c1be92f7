// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Twisty puzzles that are built from their geometry: cubes with n layers and
// Hungarian rings.

#include "frontends/cayley/Puzzles.h"

#include "frontends/cayley/PermutationFamilies.h"
#include "frontends/cayley/PermutationProducts.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include <array>
#include <map>
#include <numeric>

using namespace llvm;

namespace zenith::cayley {

namespace {

/// A sticker: the cubie's place (x to R, y to B, z to U) and the face's
/// direction.
struct Sticker {
  std::array<int64_t, 3> place, normal;
  bool operator==(const Sticker &other) const {
    return place == other.place && normal == other.normal;
  }
};

/// Faces in order with, for each, what its rows and columns run along.
struct Face {
  std::array<int64_t, 3> normal, rows, columns;
};
constexpr Face faces[] = {
    {{0, 0, 1}, {0, -1, 0}, {1, 0, 0}},   // U: rows from back to front
    {{0, -1, 0}, {0, 0, -1}, {1, 0, 0}},  // F: rows downwards
    {{1, 0, 0}, {0, 0, -1}, {0, 1, 0}},   // R
    {{0, 1, 0}, {0, 0, -1}, {-1, 0, 0}},  // B
    {{-1, 0, 0}, {0, 0, -1}, {0, -1, 0}}, // L
    {{0, 0, -1}, {0, 1, 0}, {1, 0, 0}},   // D: rows from front to back
};

/// Sticker (row, column) of a face. Places run over -(n-1), -(n-3), ..., n-1,
/// so that quarter turns keep the set.
Sticker stickerAt(const Face &face, int64_t row, int64_t column, int64_t n) {
  Sticker sticker{{}, face.normal};
  for (unsigned axis = 0; axis < 3; ++axis)
    sticker.place[axis] = face.normal[axis] * (n - 1) +
                          face.rows[axis] * (2 * row - (n - 1)) +
                          face.columns[axis] * (2 * column - (n - 1));
  return sticker;
}

/// A quarter turn about `normal`, clockwise as seen from where it points to.
std::array<int64_t, 3> turned(const std::array<int64_t, 3> &v,
                              const std::array<int64_t, 3> &normal) {
  // v x normal turns what is perpendicular to the axis; what is along it stays.
  int64_t along = 0;
  for (unsigned axis = 0; axis < 3; ++axis)
    along += v[axis] * normal[axis];
  std::array<int64_t, 3> result;
  for (unsigned axis = 0; axis < 3; ++axis) {
    unsigned next = (axis + 1) % 3, last = (axis + 2) % 3;
    result[axis] =
        v[next] * normal[last] - v[last] * normal[next] + along * normal[axis];
  }
  return result;
}

/// Layer `depth` below `face`, turned clockwise as seen from it.
Permutation layerTurn(const std::vector<Sticker> &stickers, const Face &face,
                      int64_t depth, int64_t n) {
  Permutation permutation(stickers.size());
  for (size_t i = 0; i < stickers.size(); ++i) {
    int64_t along = 0;
    for (unsigned axis = 0; axis < 3; ++axis)
      along += stickers[i].place[axis] * face.normal[axis];
    if (along != n - 1 - 2 * depth) {
      permutation[i] = i;
      continue;
    }
    Sticker moved{turned(stickers[i].place, face.normal),
                  turned(stickers[i].normal, face.normal)};
    size_t target = llvm::find(stickers, moved) - stickers.begin();
    permutation[target] = i;
  }
  return permutation;
}

Permutation twice(const Permutation &permutation) {
  Permutation result(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i)
    result[i] = permutation[permutation[i]];
  return result;
}

struct CubeName {
  int64_t layers = 0;
  bool fixed = false;
  StringRef metric;
};

/// "333_htm", "10_10_10_qtm" and "222_fixed_qtm" after "cube_".
bool parseCube(StringRef text, CubeName &cube) {
  auto [digits, rest] = text.split('_');
  if (digits.empty() || digits.size() % 3 != 0)
    return false;
  StringRef part = digits.take_front(digits.size() / 3);
  if (digits != (part + part + part).str() || !to_integer(part, cube.layers))
    return false;
  cube.fixed = rest.consume_front("fixed_");
  cube.metric = rest;
  return cube.layers >= 2 && 6 * cube.layers * cube.layers <= maxPositions &&
         (!cube.fixed || cube.layers == 2) &&
         (rest == "qtm" || rest == "htm" || rest == "qstm");
}

} // namespace

bool buildCube(StringRef name, StateGraph &graph) {
  CubeName cube;
  if (!name.consume_front("cube_") || !parseCube(name, cube))
    return false;
  int64_t n = cube.layers;
  std::vector<Sticker> stickers;
  for (auto [number, face] : enumerate(faces))
    for (int64_t row = 0; row < n; ++row)
      for (int64_t column = 0; column < n; ++column) {
        stickers.push_back(stickerAt(face, row, column, n));
        graph.central.push_back(number);
      }
  constexpr std::pair<char, unsigned> axes[] = {{'f', 1}, {'r', 2}, {'d', 5}};
  for (auto [letter, face] : axes)
    for (int64_t depth = 0; depth < n; ++depth) {
      // A turn of the middle layer is one of the whole cube and two others.
      if (cube.metric != "qstm" && 2 * depth == n - 1)
        continue;
      if (cube.fixed && depth != 0)
        continue;
      // The published moves of the fixed cube count the layers of this axis
      // from the other side.
      std::string turn =
          letter + std::to_string(cube.fixed && letter == 'r' ? 1 : depth);
      Permutation quarter = layerTurn(stickers, faces[face], depth, n);
      auto add = [&](const std::string &text, Permutation permutation) {
        graph.generatorNames.push_back(text);
        graph.permutations.push_back(std::move(permutation));
      };
      add(turn, quarter);
      add(turn + "'", inverseOf(quarter));
      if (cube.metric == "htm")
        add(turn + "^2", twice(quarter));
    }
  return true;
}

static Net cubeNet(int64_t n) {
  Net net(3 * n, std::vector<std::optional<int64_t>>(4 * n));
  // Where each face of `faces` stands, in faces.
  constexpr std::pair<int64_t, int64_t> corners[] = {{0, 1}, {1, 1}, {1, 2},
                                                     {1, 3}, {1, 0}, {2, 1}};
  int64_t position = 0;
  for (auto [down, right] : corners)
    for (int64_t row = 0; row < n; ++row)
      for (int64_t column = 0; column < n; ++column)
        net[down * n + row][right * n + column] = position++;
  return net;
}

std::optional<Net> netOf(const StateGraph &graph) {
  CubeName cube;
  StringRef name = graph.name;
  if (name.consume_front("cube_") && parseCube(name, cube))
    return cubeNet(cube.layers);
  if (!name.starts_with("starminx"))
    return std::nullopt;
  std::map<int64_t, std::vector<std::optional<int64_t>>> faces;
  for (auto [position, colour] : enumerate(graph.central))
    faces[colour].push_back(int64_t(position));
  Net net;
  for (auto &[colour, positions] : faces)
    net.push_back(std::move(positions));
  return net;
}

bool buildHungarianRings(ArrayRef<int64_t> sizes, StateGraph &graph) {
  if (sizes.size() != 4)
    return false;
  int64_t left = sizes[0], leftIndex = sizes[1], right = sizes[2],
          rightIndex = sizes[3];
  bool meetOnce = leftIndex == 0 && rightIndex == 0;
  if (left < 2 || right < 2 || left > maxPositions || right > maxPositions ||
      leftIndex < 0 || leftIndex >= left || rightIndex < 0 ||
      rightIndex >= right || (!meetOnce && (leftIndex == 0 || rightIndex == 0)))
    return false;
  int64_t n = left + right - (meetOnce ? 1 : 2), next = left;
  std::vector<int64_t> leftRing(left), rightRing{0};
  std::iota(leftRing.begin(), leftRing.end(), 0);
  while (int64_t(rightRing.size()) < right)
    rightRing.push_back(
        !meetOnce && int64_t(rightRing.size()) == right - rightIndex ? leftIndex
                                                                     : next++);
  graph.central.resize(n);
  std::iota(graph.central.begin(), graph.central.end(), 0);
  auto addRing = [&](StringRef name, ArrayRef<int64_t> ring) {
    Permutation turn(n);
    std::iota(turn.begin(), turn.end(), 0);
    for (size_t i = 0; i < ring.size(); ++i)
      turn[ring[i]] = ring[(i + 1) % ring.size()];
    graph.generatorNames.push_back(name.str());
    graph.permutations.push_back(turn);
    // Two balls change places: the turn undoes itself.
    if (ring.size() == 2)
      return;
    graph.generatorNames.push_back("-" + name.str());
    graph.permutations.push_back(inverseOf(turn));
  };
  addRing("L", leftRing);
  addRing("R", rightRing);
  return true;
}

} // namespace zenith::cayley
