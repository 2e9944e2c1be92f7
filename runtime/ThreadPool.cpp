// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The claim ticket, and the three stages of waiting: pause, sched_yield, futex.

#include "runtime/ThreadPool.h"

#include "runtime/CoreCount.h"

#include <algorithm>
#include <chrono>
#include <climits>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <system_error>
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
  groupDivisor = 8 * static_cast<uint32_t>(wanted);
  workers.reserve(wanted - 1);
  try {
    while (static_cast<int>(workers.size()) < wanted - 1)
      workers.emplace_back([this] { work(); });
  } catch (const std::system_error &) {
    // The pool works with the threads that there are.
  }
}

ThreadPool::~ThreadPool() {
  stopping.store(true);
  epoch.fetch_add(1);
  futexWake(epoch, INT_MAX);
  for (std::thread &worker : workers)
    worker.join();
}

void ThreadPool::parallelFor(zenith_task_fn fn, void *const *pointers,
                             const int64_t *sizes, int64_t tasks) {
  if (tasks <= 0)
    return;
  if (tasks == 1 || workers.empty() ||
      inUse.exchange(true, std::memory_order_acquire)) {
    fn(pointers, sizes, 0, tasks);
    return;
  }
  // The ticket counts 32 bits of tasks; a larger launch takes several
  // generations.
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
  totalTasks = tasks;
  finished.store(0, std::memory_order_relaxed);
  uint64_t generation = (ticket.load(std::memory_order_relaxed) >> 32) + 1;
  ticket.store(generation << 32 | tasks);
  epoch.fetch_add(1);
  // A worker counts itself as a sleeper before it looks at epoch for the last
  // time, so either it is seen here or it sees the new epoch.
  if (uint32_t asleep = sleepers.load())
    futexWake(epoch, static_cast<int>(std::min(asleep, tasks - 1)));
  uint32_t own = 0;
  while (uint32_t done = claimAndRun())
    own += done;
  waitUntilFinished(tasks - own);
}

uint32_t ThreadPool::claimAndRun() {
  uint64_t seen = ticket.load(std::memory_order_acquire);
  uint32_t left, take;
  do {
    left = static_cast<uint32_t>(seen);
    if (left == 0)
      return 0;
    take = std::max<uint32_t>(left / groupDivisor, 1);
  } while (!ticket.compare_exchange_weak(
      seen, seen - take, std::memory_order_acq_rel, std::memory_order_acquire));
  int64_t begin = firstTask + (totalTasks - left);
  fn(pointers, sizes, begin, begin + take);
  return take;
}

template <typename Done> bool ThreadPool::spinUntil(Done done) const {
  if (done())
    return true;
  if (spinNanoseconds == 0)
    return false;
  int64_t limit = nanoseconds() + spinNanoseconds;
  for (unsigned turn = 1;; ++turn) {
    pauseCore();
    if (done())
      return true;
    if (turn % 64 == 0 && nanoseconds() > limit)
      return false;
    // Lets a neighbour on this core, perhaps the thread waited for, go on.
    if (turn % 256 == 0)
      sched_yield();
  }
}

void ThreadPool::waitUntilFinished(uint32_t others) {
  auto done = [&] {
    return finished.load(std::memory_order_acquire) == others;
  };
  if (spinUntil(done))
    return;
  callerSleeps.store(1);
  for (uint32_t count; (count = finished.load()) != others;)
    futexWait(finished, count);
  callerSleeps.store(0, std::memory_order_relaxed);
}

void ThreadPool::waitForWork() {
  auto called = [&] {
    return hasTasks() || stopping.load(std::memory_order_relaxed);
  };
  if (spinUntil(called))
    return;
  uint32_t before = epoch.load();
  sleepers.fetch_add(1);
  if (!called())
    futexWait(epoch, before);
  sleepers.fetch_sub(1);
}

void ThreadPool::work() {
  while (!stopping.load(std::memory_order_acquire)) {
    while (uint32_t done = claimAndRun()) {
      finished.fetch_add(done);
      if (callerSleeps.load())
        futexWake(finished, 1);
    }
    waitForWork();
  }
}

} // namespace zenith::runtime
