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

bool buildStarminx(StringRef name, StateGraph &graph) {
  if (name != "starminx_2")
    return false;
  // In the order of the directions above.
  constexpr const char *names[faceCount] = {"U", "B",  "F",  "D",  "R",  "BR",
                                            "L", "BL", "FR", "FL", "DR", "DL"};
  Faces faces;
  std::vector<Place> places = placesOf(faces);
  int64_t next = faceCount;
  for (const Place &place : places)
    graph.central.push_back(place.size() == 3 ? place[0] : next++);
  std::vector<Permutation> back;
  for (unsigned axis = 0; axis < faceCount; ++axis) {
    Permutation turn(places.size()), undo(places.size());
    for (auto [from, place] : enumerate(places)) {
      Place to;
      for (unsigned face : place)
        to.push_back(isMoved(faces, place, axis) ? faces.turned(face, axis)
                                                 : face);
      std::sort(to.begin() + 1, to.end());
      size_t target = find(places, to) - places.begin();
      turn[target] = uint32_t(from);
      undo[from] = uint32_t(target);
    }
    graph.permutations.push_back(std::move(turn));
    back.push_back(std::move(undo));
  }
  append_range(graph.permutations, back);
  for (const char *suffix : {"", "'"})
    for (const char *face : names)
      graph.generatorNames.push_back(std::string(face) + suffix);
  return true;
}

} // namespace zenith::cayley
