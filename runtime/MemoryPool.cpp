// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block sizes, reuse, the budget, and what goes to files.

#include "runtime/MemoryPool.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace zenith::runtime {

/// Blocks from this size on are pages of their own: fresh pages cost less than
/// a copy, and go back to the system when dropped.
static constexpr int64_t pagedBytes = 1 << 18;

/// Eight sizes per power of two, so that a block freed by one run serves a
/// slightly different size in the next at no more than 1/8 waste. Huge pages
/// are taken whole: without a budget, blocks of them may be used whole too,
/// which saves moving them to hold a little more.
static int64_t blockBytes(int64_t bytes, bool hasBudget) {
  int64_t step = !hasBudget && bytes >= ZENITH_ARENA_ALIGNMENT
                     ? ZENITH_ARENA_ALIGNMENT
                     : ZENITH_BUFFER_ALIGNMENT;
  while (step < bytes / 16)
    step *= 2;
  return (std::max<int64_t>(bytes, 1) + step - 1) / step * step;
}

/// The system is asked once for so many bytes: that takes about 0.1 ms, a small
/// part of the time to touch as many.
static constexpr int64_t askedBytes = 1 << 26;

static int64_t exactBytes(int64_t bytes) {
  constexpr int64_t unit = ZENITH_BUFFER_ALIGNMENT;
  return (std::max<int64_t>(bytes, 1) + unit - 1) / unit * unit;
}

MemoryPool::~MemoryPool() {
  trim(true);
  for (auto &[data, block] : live)
    discard(data, block);
}

Status MemoryPool::refuse(const char *what, int64_t bytes,
                          const Status &file) const {
  std::string text = std::string(what) + " of " + std::to_string(bytes) +
                     " bytes does not fit: ";
  if (budgetBytes)
    text += std::to_string(counts.liveBytes) +
            " bytes are in use of a budget of " + std::to_string(budgetBytes);
  else if (int64_t has = availableBytes(); bytes > has)
    text += std::to_string(has) + " bytes of memory are available";
  else
    text += "the system has no more memory";
  if (!file)
    text += "; " + file.text();
  return Status::error(ZENITH_OUT_OF_MEMORY, std::move(text));
}

void MemoryPool::discard(void *data, Block &block) {
  if (block.inFile)
    files.unmap(std::move(block.pages));
  else if (block.pages)
    block.pages = PageBlock();
  else
    std::free(data);
}

void MemoryPool::addLive(void *data, Block block) {
  if (liveNodes.empty()) {
    live.emplace(data, std::move(block));
    return;
  }
  Live::node_type node = std::move(liveNodes.back());
  liveNodes.pop_back();
  node.key() = data;
  node.mapped() = std::move(block);
  live.insert(std::move(node));
}

MemoryPool::Block MemoryPool::takeLive(Live::iterator at) {
  liveNodes.push_back(live.extract(at));
  return std::move(liveNodes.back().mapped());
}

void MemoryPool::addCached(void *data, Block block) {
  const int64_t bytes = block.bytes;
  if (cachedNodes.empty()) {
    cached.emplace(bytes, std::make_pair(data, std::move(block)));
    return;
  }
  Cached::node_type node = std::move(cachedNodes.back());
  cachedNodes.pop_back();
  node.key() = bytes;
  node.mapped() = {data, std::move(block)};
  cached.insert(std::move(node));
}

std::pair<void *, MemoryPool::Block>
MemoryPool::takeCached(Cached::iterator at) {
  cachedNodes.push_back(cached.extract(at));
  return std::move(cachedNodes.back().mapped());
}

/// Smaller blocks are never in files: those are whole pages, and take calls of
/// the system. Of a small budget few blocks that are no file make up all.
int64_t MemoryPool::leastInFile() const {
  constexpr int64_t page = 4096;
  return std::clamp(budgetBytes / 16, page, pagedBytes);
}

/// What live blocks may take together with one of `bytes` more. Small ones are
/// never in files, so they may use what those leave free.
int64_t MemoryPool::roomFor(int64_t bytes) const {
  return files.isOpen() && bytes >= leastInFile()
             ? budgetBytes - budgetBytes / 8
             : budgetBytes;
}

/// What the system can give on top of all that is held. Pages are the system's
/// until they are touched, so held ones may have no memory as yet.
int64_t MemoryPool::availableBytes() const {
  int64_t untouched =
      std::max<int64_t>(counts.heldBytes - system.resident(), 0);
  return std::max<int64_t>(system.available() - untouched, 0);
}

/// True where the system can give bytes more. Without this question it would
/// give addresses, and kill the process, or others, where they are touched.
bool MemoryPool::systemHas(int64_t bytes) {
  if (bytes < askedBytes - unaskedBytes) {
    unaskedBytes += bytes;
    return true;
  }
  if (bytes > availableBytes())
    dropCached();
  if (bytes > availableBytes())
    return false;
  unaskedBytes = 0;
  return true;
}

