// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that share the tasks of one kernel launch: each claims from a range
// of its own, then from the ends of the others'. A busy neighbour on a core
// delays only the tasks that a thread there has claimed, so the caller never
// waits for a thread that has not started. It fetches one that has lost its
// core to its own, and workers keep out of that core otherwise.

#ifndef ZENITH_RUNTIME_THREADPOOL_H
#define ZENITH_RUNTIME_THREADPOOL_H

#include "runtime/ABI.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace zenith::runtime {

/// A pool of threads. Any number of pools may exist. What a task computes must
/// depend on its number only; then results don't depend on the number of
/// threads.
class ThreadPool {
public:
  /// threads counts the caller's own (1 = no thread is started); 0 =
  /// grantedCores(). Threads spin for spinMicroseconds before they sleep, and
  /// don't spin where there are more of them than cores. Where the system
  /// refuses a thread, the pool has fewer: see threads().
  explicit ThreadPool(int threads = 0, int spinMicroseconds = 200);

  /// Ends and joins the threads; no parallelFor may be running.
  ~ThreadPool();

  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  /// Threads that take part, with the caller's; at least 1.
  int threads() const { return static_cast<int>(workers.size()) + 1; }

  /// Calls fn on disjoint ranges that cover 0..tasks-1 and returns when all are
  /// done; what they wrote is visible then. A function that is called again at
  /// once goes through its tasks the other way, and so meets first what it read
  /// last, while caches have it. fn must not throw. Where the pool
  /// is busy (a call from inside a task or from a second thread) the caller
  /// runs all tasks itself.
  void parallelFor(zenith_task_fn fn, void *const *pointers,
                   const int64_t *sizes, int64_t tasks);

private:
  /// Tasks of a launch that are not claimed yet: first << 32 | end. Its thread
  /// claims from the front, so that it reads on where it left off and finds in
  /// its caches what it wrote there in the launch before; others claim from
  /// the back. Where a launch goes backwards, the ends change places.
  struct alignas(64) Range {
    std::atomic<uint64_t> tasks{0};
  };

  /// Whether a worker has a core, and where.
  struct alignas(64) Presence {
    std::atomic<bool> busy{false}; ///< may hold tasks
    int64_t lastMove = 0;          ///< out of the caller's way; the worker's
    int64_t coreNanoseconds = -1;  ///< when last waited for; the caller's
    std::mutex moving;             ///< held by who moves it
  };

  void runGeneration(zenith_task_fn fn, void *const *pointers,
                     const int64_t *sizes, int64_t first, uint32_t tasks);
  uint32_t claimAndRun(unsigned self);
  uint32_t claimFrom(Range &range, bool own);
  bool turn(zenith_task_fn fn);
  void waitUntilFinished(uint32_t others);
  bool isInCallersWay(Presence &presence);
  void waitForWork(uint32_t seen, Presence &presence);
  void work(unsigned self);
  template <typename Done> bool spinAndFetchWorkers(Done done);

  int64_t spinNanoseconds = 0;
  /// One per thread; the caller's is the first.
  std::unique_ptr<Range[]> ranges;
  unsigned rangeCount = 1;
  /// One per worker.
  std::unique_ptr<Presence[]> presences;

  /// Tasks of the generation that threads other than the caller have finished.
  /// A futex word.
  alignas(64) std::atomic<uint32_t> finished{0};
  std::atomic<uint32_t> callerSleeps{0};
  /// Counts launches and the stop request. A futex word, on which threads wait:
  /// what they read next lies on its line, and nothing that others write.
  alignas(64) std::atomic<uint32_t> epoch{0};
  std::atomic<bool> stopping{false};
  std::atomic<int> callerCore{-1}; ///< at the last launch
  // The launch in progress. Written before its ranges are published and read
  // only by threads that hold a claim on it, which the caller waits for: so
  // plain members do, and a thread that comes late claims what there is now.
  zenith_task_fn fn = nullptr;
  void *const *pointers = nullptr;
  const int64_t *sizes = nullptr;
  int64_t firstTask = 0;
  alignas(64) std::atomic<uint32_t> sleepers{0};
  std::atomic<bool> inUse{false};
  // Of the last launch. Ends of ranges are claimed by what `backwards` says at
  // the time: any will do.
  std::atomic<zenith_task_fn> lastFn{nullptr};
  std::atomic<bool> backwards{false};
  std::vector<std::thread> workers;
};

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_THREADPOOL_H
