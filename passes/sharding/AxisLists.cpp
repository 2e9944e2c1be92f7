// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares and joins lists of axes.

#include "passes/sharding/AxisLists.h"

#include "ir/attributes/ShardingAttrs.h"
#include "ir/program/Shardings.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::sharding {

Axis axisOf(AxisRefAttr axis, MeshAttr mesh) {
  return {axis.getName(), axis.getPreSize(), axisSize(axis, mesh),
          *mesh.sizeOf(axis.getName())};
}

std::string Axis::text() const {
  if (isWhole())
    return name.str();
  return (name + ":(" + Twine(before) + ")" + Twine(size)).str();
}

Axes axesOf(ArrayRef<AxisRefAttr> axes, MeshAttr mesh) {
  Axes list;
  for (AxisRefAttr axis : axes)
    list.push_back(axisOf(axis, mesh));
  return list;
}

AxisRefAttr attributeOf(const Axis &axis, MeshAttr mesh) {
  auto whole = AxisRefAttr::get(mesh.getContext(), axis.name, 1, 0);
  return axisPart(whole, axis.before, axis.size, axis.full);
}

int64_t shardsOf(ArrayRef<Axis> axes) {
  int64_t shards = 1;
  for (const Axis &axis : axes)
    shards *= axis.size;
  return shards;
}

void appendAxis(Axes &axes, const Axis &axis) {
  if (!axes.empty() && axes.back().name == axis.name &&
      axes.back().before * axes.back().size == axis.before)
    axes.back().size *= axis.size;
  else
    axes.push_back(axis);
}

bool anyOverlaps(ArrayRef<Axis> axes, const Axis &axis) {
  return llvm::any_of(axes,
                      [&](const Axis &other) { return other.overlaps(axis); });
}

std::optional<Axis> partWithout(const Axis &axis, ArrayRef<Axis> others) {
  Axis part = axis;
  for (const Axis &other : others) {
    if (!other.overlaps(part))
      continue;
    if (other.before <= part.before || other.before % part.before != 0)
      return std::nullopt;
    part.size = other.before / part.before;
  }
  return part.size > 1 ? std::optional(part) : std::nullopt;
}

Axes commonPrefix(ArrayRef<Axis> lhs, ArrayRef<Axis> rhs) {
  Axes prefix;
  for (auto [left, right] : llvm::zip(lhs, rhs)) {
    if (left == right) {
      prefix.push_back(left);
      continue;
    }
    const Axis &small = left.size < right.size ? left : right,
               &large = left.size < right.size ? right : left;
    if (left.name == right.name && left.before == right.before &&
        large.size % small.size == 0)
      prefix.push_back(small);
    break;
  }
  return prefix;
}

bool isPrefix(ArrayRef<Axis> prefix, ArrayRef<Axis> longer) {
  Axes common = commonPrefix(prefix, longer);
  return ArrayRef<Axis>(common) == prefix;
}

} // namespace zenith::sharding
