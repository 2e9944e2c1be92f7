// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs buffers by size. With dynamic sizes a layout has one part per kind of
// size: constants, multiples of one polynomial (packed like constants, in units
// of it), and the rest in slots.

#include "lowering/memory/ArenaLayout.h"

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

namespace {
/// A buffer of a part of the arena, in units of the part.
struct Item {
  size_t request;
  int64_t size;
  int64_t offset = -1;
};
} // namespace

/// First offset >= start below `end` - size at which `item` starts at another
/// line of a cache way of `wayBytes` than its neighbours.
static int64_t skew(int64_t start, int64_t end, const Item &item,
                    llvm::ArrayRef<const Item *> neighbours, int64_t wayBytes) {
  auto lineOfWay = [&](int64_t at) { return at % wayBytes / lineBytes; };
  for (int64_t offset = start;
       offset + item.size <= end && offset < start + wayBytes;
       offset += lineBytes)
    if (llvm::none_of(neighbours, [&](const Item *other) {
          return lineOfWay(offset) == lineOfWay(other->offset);
        }))
      return offset;
  return start;
}

/// Packs items by size; returns the total. Items of a size in bytes (`skewed`)
/// that don't fit the first-level cache avoid each other's lines.
static int64_t packBySize(llvm::MutableArrayRef<Item> items,
                          llvm::ArrayRef<BufferRequest> requests, bool skewed,
                          const target::TargetModel &target) {
  int64_t wayBytes = target.l1WayBytes();
  std::vector<Item *> order, placed;
  for (Item &item : items)
    order.push_back(&item);
  std::stable_sort(
      order.begin(), order.end(),
      [](const Item *x, const Item *y) { return x->size > y->size; });
  int64_t total = 0;
  for (Item *item : order) {
    std::vector<const Item *> busy, streams;
    for (const Item *other : placed)
      if (requests[item->request].live.overlaps(requests[other->request].live))
        busy.push_back(other);
    std::sort(busy.begin(), busy.end(), [](const Item *x, const Item *y) {
      return x->offset < y->offset;
    });
    if (skewed && item->size >= target.l1Bytes)
      llvm::copy_if(busy, std::back_inserter(streams), [&](const Item *other) {
        return other->size >= target.l1Bytes;
      });
    int64_t offset = 0;
    std::optional<int64_t> found;
    for (const Item *other : busy) {
      if (other->offset - offset >= item->size) {
        found = skew(offset, other->offset, *item, streams, wayBytes);
        break;
      }
      offset = std::max(offset, other->offset + other->size);
    }
    item->offset =
        found ? *found : skew(offset, INT64_MAX, *item, streams, wayBytes);
    total = std::max(total, item->offset + item->size);
    placed.push_back(item);
  }
  return total;
}

namespace {
/// Bytes that buffers of any size share one after the other.
struct Slot {
  DimExpr bytes;
  std::vector<size_t> requests;
};
} // namespace

static bool slotIsFree(const Slot &slot, const BufferRequest &request,
                       llvm::ArrayRef<BufferRequest> requests) {
  return llvm::none_of(slot.requests, [&](size_t other) {
    return requests[other].live.overlaps(request.live);
  });
}

/// A size to order by: dimensions are unknown, so all count as equal.
static int64_t typicalBytes(const DimExpr &bytes) {
  return bytes
      .evaluate([](const std::string &) { return std::optional<int64_t>(128); })
      .value_or(0);
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
    best->requests.push_back(member);
  }
  return slots;
}

ArenaLayout layOutArena(llvm::ArrayRef<BufferRequest> requests,
                        const target::TargetModel &target) {
  ArenaLayout layout;
  layout.offsets.resize(requests.size());
  std::vector<std::pair<DimExpr, std::vector<Item>>> parts{
      {DimExpr(1), {}}}; // by unit; constants first
  std::map<DimExpr, size_t> partOfUnit;
  std::vector<size_t> others;
  for (size_t index = 0; index < requests.size(); ++index) {
    const DimExpr &bytes = requests[index].bytes;
    if (std::optional<int64_t> known = bytes.constant()) {
      parts[0].second.push_back(
          {index, *wholeLines(DimExpr(*known)).constant()});
      continue;
    }
    auto [factor, unit] = splitFactor(bytes);
    if (factor % lineBytes || !DimExpr(0).provablyAtMost(unit)) {
      others.push_back(index);
      continue;
    }
    auto [found, isNew] = partOfUnit.emplace(unit, parts.size());
    if (isNew)
      parts.push_back({unit, {}});
    parts[found->second].second.push_back({index, factor});
  }
  for (auto &[unit, items] : parts) {
    int64_t total = packBySize(items, requests, unit.isConstant(1), target);
    for (const Item &item : items)
      layout.offsets[item.request] = layout.bytes + DimExpr(item.offset) * unit;
    layout.bytes = layout.bytes + DimExpr(total) * unit;
  }
  for (const Slot &slot : assignSlots(std::move(others), requests)) {
    for (size_t request : slot.requests)
      layout.offsets[request] = layout.bytes;
    layout.bytes = layout.bytes + wholeLines(slot.bytes);
  }
  return layout;
}

} // namespace zenith::memory
