// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks both shapes from the left and extends the side with the smaller number
// of elements until both are equal.

#include "ir/matchers/ReshapeGroups.h"

namespace zenith::graph {

/// True where `left` must be extended, false where `right` must; nullopt where
/// symbolic sizes do not tell.
static std::optional<bool> growsLeft(const DimExpr &left,
                                     const DimExpr &right) {
  if (left.constant() && right.constant())
    return *left.constant() < *right.constant();
  if (right.exactDiv(left))
    return true;
  if (left.exactDiv(right))
    return false;
  return std::nullopt;
}

std::optional<llvm::SmallVector<ReshapeGroup>>
reshapeGroups(const DimVector &from, const DimVector &to) {
  llvm::SmallVector<ReshapeGroup> groups;
  size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    ReshapeGroup group;
    group.from.push_back(i);
    group.to.push_back(j);
    DimExpr left = from[i++], right = to[j++];
    while (left != right) {
      std::optional<bool> grows = growsLeft(left, right);
      if (!grows || (*grows ? i == from.size() : j == to.size()))
        return std::nullopt;
      if (*grows) {
        group.from.push_back(i);
        left = left * from[i++];
      } else {
        group.to.push_back(j);
        right = right * to[j++];
      }
    }
    groups.push_back(std::move(group));
  }
  if (groups.empty())
    return std::nullopt;
  for (; i < from.size(); ++i) {
    if (!from[i].isConstant(1))
      return std::nullopt;
    groups.back().from.push_back(i);
  }
  for (; j < to.size(); ++j) {
    if (!to[j].isConstant(1))
      return std::nullopt;
    groups.back().to.push_back(j);
  }
  return groups;
}

} // namespace zenith::graph
