// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs buffers by size. With dynamic sizes a layout has one part per kind of
// size: constants, multiples of one polynomial (packed like constants, in units
// of it), and the rest in slots.

#include "lowering/memory/arena/ArenaLayout.h"

#include "lowering/memory/arena/ArenaPacking.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <numeric>

namespace zenith::memory {

using graph::DimExpr;

DimExpr wholeLines(const DimExpr &bytes) {
  if (std::optional<int64_t> known = bytes.constant())
    return DimExpr((*known + lineBytes - 1) / lineBytes * lineBytes);
  for (const auto &term : bytes.terms())
    if (term.second % lineBytes)
      return DimExpr::ceilDiv(bytes, lineBytes) * DimExpr(lineBytes);
  return bytes;
}

/// bytes = factor * unit with coefficients of unit that have no common divisor.
static std::pair<int64_t, DimExpr> splitFactor(const DimExpr &bytes) {
  int64_t factor = 0;
  for (const auto &term : bytes.terms())
    factor = std::gcd(factor, term.second);
  if (factor <= 1)
    return {1, bytes};
  std::optional<DimExpr> unit = bytes.exactDiv(DimExpr(factor));
  return unit ? std::make_pair(factor, *unit)
              : std::make_pair(int64_t(1), bytes);
}

/// Backtracks of the search for a layout without gaps. A layout is planned for
/// every function, so that few must do.
static constexpr uint64_t mostBacktracks = 20'000;

namespace {
/// Bytes that buffers of any size share one after the other.
struct Slot {
  DimExpr bytes;
  std::map<unsigned, size_t> requests; ///< by their first step
};
} // namespace

/// A size to order by: dimensions are unknown, so all count as equal.
static int64_t typicalBytes(const DimExpr &bytes) {
  return bytes
      .evaluate([](const std::string &) { return std::optional<int64_t>(128); })
      .value_or(0);
}

/// Only the last request that starts before the end of `live` can overlap it.
static bool slotIsFree(const Slot &slot, const BufferRequest &request,
                       llvm::ArrayRef<BufferRequest> requests) {
  auto next = slot.requests.upper_bound(request.live.end);
  return next == slot.requests.begin() ||
         !requests[std::prev(next)->second].live.overlaps(request.live);
}

static std::vector<Slot> assignSlots(std::vector<size_t> members,
                                     llvm::ArrayRef<BufferRequest> requests) {
  std::stable_sort(members.begin(), members.end(), [&](size_t x, size_t y) {
    return typicalBytes(requests[x].bytes) > typicalBytes(requests[y].bytes);
  });
  std::vector<Slot> slots;
  for (size_t member : members) {
    // The last free slot that is large enough is the smallest one.
    Slot *best = nullptr;
    for (Slot &slot : slots)
      if (slotIsFree(slot, requests[member], requests) &&
          requests[member].bytes.provablyAtMost(slot.bytes))
        best = &slot;
    if (!best)
      best = &slots.emplace_back(Slot{requests[member].bytes, {}});
    best->requests[requests[member].live.begin] = member;
  }
  return slots;
}

ArenaLayout layOutArena(llvm::ArrayRef<BufferRequest> requests,
                        const target::TargetModel &target) {
  ArenaLayout layout;
  layout.offsets.resize(requests.size());
  /// Buffers whose sizes are multiples of one unit, with their requests.
  struct Part {
    DimExpr unit;
    std::vector<size_t> requests;
    std::vector<PackedBuffer> buffers;
  };
  std::vector<Part> parts{{DimExpr(1), {}, {}}}; // constants first
  std::map<DimExpr, size_t> partOfUnit;
  std::vector<size_t> others;
  auto addTo = [&](Part &part, size_t index, int64_t size) {
    const liveness::Interval &live = requests[index].live;
    part.requests.push_back(index);
    part.buffers.push_back({size, live.begin, live.end});
  };
  for (size_t index = 0; index < requests.size(); ++index) {
    const DimExpr &bytes = requests[index].bytes;
    if (std::optional<int64_t> known = bytes.constant()) {
      addTo(parts[0], index, *wholeLines(DimExpr(*known)).constant());
      continue;
    }
    auto [factor, unit] = splitFactor(bytes);
    if (factor % lineBytes || !DimExpr(0).provablyAtMost(unit)) {
      others.push_back(index);
      continue;
    }
    auto [found, isNew] = partOfUnit.emplace(unit, parts.size());
    if (isNew)
      parts.push_back({unit, {}, {}});
    addTo(parts[found->second], index, factor);
  }
  CacheSkew skew{lineBytes, target.l1WayBytes(), target.l1Bytes};
  for (Part &part : parts) {
    bool inBytes = part.unit.isConstant(1);
    int64_t total =
        packBuffers(part.buffers, inBytes ? &skew : nullptr, mostBacktracks);
    for (auto [request, buffer] : llvm::zip(part.requests, part.buffers))
      layout.offsets[request] =
          layout.bytes + DimExpr(buffer.offset) * part.unit;
    layout.bytes = layout.bytes + DimExpr(total) * part.unit;
  }
  for (const Slot &slot : assignSlots(std::move(others), requests)) {
    for (auto [step, request] : slot.requests)
      layout.offsets[request] = layout.bytes;
    layout.bytes = layout.bytes + wholeLines(slot.bytes);
  }
  return layout;
}

} // namespace zenith::memory
