// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Depth first over buffers by ascending offsets, with restarts: several orders
// of preference take turns, with growing shares of the backtracks.

#include "lowering/memory/arena/ArenaSearch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <functional>
#include <numeric>

using namespace llvm;

namespace zenith::memory {

namespace {

/// A buffer during the search.
struct Box {
  int64_t size, alignment;
  /// A section is a time between two events: the same buffers live all along.
  unsigned firstSection, lastSection; ///< both included
  int64_t width = 0;                  ///< steps that it lives
  int64_t contention = 0; ///< the most of all bytes at one of its times
  int64_t least = 0;      ///< top of what is below it
  int64_t bound = 0;      ///< it will not start below, in any completion
  int64_t offset = -1;
};

/// The lowest tops that boxes to come may have in a section.
struct LowestTops {
  int64_t first = INT64_MAX, second = INT64_MAX;
  unsigned owner = 0; ///< of the first
};

using Preference = std::function<bool(const Box &, const Box &)>;

class OffsetSearch {
public:
  OffsetSearch(ArrayRef<PackedBuffer> buffers, int64_t capacity);
  /// False where no layout was found within `backtracks`; `isProof` if there
  /// is none.
  bool run(const Preference &prefers, uint64_t &backtracks, bool &isProof);
  int64_t offset(size_t buffer) const { return boxes[buffer].offset; }

private:
  using List = std::vector<unsigned>; ///< boxes by their first section
  void makeSections(ArrayRef<PackedBuffer> buffers);
  /// What was placed last: the next ones lie above, or as high and behind it
  /// in the order of preference.
  struct Last {
    int64_t offset = 0;
    int rank = -1;
  };
  bool solve(const List &list, Last last);
  bool solveTogether(const List &list, Last last);
  bool tryBox(const List &list, unsigned index, bool &isCovered);
  List candidates(const List &list, Last last) const;
  bool isTooLow(unsigned index, Last last) const {
    return std::pair(offsetOf(boxes[index]), int(rank[index])) <=
           std::pair(last.offset, last.rank);
  }
  void findTops(const List &list);
  bool raiseBounds(const List &list, Last last);
  bool fits(const List &list, Last last);
  int64_t offsetOf(const Box &box) const {
    return int64_t(alignTo(uint64_t(box.least), uint64_t(box.alignment)));
  }

