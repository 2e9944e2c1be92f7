// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists of axes and factors of axes, from major to minor, as propagation
// compares them.

#ifndef ZENITH_PASSES_SHARDING_AXISLISTS_H
#define ZENITH_PASSES_SHARDING_AXISLISTS_H

#include "ir/GraphDialect.h"

namespace zenith::sharding {

/// `size` positions of an axis with `before` positions before them; a whole
/// axis has before = 1 and its full size.
struct Axis {
  llvm::StringRef name;
  int64_t before = 1, size = 1;
  int64_t full = 1; ///< size of the whole axis
  bool isWhole() const { return size == full; }
  /// `y` or `y:(1)2`.
  std::string text() const;
  bool operator==(const Axis &other) const {
    return name == other.name && before == other.before && size == other.size;
  }
  bool overlaps(const Axis &other) const {
    return name == other.name && before < other.before * other.size &&
           other.before < before * size;
  }
  /// Whether every position of `other` is one of this.
  bool contains(const Axis &other) const {
    return name == other.name && before <= other.before &&
           other.before * other.size <= before * size;
  }
};
using Axes = llvm::SmallVector<Axis, 3>;

Axis axisOf(graph::AxisRefAttr axis, graph::MeshAttr mesh);
Axes axesOf(llvm::ArrayRef<graph::AxisRefAttr> axes, graph::MeshAttr mesh);
graph::AxisRefAttr attributeOf(const Axis &axis, graph::MeshAttr mesh);

/// Number of positions of all of them together.
int64_t shardsOf(llvm::ArrayRef<Axis> axes);
/// Appends, joining a factor with the one that it continues.
void appendAxis(Axes &axes, const Axis &axis);
bool anyOverlaps(llvm::ArrayRef<Axis> axes, const Axis &axis);
/// The largest major part of `axis` without positions of `others`.
std::optional<Axis> partWithout(const Axis &axis, llvm::ArrayRef<Axis> others);

/// The longest list that both begin with; its last axis may be a factor of
/// theirs.
Axes commonPrefix(llvm::ArrayRef<Axis> lhs, llvm::ArrayRef<Axis> rhs);
/// Whether `longer` begins with `prefix`.
bool isPrefix(llvm::ArrayRef<Axis> prefix, llvm::ArrayRef<Axis> longer);

} // namespace zenith::sharding

#endif // ZENITH_PASSES_SHARDING_AXISLISTS_H
