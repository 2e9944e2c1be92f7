// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a dealt dimension that the windows of the own block read: of a
// source that may be spread, at any stride.

#ifndef ZENITH_PASSES_SHARDING_PARTITION_WINDOWROWS_H
#define ZENITH_PASSES_SHARDING_PARTITION_WINDOWROWS_H

#include "passes/sharding/partition/LocalBuilder.h"

namespace zenith::sharding {

/// Places are those of the source after padding and dilation, as a whole
/// program numbers them: row r of the source is at place r * dilation + low.
struct WindowPlaces {
  int64_t dim = 0;      ///< of the source
  Atoms atoms;          ///< of source and windows alike
  int64_t size = 0;     ///< rows of the whole source
  int64_t low = 0;      ///< may be negative
  int64_t dilation = 1; ///< places from a row to the next
  int64_t step = 0;     ///< places from a device's first one to the next's
  int64_t places = 0;   ///< that a device reads
  int64_t total = 0;    ///< that all devices read; rows beyond don't travel
};

/// Padding and dilation that put `rows` at the places of the own block.
struct WindowRows {
  Value rows;
  int64_t low = 0, high = 0, dilation = 1;
};

/// `source` is the device's block of the dimension. Where no row is, `neutral`,
/// a scalar, stands.
WindowRows windowRows(LocalBuilder &builder, Value source,
                      const WindowPlaces &places, Value neutral);

} // namespace zenith::sharding

#endif // ZENITH_PASSES_SHARDING_PARTITION_WINDOWROWS_H