  int64_t capacity;
  std::vector<Box> boxes;
  std::vector<unsigned> rank;   ///< by the preference
  std::vector<int64_t> missing; ///< bytes to come, by section
  std::vector<LowestTops> tops; ///< by section
  uint64_t backtracksLeft = 0;
};

} // namespace

OffsetSearch::OffsetSearch(ArrayRef<PackedBuffer> buffers, int64_t capacity)
    : capacity(capacity), rank(buffers.size()) {
  makeSections(buffers);
}

void OffsetSearch::makeSections(ArrayRef<PackedBuffer> buffers) {
  std::vector<int64_t> events;
  for (const PackedBuffer &buffer : buffers) {
    events.push_back(buffer.begin);
    events.push_back(buffer.end + 1);
  }
  llvm::sort(events);
  events.erase(llvm::unique(events), events.end());
  missing.resize(events.size());
  tops.resize(events.size());
  auto sectionAt = [&](int64_t step) {
    return unsigned(llvm::lower_bound(events, step) - events.begin());
  };
  for (const PackedBuffer &buffer : buffers) {
    Box &box = boxes.emplace_back();
    box.size = buffer.size;
    box.alignment = buffer.alignment;
    box.firstSection = sectionAt(buffer.begin);
    box.lastSection = sectionAt(buffer.end + 1) - 1;
    box.width = buffer.end + 1 - buffer.begin;
    for (unsigned at = box.firstSection; at <= box.lastSection; ++at)
      missing[at] += box.size;
  }
  for (Box &box : boxes)
    for (unsigned at = box.firstSection; at <= box.lastSection; ++at)
      box.contention = std::max(box.contention, missing[at]);
}

bool OffsetSearch::run(const Preference &prefers, uint64_t &backtracks,
                       bool &isProof) {
  List all(boxes.size()), preferred;
  std::iota(all.begin(), all.end(), 0);
  preferred = all;
  llvm::stable_sort(preferred, [&](unsigned x, unsigned y) {
    return prefers(boxes[x], boxes[y]);
  });
  for (auto [place, index] : enumerate(preferred))
    rank[index] = unsigned(place);
  llvm::stable_sort(all, [&](unsigned x, unsigned y) {
    return boxes[x].firstSection < boxes[y].firstSection;
  });
  backtracksLeft = backtracks;
  bool found = fits(all, Last()) && solve(all, Last());
  isProof = !found && backtracksLeft > 0;
  backtracks = backtracksLeft;
  return found;
}

void OffsetSearch::findTops(const List &list) {
  for (unsigned index : list)
    std::fill(tops.begin() + boxes[index].firstSection,
              tops.begin() + boxes[index].lastSection + 1, LowestTops());
  for (unsigned index : list) {
    const Box &box = boxes[index];
    int64_t top = box.bound + box.size;
    for (unsigned at = box.firstSection; at <= box.lastSection; ++at) {
      LowestTops &lowest = tops[at];
      if (top < lowest.first) {
        lowest.second = lowest.first;
        lowest.first = top;
        lowest.owner = index;
      } else {
        lowest.second = std::min(lowest.second, top);
      }
    }
  }
}

/// Finds the bounds of boxes to come. One that could have come before the last
/// box, but did not, will lie on another that is to come; false where there is
/// none that leaves room for it.
bool OffsetSearch::raiseBounds(const List &list, Last last) {
  List low;
  for (unsigned index : list) {
    Box &box = boxes[index];
    box.bound = std::max(box.least, last.offset);
    if (isTooLow(index, last))
      low.push_back(index);
  }
  if (low.empty())
    return true;
  findTops(list);
  for (unsigned index : low) {
    Box &box = boxes[index];
    int64_t top = INT64_MAX;
    for (unsigned at = box.firstSection; at <= box.lastSection; ++at)
      top = std::min(top, tops[at].owner == index ? tops[at].second
                                                  : tops[at].first);
    if (top > capacity - box.size)
      return false;
    box.bound = std::max(box.bound, top);
  }
  return true;
}

/// Whether at every time the boxes to come have room: those that start at some
/// offset or above it lie one above the other from there on.
bool OffsetSearch::fits(const List &list, Last last) {
  if (!raiseBounds(list, last))
    return false;
  List byBound = list;
  llvm::sort(byBound, [&](unsigned x, unsigned y) {
    return boxes[x].bound > boxes[y].bound;
  });
  for (unsigned index : list)
    std::fill(missing.begin() + boxes[index].firstSection,
              missing.begin() + boxes[index].lastSection + 1, 0);
  for (unsigned index : byBound) {
    const Box &box = boxes[index];
    int64_t room = capacity - box.bound;
    for (unsigned at = box.firstSection; at <= box.lastSection; ++at)
      if ((missing[at] += box.size) > room)
        return false;
  }
  return true;
}

/// Solves what time separates one after the other.
bool OffsetSearch::solve(const List &list, Last last) {
  List part;
  unsigned end = 0;
  for (unsigned index : list) {
    if (!part.empty() && boxes[index].firstSection > end) {
      if (!solveTogether(part, last))
        return false;
      part.clear();
    }
    end = part.empty() ? boxes[index].lastSection
                       : std::max(end, boxes[index].lastSection);
    part.push_back(index);
  }
  return part.empty() || solveTogether(part, last);
}

/// The boxes that may come next, the lowest first. A box that fits entirely
/// below another one comes before it: it could always sink there.
OffsetSearch::List OffsetSearch::candidates(const List &list, Last last) const {
  int64_t lowestTop = INT64_MAX;
  for (unsigned index : list)
    lowestTop = std::min(lowestTop, offsetOf(boxes[index]) + boxes[index].size);
  List found;
  for (unsigned index : list) {
    if (offsetOf(boxes[index]) < lowestTop && !isTooLow(index, last))
      found.push_back(index);
  }
  llvm::sort(found, [&](unsigned x, unsigned y) {
    return std::pair(offsetOf(boxes[x]), rank[x]) <
           std::pair(offsetOf(boxes[y]), rank[y]);
  });
  return found;
}

bool OffsetSearch::solveTogether(const List &list, Last last) {
  for (unsigned index : candidates(list, last)) {
    bool isCovered = false;
    if (tryBox(list, index, isCovered))
      return true;
    if (backtracksLeft == 0)
      return false;
    --backtracksLeft;
    // Nothing comes above the box, so it is not the reason.
    if (!isCovered)
      return false;
  }
  return false;
}

/// Places a box and solves the rest; takes it back where that fails.
/// `isCovered` says that others may come above it, or that it had no room
/// itself.
bool OffsetSearch::tryBox(const List &list, unsigned index, bool &isCovered) {
  struct Change {
    unsigned index;
    int64_t before;
  };
  List rest;
  std::vector<Change> leasts;
  Box &box = boxes[index];
  box.offset = offsetOf(box);
  int64_t top = box.offset + box.size;
  isCovered = top > capacity;
  for (unsigned other : list) {
    if (other == index)
      continue;
    rest.push_back(other);
    Box &above = boxes[other];
    if (above.firstSection > box.lastSection ||
        box.firstSection > above.lastSection)
      continue;
    isCovered = true;
    leasts.push_back({other, above.least});
    above.least = std::max(above.least, top);
  }
  Last placed{box.offset, int(rank[index])};
  if (top <= capacity && fits(rest, placed) && solve(rest, placed))
    return true;
  for (const Change &change : leasts)
    boxes[change.index].least = change.before;
  return false;
}

bool searchOffsets(MutableArrayRef<PackedBuffer> buffers, int64_t capacity,
                   uint64_t &backtracks) {
  if (mostLive(buffers) > capacity)
    return false;
  // What has no bytes is anywhere; the search compares tops.
  std::vector<PackedBuffer> some;
  std::vector<size_t> indices;
  for (auto [index, buffer] : enumerate(buffers)) {
    if (buffer.size == 0)
      continue;
    some.push_back(buffer);
    indices.push_back(index);
  }
  auto area = [](const Box &box) {
    return double(box.size) * double(box.width);
  };
  const Preference preferences[] = {
      [&](const Box &x, const Box &y) {
        return std::tuple(x.contention, area(x), x.width) >
               std::tuple(y.contention, area(y), y.width);
      },
      [&](const Box &x, const Box &y) {
        return std::tuple(x.width, area(x), x.contention) >
               std::tuple(y.width, area(y), y.contention);
      },
      [&](const Box &x, const Box &y) {
        return std::tuple(x.contention, x.width, area(x)) >
               std::tuple(y.contention, y.width, area(y));
      },
      [&](const Box &x, const Box &y) {
        return std::tuple(area(x), x.width, x.contention) >
               std::tuple(area(y), y.width, y.contention);
      },
      [&](const Box &x, const Box &y) {
        return std::tuple(x.size, x.width) > std::tuple(y.size, y.width);
      }};
  constexpr uint64_t firstShare = 1000;
  for (uint64_t share = firstShare; backtracks > 0; share *= 4)
    for (const Preference &prefers : preferences) {
      uint64_t mine = std::min(share, backtracks), left = mine;
      OffsetSearch search(some, capacity);
      bool isProof = false;
      bool found = search.run(prefers, left, isProof);
      backtracks -= mine - left;
      if (found) {
        for (PackedBuffer &buffer : buffers)
          buffer.offset = 0;
        for (auto [place, index] : enumerate(indices))
          buffers[index].offset = search.offset(place);
        return true;
      }
      if (isProof || backtracks == 0)
        return false;
    }
  return false;
}

} // namespace zenith::memory
