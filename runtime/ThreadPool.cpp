// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dynamic load balancing by claims of tasks and work stealing, the two stages
// of waiting, pauses and a futex, and what is done about threads that lose
// their core.

#include "runtime/ThreadPool.h"

#include "runtime/CoreAffinity.h"
#include "runtime/SystemResources.h"

#include <algorithm>
#include <chrono>
#include <climits>
#include <exception>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace zenith::runtime {

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t),
              "a futex word is 32 bits");

/// Sleeps while word holds value; may return early.
static void futexWait(std::atomic<uint32_t> &word, uint32_t value) {
  syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), FUTEX_WAIT_PRIVATE,
          value, nullptr, nullptr, 0);
}

static void futexWake(std::atomic<uint32_t> &word, int count) {
  syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), FUTEX_WAKE_PRIVATE,
          count, nullptr, nullptr, 0);
}

static void pauseCore() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

static int64_t nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

ThreadPool::ThreadPool(int threads, int spinMicroseconds) {
  int cores = grantedCores();
  int wanted = std::max(threads > 0 ? threads : cores, 1);
  spinNanoseconds =
      wanted > cores ? 0 : int64_t{1000} * std::max(spinMicroseconds, 0);
  rangeCount = static_cast<unsigned>(wanted);
  ranges = std::make_unique<Range[]>(rangeCount);
  presences = std::make_unique<Presence[]>(rangeCount);
  workers.reserve(wanted - 1);
  try {
    while (static_cast<int>(workers.size()) < wanted - 1)
      workers.emplace_back([this, self = static_cast<unsigned>(workers.size()) +
                                         1] { work(self); });
  } catch (const std::exception &) {
    // The pool works with the threads that there are, where the system has no
    // more of them or no memory for one.
  }
}

ThreadPool::~ThreadPool() {
  stopping.store(true);
  epoch.fetch_add(1);
  futexWake(epoch, INT_MAX);
  for (std::thread &worker : workers)
    worker.join();
}

/// Whether the launch of fn goes backwards.
bool ThreadPool::turn(zenith_task_fn fn) {
  bool again = lastFn.exchange(fn, std::memory_order_relaxed) == fn;
  bool now = again && !backwards.load(std::memory_order_relaxed);
  backwards.store(now, std::memory_order_relaxed);
  return now;
}

/// All tasks on this thread, backwards in a few parts.
static void runAlone(zenith_task_fn fn, void *const *pointers,
                     const int64_t *sizes, int64_t tasks, bool backwards) {
  constexpr int64_t parts = 8;
  int64_t part = backwards ? (tasks + parts - 1) / parts : tasks;
  for (int64_t end = tasks; end > 0; end -= part)
    fn(pointers, sizes, std::max<int64_t>(end - part, 0), end);
}

void ThreadPool::parallelFor(zenith_task_fn fn, void *const *pointers,
                             const int64_t *sizes, int64_t tasks) {
  if (tasks <= 0)
    return;
  if (workers.empty()) {
    runAlone(fn, pointers, sizes, tasks, turn(fn));
    return;
  }
  if (tasks == 1 || inUse.exchange(true, std::memory_order_acquire)) {
    fn(pointers, sizes, 0, tasks);
    return;
  }
  turn(fn);
  // Ranges count 32 bits of tasks; a larger launch takes several generations.
  constexpr int64_t most = int64_t{1} << 31;
  for (int64_t first = 0; first < tasks; first += most)
    runGeneration(fn, pointers, sizes, first,
                  static_cast<uint32_t>(std::min(tasks - first, most)));
  inUse.store(false, std::memory_order_release);
}

void ThreadPool::runGeneration(zenith_task_fn taskFn, void *const *taskPointers,
                               const int64_t *taskSizes, int64_t first,
                               uint32_t tasks) {
  fn = taskFn;
  pointers = taskPointers;
  sizes = taskSizes;
  firstTask = first;
  finished.store(0, std::memory_order_relaxed);
  // Where the system refused threads, the ranges are those of the others.
  uint64_t shares = workers.size() + 1;
  for (uint64_t share = 0; share < shares; ++share)
    ranges[share].tasks.store(tasks * share / shares << 32 |
                                  tasks * (share + 1) / shares,
                              std::memory_order_release);
  callerCore.store(currentCore(), std::memory_order_relaxed);
  epoch.fetch_add(1);
  // A worker counts itself as a sleeper before it looks at epoch for the last
  // time, so either it is seen here or it sees the new epoch.
  if (uint32_t asleep = sleepers.load())
    futexWake(epoch, static_cast<int>(std::min(asleep, tasks - 1)));
  uint32_t own = 0;
  while (uint32_t done = claimAndRun(0))
    own += done;
  waitUntilFinished(tasks - own);
}

