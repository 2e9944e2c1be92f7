// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs buffers by size. With dynamic sizes a layout has one part per kind of
// size: constants, multiples of one polynomial (packed like constants, in units
// of it), and the rest in slots.

#include "lowering/memory/ArenaLayout.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
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

/// The units that an item takes.
struct Span {
  int64_t offset, size;
};
} // namespace

/// First offset >= start below `end` - size at which an item of `size` starts
/// at another line of a cache way of `wayBytes` than its neighbours.
static int64_t skew(int64_t start, int64_t end, int64_t size,
                    llvm::ArrayRef<Span> neighbours, int64_t wayBytes) {
  auto lineOfWay = [&](int64_t at) { return at % wayBytes / lineBytes; };
  for (int64_t offset = start;
       offset + size <= end && offset < start + wayBytes; offset += lineBytes)
    if (llvm::none_of(neighbours, [&](const Span &other) {
          return lineOfWay(offset) == lineOfWay(other.offset);
        }))
      return offset;
  return start;
}

namespace {
/// The items that have offsets, found by the steps at which they are live: a
/// tree over all items by their first step, with the last step of those in each
/// part that have offsets.
class PlacedItems {
public:
  PlacedItems(llvm::MutableArrayRef<Item> items,
              llvm::ArrayRef<BufferRequest> requests);
  /// `item` has its offset now.
  void add(const Item &item);
  /// What those take that are live at some step of `live`, by offset.
  std::vector<Span> overlapping(const liveness::Interval &live) const;

private:
  void collect(size_t node, size_t first, size_t count, size_t limit,
               unsigned begin, std::vector<Span> &found) const;

  llvm::ArrayRef<BufferRequest> requests;
  std::vector<const Item *> byBegin;
  llvm::DenseMap<const Item *, size_t> places; ///< in byBegin
  size_t leaves;
  std::vector<int64_t> lastSteps; ///< of the nodes of the tree; -1: none
};
} // namespace

PlacedItems::PlacedItems(llvm::MutableArrayRef<Item> items,
                         llvm::ArrayRef<BufferRequest> requests)
    : requests(requests), leaves(llvm::bit_ceil(items.size())),
      lastSteps(2 * leaves, -1) {
  for (const Item &item : items)
    byBegin.push_back(&item);
  llvm::stable_sort(byBegin, [&](const Item *x, const Item *y) {
    return requests[x->request].live.begin < requests[y->request].live.begin;
  });
  for (auto [place, item] : llvm::enumerate(byBegin))
    places[item] = place;
}

void PlacedItems::add(const Item &item) {
  int64_t end = requests[item.request].live.end;
  for (size_t node = leaves + places.lookup(&item); node > 0; node /= 2)
    lastSteps[node] = std::max(lastSteps[node], end);
}

std::vector<Span>
PlacedItems::overlapping(const liveness::Interval &live) const {
  std::vector<Span> found;
  auto limit = llvm::partition_point(byBegin, [&](const Item *item) {
    return requests[item->request].live.begin <= live.end;
  });
  collect(/*node=*/1, /*first=*/0, leaves, limit - byBegin.begin(), live.begin,
          found);
  llvm::sort(found,
             [](const Span &x, const Span &y) { return x.offset < y.offset; });
  return found;
}

/// Those among `count` items from `first` on, of the first `limit`, that are
/// live at step `begin` or later.
void PlacedItems::collect(size_t node, size_t first, size_t count, size_t limit,
                          unsigned begin, std::vector<Span> &found) const {
  if (first >= limit || lastSteps[node] < int64_t(begin))
    return;
  if (count == 1) {
    found.push_back({byBegin[first]->offset, byBegin[first]->size});
    return;
  }
  collect(2 * node, first, count / 2, limit, begin, found);
  collect(2 * node + 1, first + count / 2, count / 2, limit, begin, found);
}

/// Packs items by size; returns the total. Items of a size in bytes (`skewed`)
/// that don't fit the first-level cache avoid each other's lines.
static int64_t packBySize(llvm::MutableArrayRef<Item> items,
                          llvm::ArrayRef<BufferRequest> requests, bool skewed,
                          const target::TargetModel &target) {
  int64_t wayBytes = target.l1WayBytes();
  std::vector<Item *> order;
  PlacedItems placed(items, requests);
  for (Item &item : items)
    order.push_back(&item);
  std::stable_sort(
      order.begin(), order.end(),
      [](const Item *x, const Item *y) { return x->size > y->size; });
  int64_t total = 0;
  for (Item *item : order) {
    std::vector<Span> streams,
        busy = placed.overlapping(requests[item->request].live);
    if (skewed && item->size >= target.l1Bytes)
      llvm::copy_if(busy, std::back_inserter(streams), [&](const Span &other) {
        return other.size >= target.l1Bytes;
      });
    int64_t offset = 0;
    std::optional<int64_t> found;
    for (const Span &other : busy) {
      if (other.offset - offset >= item->size) {
        found = skew(offset, other.offset, item->size, streams, wayBytes);
        break;
      }
      offset = std::max(offset, other.offset + other.size);
    }
    item->offset =
        found ? *found : skew(offset, INT64_MAX, item->size, streams, wayBytes);
    total = std::max(total, item->offset + item->size);
    placed.add(*item);
  }
  return total;
}

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
    for (auto [step, request] : slot.requests)
      layout.offsets[request] = layout.bytes;
    layout.bytes = layout.bytes + wholeLines(slot.bytes);
  }
  return layout;
}

} // namespace zenith::memory