/// Drops freed blocks, largest first, until bytes more fit the budget.
bool MemoryPool::makeRoom(int64_t bytes) {
  if (!budgetBytes)
    return systemHas(bytes);
  int64_t room = roomFor(bytes);
  if (bytes > room - counts.liveBytes)
    return false;
  while (bytes > room - counts.heldBytes) {
    if (cached.empty())
      return false;
    auto last = std::prev(cached.end());
    counts.heldBytes -= last->first;
    discard(last->second.first, last->second.second);
    cached.erase(last);
  }
  return true;
}

/// Pages of a file for what the budget has no room for.
StatusOr<PageBlock> MemoryPool::spill(const char *what, int64_t bytes) {
  if (!files.isOpen() || bytes < leastInFile())
    return refuse(what, bytes);
  StatusOr<PageBlock> pages = files.map(bytes);
  if (!pages)
    return refuse(what, bytes, pages.status());
  counts.spilledPeakBytes = std::max(counts.spilledPeakBytes, files.bytes());
  return pages;
}

void MemoryPool::raiseLive(int64_t bytes) {
  counts.liveBytes += bytes;
  counts.peakBytes = std::max(counts.peakBytes, counts.liveBytes);
  // Files have at least the part that large blocks leave.
  files.keepResident(
      std::max(budgetBytes - counts.heldBytes, budgetBytes / 16));
}

void MemoryPool::dropArena() {
  counts.liveBytes -= counts.arenaBytes;
  counts.heldBytes -= counts.arenaBytes;
  counts.arenaBytes = 0;
  if (arenaInFile)
    files.unmap(std::move(arenaPages));
  arenaInFile = false;
  arenaPages = PageBlock();
}

StatusOr<void *> MemoryPool::arena(int64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  if (bytes < 0)
    return refuse("an arena", bytes);
  bytes = std::max<int64_t>(bytes, 1);
  if (bytes <= (arenaInFile ? arenaPages.bytes() : counts.arenaBytes))
    return arenaPages.data();
  // The old arena goes first: its contents end with the run that asked for it.
  dropArena();
  if (!makeRoom(bytes)) {
    StatusOr<PageBlock> pages = spill("an arena", bytes);
    if (!pages)
      return pages.status();
    arenaPages = std::move(*pages);
    arenaInFile = true;
    return arenaPages.data();
  }
  // Kernels rely on the alignment.
  arenaPages = PageBlock::allocateAligned(bytes);
  if (!arenaPages)
    return refuse("an arena", bytes);
  counts.arenaBytes = bytes;
  counts.heldBytes += bytes;
  raiseLive(bytes);
  return arenaPages.data();
}

/// A freed block of at least bytes, but not a much larger one, which a later
/// call may need; null where there is none. Sizes of pages may differ more:
/// touching new ones costs more than leaving some unused.
void *MemoryPool::reuse(int64_t bytes, int32_t kind) {
  auto found = cached.lower_bound(bytes);
  int64_t most =
      bytes >= pagedBytes && !budgetBytes ? 16 * bytes : bytes + bytes / 4;
  if (found == cached.end() || found->first > most)
    return nullptr;
  if (budgetBytes && bytes > roomFor(bytes) - counts.liveBytes)
    return nullptr;
  auto [data, block] = takeCached(found);
  block.kind = kind;
  block.used = bytes;
  raiseLive(bytes);
  addLive(data, std::move(block));
  return data;
}

/// Pages for a new block: those of the largest freed one that is not much
/// smaller, with more behind them, so that a value that grows from step to step
/// neither touches new pages each time nor leaves a trail of freed blocks.
/// Under a budget also those of a larger one, cut to size.
PageBlock MemoryPool::takePages(int64_t bytes, int64_t most) {
  auto next = cached.lower_bound(bytes);
  if (budgetBytes && next != cached.end() && next->second.second.pages) {
    PageBlock pages = std::move(next->second.second.pages);
    counts.heldBytes -= next->first;
    cached.erase(next);
    pages.shrink(bytes);
    return pages;
  }
  if (next != cached.begin()) {
    auto smaller = std::prev(next);
    PageBlock &pages = smaller->second.second.pages;
    // A value that grows by half frees its memory after the next one has some.
    if (pages && smaller->first >= bytes / 3)
      if (PageBlock grown = PageBlock::grow(pages, bytes, most)) {
        counts.heldBytes -= smaller->first;
        cached.erase(smaller);
        return grown;
      }
  }
  return PageBlock::allocateToGrow(bytes, most);
}

StatusOr<void *> MemoryPool::allocate(int64_t bytes, zenith_alloc_kind kind) {
  std::lock_guard<std::mutex> lock(mutex);
  return take(bytes, kind, /*mostGrowth=*/1);
}

