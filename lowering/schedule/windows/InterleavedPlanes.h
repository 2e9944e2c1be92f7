// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Planes of channels-first data that a task copies side by side: small ones,
// whose rows fill few lanes.

#ifndef ZENITH_LOWERING_SCHEDULE_WINDOWS_INTERLEAVEDPLANES_H
#define ZENITH_LOWERING_SCHEDULE_WINDOWS_INTERLEAVEDPLANES_H

#include "lowering/schedule/windows/PlaneGeometry.h"

namespace zenith::kernels {

/// Lane l has plane l of `lanes` neighbouring ones; a task has a band of their
/// rows of results.
struct InterleavedPlanes {
  /// Nullopt where planes do not lie side by side in memory, or their sizes are
  /// others for sure. A copy has at most `positions` positions.
  static std::optional<InterleavedPlanes> of(const WindowLoops &loops,
                                             int64_t lanes, int64_t positions);

  PlaneGeometry geometry;
  unsigned lane; ///< the loop from one plane to the next
  graph::DimExpr planes;
  int64_t lanes, positions;
  int64_t mostColumns; ///< of results

  /// 1 where a run has such planes, else 0.
  graph::DimExpr fits() const;
  /// Columns of the copy.
  graph::DimExpr paddedColumns() const;
  /// Rows of results that the copy holds the input of.
  graph::DimExpr rowsOfBand() const;
  /// Positions behind those of the copy that blocks of results reach.
  int64_t beyond(int64_t columns) const {
    return columns * geometry.x.stride + geometry.x.reach();
  }
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_WINDOWS_INTERLEAVEDPLANES_H
