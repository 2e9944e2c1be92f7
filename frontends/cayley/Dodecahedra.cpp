// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Twisty dodecahedra that are built from their geometry: faces are the twelve
// vertices of an icosahedron, corners its triangles, edges its edges.

#include "frontends/cayley/Dodecahedra.h"

#include "llvm/ADT/STLExtras.h"
#include <array>
#include <cmath>

using namespace llvm;

namespace zenith::cayley {

namespace {

using Vector = std::array<double, 3>;

double dot(const Vector &a, const Vector &b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Vector cross(const Vector &a, const Vector &b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
          a[0] * b[1] - a[1] * b[0]};
}

constexpr unsigned faceCount = 12;

/// Directions of the faces: the cyclic shifts of (0, +-1, +-golden ratio), of
/// length 1. Neighbours are at 63 degrees from each other.
class Faces {
public:
  Faces() {
    double golden = (1 + std::sqrt(5.0)) / 2, length = std::sqrt(2 + golden);
    for (unsigned axis = 0; axis < 3; ++axis)
      for (double one : {1.0, -1.0})
        for (double other : {golden, -golden}) {
          Vector &face = normals.emplace_back();
          face[axis] = 0;
          face[(axis + 1) % 3] = one / length;
          face[(axis + 2) % 3] = other / length;
        }
  }

  /// Opposite faces are no neighbours, nor is a face its own.
  bool areNeighbours(unsigned a, unsigned b) const {
    double cosine = dot(normals[a], normals[b]);
    return cosine > 0 && cosine < 0.9;
  }
  /// Where a face goes that turns by 72 degrees about `axis`, clockwise as seen
  /// from where that points to.
  unsigned turned(unsigned face, unsigned axis) const {
    constexpr double angle = -2 * M_PI / 5;
    const Vector &v = normals[face], &n = normals[axis];
    Vector side = cross(n, v);
    double along = dot(n, v) * (1 - std::cos(angle));
    Vector moved;
    for (unsigned i = 0; i < 3; ++i)
      moved[i] =
          v[i] * std::cos(angle) + side[i] * std::sin(angle) + n[i] * along;
    for (unsigned other = 0; other < faceCount; ++other)
      if (dot(moved, normals[other]) > 0.9)
        return other;
    return face;
  }

private:
  std::vector<Vector> normals;
};

/// A position by the faces that meet there, its own first: one at a centre, two
/// at an edge, three at a corner, the last two in ascending order.
using Place = std::vector<unsigned>;

} // namespace

static std::vector<Place> placesOf(const Faces &faces) {
  std::vector<Place> corners, edges, centres;
  for (unsigned face = 0; face < faceCount; ++face) {
    centres.push_back({face});
    for (unsigned next = 0; next < faceCount; ++next) {
      if (!faces.areNeighbours(face, next))
        continue;
      edges.push_back({face, next});
      for (unsigned last = next + 1; last < faceCount; ++last)
        if (faces.areNeighbours(face, last) && faces.areNeighbours(next, last))
          corners.push_back({face, next, last});
    }
  }
  append_range(corners, edges);
  append_range(corners, centres);
  return corners;
}

/// Whether a turn of `axis` moves what is at a place: an edge whose faces are
/// both the axis or its neighbours; a corner of one of these, of which one more
/// is too; the neighbours' centres.
static bool isMoved(const Faces &faces, const Place &place, unsigned axis) {
  auto isNear = [&](unsigned face) {
    return face == axis || faces.areNeighbours(face, axis);
  };
  if (!isNear(place[0]))
    return false;
  return place.size() == 1 ? place[0] != axis
                           : any_of(ArrayRef(place).drop_front(), isNear);
}

/// The number that CayleyPy gives to each place: its list of stickers follows
/// no rule, and states are written down in its order.
static constexpr uint8_t numbering[] = {
    49,  23,  0,   7,   1,   20,  19,  46,  32,  42,  3,   9,   56,  25,  51,
    40,  43,  39,  35,  36,  26,  10,  52,  4,   55,  59,  2,   50,  8,   24,
    18,  17,  44,  31,  38,  22,  21,  33,  47,  45,  53,  27,  5,   11,  57,
    15,  30,  41,  34,  16,  54,  58,  12,  6,   28,  14,  37,  29,  48,  13,
    78,  60,  64,  62,  74,  98,  95,  103, 83,  84,  79,  66,  106, 110, 89,
    99,  97,  113, 119, 117, 61,  67,  69,  81,  91,  65,  107, 105, 77,  87,
    94,  96,  68,  70,  92,  102, 112, 104, 100, 108, 63,  82,  80,  71,  73,
    111, 118, 90,  93,  114, 75,  85,  76,  101, 72,  88,  116, 86,  109, 115,
    120, 129, 122, 131, 123, 121, 128, 130, 124, 127, 125, 126};
static constexpr unsigned cornerCount = 60, firstCentre = 120;

/// Colours are the numbers of the centres, from 0 on.
static State starminxStart() {
  State state(std::size(numbering));
  for (auto [place, number] : enumerate(numbering))
    state[number] = place < cornerCount
                        ? numbering[firstCentre + place / 5] - firstCentre
                        : number - cornerCount + faceCount;
  return state;
}

bool buildStarminx(StringRef name, StateGraph &graph) {
  if (name != "starminx_2")
    return false;
  struct Axis {
    const char *name;
    unsigned face;
  };
  constexpr Axis axes[faceCount] = {
      {"U", 0},  {"D", 3},   {"F", 2},   {"B", 1},  {"L", 4}, {"DR", 7},
      {"BL", 8}, {"FR", 11}, {"BR", 10}, {"FL", 9}, {"R", 5}, {"DL", 6}};
  Faces faces;
  std::vector<Place> places = placesOf(faces);
  graph.central = starminxStart();
  std::vector<Permutation> back;
  for (const Axis &axis : axes) {
    Permutation turn(places.size()), undo(places.size());
    for (auto [from, place] : enumerate(places)) {
      Place to;
      bool moves = isMoved(faces, place, axis.face);
      for (unsigned face : place)
        to.push_back(moves ? faces.turned(face, axis.face) : face);
      std::sort(to.begin() + 1, to.end());
      unsigned source = numbering[from],
               target = numbering[find(places, to) - places.begin()];
      turn[target] = source;
      undo[source] = target;
    }
    graph.permutations.push_back(std::move(turn));
    back.push_back(std::move(undo));
  }
  append_range(graph.permutations, back);
  for (const char *suffix : {"", "'"})
    for (const Axis &axis : axes)
      graph.generatorNames.push_back(std::string(axis.name) + suffix);
  return true;
}

} // namespace zenith::cayley
