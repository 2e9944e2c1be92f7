// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The groups of levels that states are divided by, as coset_bits gives them.

#ifndef ZENITH_RUNTIME_ROUTINES_RANKS_RANKGROUPS_H
#define ZENITH_RUNTIME_ROUTINES_RANKS_RANKGROUPS_H

#include "runtime/RoutineArguments.h"

namespace zenith::runtime {

struct RankGroups {
  explicit RankGroups(const zenith_coset_bits_arguments &given);

  /// Neighbouring levels, which are divided by together.
  struct Group {
    const uint16_t *indices, *inverses;
    uint64_t size;
    int64_t firstPoint, endPoint; ///< in `points`
  };

  static constexpr int64_t mostColumns = 1024; ///< as the op has it
  const zenith_coset_bits_arguments &given;
  const uint64_t columns;
  const uint16_t last; ///< column
  int64_t rowPoints = 0, groupPoints = 0;
  Group groups[mostColumns];
  uint16_t points[mostColumns]; ///< by group, then those of no group
};

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_ROUTINES_RANKS_RANKGROUPS_H