uint32_t ThreadPool::claimFrom(Range &range, bool own) {
  /// A claim takes this part of what is left.
  constexpr uint32_t divisor = 8;
  bool front = own != backwards.load(std::memory_order_relaxed);
  uint64_t seen = range.tasks.load(std::memory_order_acquire), rest;
  uint32_t first, end, take;
  do {
    first = static_cast<uint32_t>(seen >> 32);
    end = static_cast<uint32_t>(seen);
    if (first >= end)
      return 0;
    take = std::max<uint32_t>((end - first) / divisor, 1);
    rest = front ? uint64_t{first + take} << 32 | end
                 : uint64_t{first} << 32 | (end - take);
  } while (!range.tasks.compare_exchange_weak(
      seen, rest, std::memory_order_acq_rel, std::memory_order_acquire));
  int64_t begin = firstTask + (front ? first : end - take);
  fn(pointers, sizes, begin, begin + take);
  return take;
}

uint32_t ThreadPool::claimAndRun(unsigned self) {
  if (uint32_t done = claimFrom(ranges[self], /*own=*/true))
    return done;
  for (unsigned other = 1; other < rangeCount; ++other)
    if (uint32_t done = claimFrom(ranges[(self + other) % rangeCount],
                                  /*own=*/false))
      return done;
  return 0;
}

template <typename Done>
static bool spinUntil(Done done, int64_t limitNanoseconds) {
  if (done())
    return true;
  if (limitNanoseconds == 0)
    return false;
  int64_t limit = nanoseconds() + limitNanoseconds;
  for (unsigned turn = 1;; ++turn) {
    pauseCore();
    if (done())
      return true;
    if (turn % 64 == 0 && nanoseconds() > limit)
      return false;
  }
}

template <typename Done> bool ThreadPool::spinAndFetchWorkers(Done done) {
  int64_t half = spinNanoseconds / 2;
  if (spinUntil(done, half))
    return true;
  for (size_t i = 0; i < workers.size(); ++i)
    presences[i].coreNanoseconds =
        presences[i].busy.load(std::memory_order_relaxed)
            ? coreNanoseconds(workers[i])
            : -1;
  if (spinUntil(done, half))
    return true;
  for (size_t i = 0; i < workers.size(); ++i) {
    Presence &presence = presences[i];
    if (presence.coreNanoseconds < 0 ||
        !presence.busy.load(std::memory_order_relaxed) ||
        !lostItsCore(coreNanoseconds(workers[i]) - presence.coreNanoseconds,
                     half))
      continue;
    std::unique_lock<std::mutex> lock(presence.moving, std::try_to_lock);
    if (lock)
      moveToCore(workers[i], currentCore());
  }
  return done();
}

void ThreadPool::waitUntilFinished(uint32_t others) {
  auto done = [&] {
    return finished.load(std::memory_order_acquire) == others;
  };
  if (spinNanoseconds ? spinAndFetchWorkers(done) : done())
    return;
  callerSleeps.store(1);
  for (uint32_t count; (count = finished.load()) != others;)
    futexWait(finished, count);
  callerSleeps.store(0, std::memory_order_relaxed);
}

bool ThreadPool::isInCallersWay(Presence &presence) {
  /// A move costs some 20 microseconds, and the kernel may undo it.
  constexpr int64_t betweenMoves = 1'000'000;
  int core = currentCore();
  if (core != callerCore.load(std::memory_order_relaxed))
    return false;
  int64_t now = nanoseconds();
  if (now - presence.lastMove < betweenMoves)
    return true;
  presence.lastMove = now;
  std::lock_guard<std::mutex> lock(presence.moving);
  return !leaveCore(core);
}

void ThreadPool::waitForWork(uint32_t seen, Presence &presence) {
  auto called = [&] { return epoch.load(std::memory_order_acquire) != seen; };
  if (spinUntil(called, isInCallersWay(presence) ? 0 : spinNanoseconds))
    return;
  sleepers.fetch_add(1);
  futexWait(epoch, seen);
  sleepers.fetch_sub(1);
}

void ThreadPool::work(unsigned self) {
  Presence &presence = presences[self - 1];
  while (!stopping.load(std::memory_order_acquire)) {
    uint32_t seen = epoch.load();
    uint32_t own = 0;
    presence.busy.store(true, std::memory_order_relaxed);
    while (uint32_t done = claimAndRun(self))
      own += done;
    if (own) {
      finished.fetch_add(own);
      if (callerSleeps.load())
        futexWake(finished, 1);
    }
    presence.busy.store(false, std::memory_order_relaxed);
    waitForWork(seen, presence);
  }
}

} // namespace zenith::runtime
