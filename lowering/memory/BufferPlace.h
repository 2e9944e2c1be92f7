// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A buffer with its bytes, and whether two of them share any.

#ifndef ZENITH_LOWERING_MEMORY_BUFFERPLACE_H
#define ZENITH_LOWERING_MEMORY_BUFFERPLACE_H

#include "lowering/host/HostDialect.h"
#include <array>

namespace zenith::memory {

/// Assignments of sizes to dimensions for which places are compared.
inline constexpr unsigned sampleCount = 7;

/// An expression under each assignment; nullopt where it has no value.
using Samples = std::array<std::optional<int64_t>, sampleCount>;
Samples samplesOf(const graph::DimExpr &expr);

/// True where `x` <= `y` under each assignment at which both have a value and
/// which `possible` has.
bool isAtMost(const Samples &x, const Samples &y,
              const std::array<bool, sampleCount> &possible);

/// The bytes of a value in memory.
struct BufferPlace {
  BufferPlace() = default;
  BufferPlace(host::BufferAttr buffer, const graph::DimExpr &bytes)
      : buffer(buffer), bytes(bytes),
        begin(samplesOf(buffer.getOffset().getExpr())),
        end(samplesOf(buffer.getOffset().getExpr() + bytes)) {}

  host::BufferAttr buffer; ///< null: no place
  graph::DimExpr bytes;
  Samples begin, end; ///< within the buffer's memory

  /// True where both have a byte under one of the assignments.
  bool overlaps(const BufferPlace &other,
                const std::array<bool, sampleCount> &possible) const;
};

} // namespace zenith::memory

#endif // ZENITH_LOWERING_MEMORY_BUFFERPLACE_H