/// A block that has addresses to become `mostGrowth` times as long.
StatusOr<void *> MemoryPool::take(int64_t bytes, int32_t kind,
                                  int64_t mostGrowth) {
  if (bytes < 0 || bytes > INT64_MAX / 4)
    return refuse("a buffer", bytes);
  // What results take is promised before the run.
  int64_t rounded = kind == ZENITH_ALLOC_RESULT
                        ? exactBytes(bytes)
                        : blockBytes(bytes, budgetBytes != 0);
  if (void *data = reuse(rounded, kind))
    return data;
  Block block;
  block.kind = kind;
  if (!makeRoom(rounded)) {
    rounded = exactBytes(bytes);
    if (!makeRoom(rounded)) {
      StatusOr<PageBlock> pages = spill("a buffer", bytes);
      if (!pages)
        return pages.status();
      block.pages = std::move(*pages);
      block.inFile = true;
      void *data = block.pages.data();
      addLive(data, std::move(block));
      return data;
    }
  }
  block.bytes = block.used = rounded;
  void *data;
  if (rounded >= pagedBytes) {
    block.pages = takePages(rounded, rounded * mostGrowth);
    data = block.pages.data();
  } else {
    data = std::aligned_alloc(ZENITH_BUFFER_ALIGNMENT, rounded);
  }
  if (!data)
    return refuse("a buffer", bytes);
  counts.heldBytes += rounded;
  raiseLive(rounded);
  addLive(data, std::move(block));
  return data;
}

/// Gives a block more bytes where it is, if there are addresses behind it and
/// there is room for them.
bool MemoryPool::extend(Block &block, int64_t bytes) {
  if (!block.pages || block.inFile || bytes < block.used ||
      !block.pages.extend(bytes))
    return false;
  int64_t added = std::max<int64_t>(bytes - block.bytes, 0);
  bool hasRoom =
      !budgetBytes || bytes - block.used <= roomFor(bytes) - counts.liveBytes;
  if (!hasRoom || (added > 0 && !makeRoom(added)))
    return false;
  counts.heldBytes += added;
  raiseLive(bytes - block.used);
  block.bytes += added;
  block.used = bytes;
  return true;
}

StatusOr<void *> MemoryPool::extend(void *data, int64_t bytes) {
  // Addresses that nothing touches cost nothing.
  constexpr int64_t mostGrowth = 256;
  std::lock_guard<std::mutex> lock(mutex);
  if (bytes < 0 || bytes > INT64_MAX / 4 / mostGrowth)
    return refuse("a buffer", bytes);
  auto found = live.find(data);
  if (found == live.end())
    return take(bytes, ZENITH_ALLOC_POOL, mostGrowth);
  Block &block = found->second;
  if (extend(block, blockBytes(bytes, budgetBytes != 0)))
    return data;
  return take(bytes, block.kind, mostGrowth);
}

void MemoryPool::release(void *data, Block block) {
  // The next block may fit in memory.
  if (block.inFile)
    return discard(data, block);
  counts.liveBytes -= block.used;
  block.pages.shrink(block.bytes);
  addCached(data, std::move(block));
}

bool MemoryPool::free(void *data) {
  if (!data)
    return true;
  std::lock_guard<std::mutex> lock(mutex);
  auto found = live.find(data);
  if (found == live.end())
    return false;
  release(data, takeLive(found));
  return true;
}

bool MemoryPool::keep(void *data, int64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = live.find(data);
  // What results take is promised where there is a budget, and they may stay
  // for long.
  if (budgetBytes || found == live.end() || found->second.inFile ||
      bytes < found->second.bytes - found->second.bytes / 4)
    return false;
  found->second.kind = ZENITH_ALLOC_RESULT;
  return true;
}

void MemoryPool::reclaim() {
  std::lock_guard<std::mutex> lock(mutex);
  for (auto next = live.begin(); next != live.end();) {
    auto current = next++;
    if (current->second.kind != ZENITH_ALLOC_POOL)
      continue;
    void *data = current->first;
    release(data, takeLive(current));
  }
}

void MemoryPool::dropCached() {
  for (auto &[bytes, entry] : cached) {
    counts.heldBytes -= bytes;
    discard(entry.first, entry.second);
  }
  cached.clear();
}

void MemoryPool::trim(bool alsoArena) {
  std::lock_guard<std::mutex> lock(mutex);
  dropCached();
  if (alsoArena)
    dropArena();
  files.trim();
}

MemoryUse MemoryPool::use() const {
  std::lock_guard<std::mutex> lock(mutex);
  return counts;
}

void MemoryPool::resetPeak() {
  std::lock_guard<std::mutex> lock(mutex);
  counts.peakBytes = counts.liveBytes;
  counts.spilledPeakBytes = files.bytes();
}

} // namespace zenith::runtime
