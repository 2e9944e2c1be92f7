// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Best fit by size.

#include "lowering/memory/arena/ArenaPacking.h"

#include "lowering/memory/arena/ArenaSearch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace zenith::memory {

namespace {

/// The bytes that a buffer takes.
struct Span {
  int64_t offset, size;
};

/// The buffers that have offsets, found by the steps at which they are live: a
/// tree over all buffers by their first step, with the last step of those in
/// each part that have offsets.
class PlacedBuffers {
public:
  explicit PlacedBuffers(ArrayRef<PackedBuffer> buffers);
  /// The buffer of this index has its offset now.
  void add(size_t index);
  /// What those take that are live at some step of `live`, by offset.
  std::vector<Span> overlapping(const PackedBuffer &live) const;

private:
  void collect(size_t node, size_t first, size_t count, size_t limit,
               int64_t begin, std::vector<Span> &found) const;

  ArrayRef<PackedBuffer> buffers;
  std::vector<size_t> byBegin;
  std::vector<size_t> places; ///< of buffers, in byBegin
  size_t leaves;
  std::vector<int64_t> lastSteps; ///< of the nodes of the tree
};

} // namespace

PlacedBuffers::PlacedBuffers(ArrayRef<PackedBuffer> buffers)
    : buffers(buffers), places(buffers.size()),
      leaves(llvm::bit_ceil(buffers.size())), lastSteps(2 * leaves, INT64_MIN) {
  for (size_t index = 0; index < buffers.size(); ++index)
    byBegin.push_back(index);
  llvm::stable_sort(byBegin, [&](size_t x, size_t y) {
    return buffers[x].begin < buffers[y].begin;
  });
  for (auto [place, index] : enumerate(byBegin))
    places[index] = place;
}

void PlacedBuffers::add(size_t index) {
  for (size_t node = leaves + places[index]; node > 0; node /= 2)
    lastSteps[node] = std::max(lastSteps[node], buffers[index].end);
}

std::vector<Span> PlacedBuffers::overlapping(const PackedBuffer &live) const {
  std::vector<Span> found;
  auto limit = llvm::partition_point(
      byBegin, [&](size_t index) { return buffers[index].begin <= live.end; });
  collect(/*node=*/1, /*first=*/0, leaves, size_t(limit - byBegin.begin()),
          live.begin, found);
  llvm::sort(found,
             [](const Span &x, const Span &y) { return x.offset < y.offset; });
  return found;
}

/// Those among `count` buffers from `first` on, of the first `limit`, that are
/// live at step `begin` or later.
void PlacedBuffers::collect(size_t node, size_t first, size_t count,
                            size_t limit, int64_t begin,
                            std::vector<Span> &found) const {
  if (first >= limit || lastSteps[node] < begin)
    return;
  if (count == 1) {
    found.push_back(
        {buffers[byBegin[first]].offset, buffers[byBegin[first]].size});
    return;
  }
  collect(2 * node, first, count / 2, limit, begin, found);
  collect(2 * node + 1, first + count / 2, count / 2, limit, begin, found);
}

/// First offset >= start below `end` - size at which a buffer of `size` starts
/// at another line of a cache way than its neighbours.
static int64_t skewed(int64_t start, int64_t end, int64_t size,
                      ArrayRef<Span> neighbours, const CacheSkew &skew) {
  auto lineOfWay = [&](int64_t at) {
    return at % skew.wayBytes / skew.lineBytes;
  };
  for (int64_t offset = start;
       offset + size <= end && offset < start + skew.wayBytes;
       offset += skew.lineBytes)
    if (llvm::none_of(neighbours, [&](const Span &other) {
          return lineOfWay(offset) == lineOfWay(other.offset);
        }))
      return offset;
  return start;
}

int64_t packBySize(MutableArrayRef<PackedBuffer> buffers,
                   const CacheSkew *skew) {
  PlacedBuffers placed(buffers);
  std::vector<size_t> order;
  for (size_t index = 0; index < buffers.size(); ++index)
    order.push_back(index);
  llvm::stable_sort(order, [&](size_t x, size_t y) {
    return buffers[x].size > buffers[y].size;
  });
  int64_t total = 0;
  for (size_t index : order) {
    PackedBuffer &buffer = buffers[index];
    bool isSkewed = skew && buffer.size >= skew->leastBytes;
    std::vector<Span> streams, busy = placed.overlapping(buffer);
    if (isSkewed)
      llvm::copy_if(busy, std::back_inserter(streams), [&](const Span &other) {
        return other.size >= skew->leastBytes;
      });
    int64_t offset = 0, end = INT64_MAX;
    for (const Span &other : busy) {
      if (other.offset - offset >= buffer.size) {
        end = other.offset;
        break;
      }
      offset = std::max(offset, other.offset + other.size);
      offset = int64_t(llvm::alignTo(uint64_t(offset), buffer.alignment));
    }
    buffer.offset =
        isSkewed ? skewed(offset, end, buffer.size, streams, *skew) : offset;
    total = std::max(total, buffer.offset + buffer.size);
    placed.add(index);
  }
  return total;
}

int64_t packBuffers(MutableArrayRef<PackedBuffer> buffers,
                    const CacheSkew *skew, uint64_t mostBacktracks) {
  int64_t bound = mostLive(buffers), total = packBySize(buffers, skew);
  // Streams that evict each other cost more time than a few lines.
  constexpr int64_t little = 64;
  if (total <= bound + (skew ? bound / little : 0))
    return total;
  std::vector<PackedBuffer> trial(buffers.begin(), buffers.end());
  auto take = [&](int64_t other) {
    if (other >= total)
      return;
    total = other;
    llvm::copy(trial, buffers.begin());
  };
  if (skew)
    take(packBySize(trial, nullptr));
  // The bound, then capacities that halve what is left above a failure.
  constexpr int rounds = 6;
  int64_t failed = bound - 1;
  for (int round = 0; round < rounds && failed + 1 < total; ++round) {
    int64_t capacity = round == 0 ? bound : failed + (total - failed) / 2;
    uint64_t backtracks = mostBacktracks;
    if (!searchOffsets(trial, capacity, backtracks)) {
      failed = capacity;
      continue;
    }
    int64_t top = 0;
    for (const PackedBuffer &buffer : trial)
      top = std::max(top, buffer.offset + buffer.size);
    take(top);
  }
  return total;
}

} // namespace zenith::memory
