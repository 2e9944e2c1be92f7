// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of runs under one byte budget: an arena that is kept from run to
// run, and a pool for results and for data-dependent sizes that keeps freed
// blocks for the next run. Blocks beyond the budget may go to files.

#ifndef ZENITH_RUNTIME_MEMORYPOOL_H
#define ZENITH_RUNTIME_MEMORYPOOL_H

#include "runtime/ABI.h"
#include "runtime/PageBlock.h"
#include "runtime/SpillSpace.h"
#include "runtime/Status.h"
#include "runtime/SystemResources.h"

#include <functional>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace zenith::runtime {

/// Bytes of a MemoryPool, as its callers asked for them, rounded up to block
/// sizes.
struct MemoryUse {
  int64_t arenaBytes = 0; ///< the arena
  int64_t liveBytes = 0;  ///< arena and blocks in use
  int64_t peakBytes = 0;  ///< highest liveBytes since resetPeak
  int64_t heldBytes =
      0; ///< live bytes and freed blocks kept for reuse; never above the budget
  int64_t spilledPeakBytes = 0; ///< most bytes in files; no part of the others
};

/// What the system has, and what of it the process holds, in bytes.
struct SystemMemory {
  std::function<int64_t()> available = availableMemory;
  std::function<int64_t()> resident = residentMemory;
};

/// An arena and a pool. Calls from several threads are safe.
class MemoryPool {
public:
  /// budgetBytes bounds arena and blocks together; 0 = no bound but what
  /// `system` has available. Large blocks beyond the budget go to files where
  /// `spill` has a folder: then an eighth of the budget stays free for pages of
  /// theirs.
  explicit MemoryPool(int64_t budgetBytes = 0, SpillOptions spill = {},
                      SystemMemory system = {})
      : budgetBytes(budgetBytes), system(std::move(system)),
        files(std::move(spill)) {}
  ~MemoryPool();
  MemoryPool(const MemoryPool &) = delete;
  MemoryPool &operator=(const MemoryPool &) = delete;

  /// The arena, at least bytes, contents unspecified. A larger size than before
  /// moves it; a smaller one keeps it. ZENITH_OUT_OF_MEMORY says what was
  /// needed and what the budget has.
  StatusOr<void *> arena(int64_t bytes);

  /// A block of bytes >= 0 at ZENITH_BUFFER_ALIGNMENT, contents unspecified;
  /// ZENITH_OUT_OF_MEMORY as above. The caller owns it until free; reclaim()
  /// frees those of kind ZENITH_ALLOC_POOL.
  StatusOr<void *> allocate(int64_t bytes, zenith_alloc_kind kind);

  /// `data` itself with at least bytes, where it is a block that can grow where
  /// it is; else a block of its kind as by allocate(), with addresses to grow,
  /// and `data` as before.
  StatusOr<void *> extend(void *data, int64_t bytes);

  /// Makes a block, of which bytes are needed, one of ZENITH_ALLOC_RESULT.
  /// False where it takes more than a result should.
  bool keep(void *data, int64_t bytes);

  /// Takes a block back; null is allowed. False where data is no block of this
  /// pool.
  bool free(void *data);

  /// Frees every block of kind ZENITH_ALLOC_POOL; for the end of a run.
  void reclaim();

  /// Gives freed blocks and, with alsoArena, the arena back to the system.
  void trim(bool alsoArena = false);

  /// Bytes in use now and at most.
  MemoryUse use() const;

  /// Starts the peak anew from what is live.
  void resetPeak();

  /// The bound in bytes; 0 = none.
  int64_t budget() const { return budgetBytes; }

private:
  struct Block {
    int64_t bytes = 0; ///< of the block; 0 in a file
    int64_t used = 0;  ///< of them, what its owner asked for; counts as live
    int32_t kind = ZENITH_ALLOC_POOL;
    PageBlock pages; ///< empty for blocks of aligned_alloc
    bool inFile = false;
  };

  using Live = std::unordered_map<void *, Block>;
  using Cached = std::multimap<int64_t, std::pair<void *, Block>>; ///< by bytes

  void addLive(void *data, Block block);
  Block takeLive(Live::iterator at);
  void addCached(void *data, Block block);
  std::pair<void *, Block> takeCached(Cached::iterator at);
  int64_t leastInFile() const;
  int64_t roomFor(int64_t bytes) const;
  bool makeRoom(int64_t bytes);
  int64_t availableBytes() const;
  bool systemHas(int64_t bytes);
  void dropCached();
  void dropArena();
  void discard(void *data, Block &block);
  void release(void *data, Block block);
  void raiseLive(int64_t bytes);
  Status refuse(const char *what, int64_t bytes, const Status &file = {}) const;
  StatusOr<PageBlock> spill(const char *what, int64_t bytes);
  void *reuse(int64_t bytes, int32_t kind);
  PageBlock takePages(int64_t bytes, int64_t most);
  StatusOr<void *> take(int64_t bytes, int32_t kind, int64_t mostGrowth);
  bool extend(Block &block, int64_t bytes);

  mutable std::mutex mutex;
  const int64_t budgetBytes;
  const SystemMemory system;
  int64_t unaskedBytes = 0; ///< taken since the system was last asked
  SpillSpace files;
  PageBlock arenaPages;
  bool arenaInFile = false;
  MemoryUse counts;
  Live live;
  Cached cached;
  /// Nodes without a block: a run takes and frees blocks at each step, which
  /// should not take and free memory for their nodes too.
  std::vector<Live::node_type> liveNodes;
  std::vector<Cached::node_type> cachedNodes;
};

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_MEMORYPOOL_H
