// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory in unnamed files, for blocks beyond a budget.

#ifndef ZENITH_RUNTIME_SPILLSPACE_H
#define ZENITH_RUNTIME_SPILLSPACE_H

#include "runtime/PageBlock.h"
#include "runtime/Status.h"

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace zenith::runtime {

/// Where blocks beyond the budget go.
struct SpillOptions {
  std::string folder;    ///< of the files; empty = nothing is spilled
  int64_t mostBytes = 0; ///< of all files together; 0 = what the folder holds
};

/// Maps unnamed files, so that nothing is left of them when the process ends,
/// however it does. The system writes and reads their pages; a
/// thread takes pages from the process again when too many are resident. Calls
/// from several threads are safe.
class SpillSpace {
public:
  explicit SpillSpace(SpillOptions options) : options(std::move(options)) {}
  ~SpillSpace();
  SpillSpace(const SpillSpace &) = delete;
  SpillSpace &operator=(const SpillSpace &) = delete;

  bool isOpen() const { return !options.folder.empty(); }

  /// At least bytes > 0, contents unspecified, for which the folder has room: a
  /// full disk is met here, with ZENITH_OUT_OF_MEMORY, and not when pages are
  /// written.
  StatusOr<PageBlock> map(int64_t bytes);

  /// Takes back what map gave, and may give it again.
  void unmap(PageBlock pages);

  /// Gives what unmap took back to the system.
  void trim();

  /// About how many bytes of all mappings may be in memory at a time.
  void keepResident(int64_t mostBytes) { residentBytes.store(mostBytes); }

  /// Bytes of all mappings that are in use.
  int64_t bytes() const { return liveBytes.load(); }

private:
  StatusOr<PageBlock> create(int64_t bytes);
  void dropFreed();
  void watch();
  void evict();

  const SpillOptions options;
  /// `mappedBytes` counts freed blocks, too.
  std::atomic<int64_t> liveBytes{0}, mappedBytes{0}, residentBytes{INT64_MAX};
  std::mutex mutex;                   ///< of what follows
  std::map<void *, int64_t> mappings; ///< bytes by start
  /// By bytes: pages that are in the system's cache and blocks that are on the
  /// disk already cost less than new ones.
  std::multimap<int64_t, PageBlock> freed;
  std::condition_variable stopped;
  bool stopping = false;
  std::thread watcher;
};

/// Where large temporary files belong: TMPDIR, /var/tmp or /tmp, the first one
/// that is a folder of a disk. Empty where there is none.
std::string spillFolder();

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_SPILLSPACE_H
