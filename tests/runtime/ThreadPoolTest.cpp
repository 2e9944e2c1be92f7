// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every task runs once, whatever the number of threads, launches, callers and
// pools.

#include "runtime/ThreadPool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

using namespace zenith::runtime;

/// pointers[0]: one counter per task.
static void countTasks(void *const *pointers, const int64_t *, int64_t begin,
                       int64_t end) {
  auto *counts = static_cast<std::atomic<int> *>(pointers[0]);
  for (int64_t task = begin; task < end; ++task)
    counts[task].fetch_add(1, std::memory_order_relaxed);
}

/// pointers[0]: slots; each task writes a value that depends on its number and
/// sizes[0] only.
static void fillSlots(void *const *pointers, const int64_t *sizes,
                      int64_t begin, int64_t end) {
  auto *slots = static_cast<double *>(pointers[0]);
  for (int64_t task = begin; task < end; ++task) {
    double sum = 0;
    for (int64_t i = 1; i <= sizes[0]; ++i)
      sum += 1.0 / static_cast<double>(task + i);
    slots[task] = sum;
  }
}

class ThreadPoolThreads : public testing::TestWithParam<int> {};

TEST_P(ThreadPoolThreads, RunsEveryTaskOnce) {
  ThreadPool pool(GetParam());
  EXPECT_EQ(pool.threads(), GetParam());
  for (int64_t tasks : {0, 1, 2, 3, 7, 64, 1000, 4097}) {
    std::vector<std::atomic<int>> counts(tasks + 1);
    void *pointers[] = {counts.data()};
    pool.parallelFor(countTasks, pointers, nullptr, tasks);
    for (int64_t task = 0; task < tasks; ++task)
      ASSERT_EQ(counts[task], 1) << "task " << task << " of " << tasks;
    EXPECT_EQ(counts[tasks], 0);
  }
}

TEST_P(ThreadPoolThreads, SurvivesManyShortLaunches) {
  ThreadPool pool(GetParam());
  constexpr int64_t most = 9;
  std::vector<std::atomic<int>> counts(most);
  void *pointers[] = {counts.data()};
  int64_t expected = 0, launches = GetParam() > 4 ? 5000 : 50000;
  for (int64_t launch = 0; launch < launches; ++launch) {
    pool.parallelFor(countTasks, pointers, nullptr, 1 + launch % most);
    expected += 1 + launch % most;
  }
  int64_t total = 0;
  for (std::atomic<int> &count : counts)
    total += count;
  EXPECT_EQ(total, expected);
}

TEST_P(ThreadPoolThreads, WakesSleepingThreads) {
  ThreadPool pool(GetParam(), 0);
  std::vector<std::atomic<int>> counts(100);
  void *pointers[] = {counts.data()};
  for (int launch = 0; launch < 20; ++launch) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    pool.parallelFor(countTasks, pointers, nullptr, 100);
  }
  for (std::atomic<int> &count : counts)
    EXPECT_EQ(count, 20);
}

TEST_P(ThreadPoolThreads, GivesTheSameBitsAsOneThread) {
  ThreadPool one(1), many(GetParam());
  int64_t sizes[] = {500};
  std::vector<double> expected(333), got(333);
  void *expectedPointers[] = {expected.data()}, *gotPointers[] = {got.data()};
  one.parallelFor(fillSlots, expectedPointers, sizes, 333);
  many.parallelFor(fillSlots, gotPointers, sizes, 333);
  EXPECT_EQ(got, expected);
}

struct Nested {
  ThreadPool *pool;
  std::vector<std::atomic<int>> *counts;
  int64_t inner;
};

/// Each outer task launches inner tasks on the pool that runs it.
static void launchInner(void *const *pointers, const int64_t *, int64_t begin,
                        int64_t end) {
  auto &nested = *static_cast<Nested *>(pointers[0]);
  for (int64_t task = begin; task < end; ++task) {
    void *inner[] = {nested.counts->data() + task * nested.inner};
    nested.pool->parallelFor(countTasks, inner, nullptr, nested.inner);
  }
}

TEST_P(ThreadPoolThreads, RunsNestedLaunches) {
  ThreadPool pool(GetParam());
  for (int round = 0; round < 200; ++round) {
    std::vector<std::atomic<int>> counts(40 * 5);
    Nested nested = {&pool, &counts, 5};
    void *pointers[] = {&nested};
    pool.parallelFor(launchInner, pointers, nullptr, 40);
    for (std::atomic<int> &count : counts)
      ASSERT_EQ(count, 1);
  }
}

TEST_P(ThreadPoolThreads, ServesSeveralCallers) {
  ThreadPool pool(GetParam());
  std::vector<std::thread> callers;
  std::atomic<int64_t> wrong{0};
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      for (int launch = 0; launch < 500; ++launch) {
        std::vector<std::atomic<int>> counts(17);
        void *pointers[] = {counts.data()};
        pool.parallelFor(countTasks, pointers, nullptr, 17);
        for (std::atomic<int> &count : counts)
          wrong += count != 1;
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST_P(ThreadPoolThreads, EndsAtAnyMoment) {
  for (int round = 0; round < 100; ++round) {
    ThreadPool pool(GetParam(), round % 2 ? 200 : 0);
    std::vector<std::atomic<int>> counts(8);
    void *pointers[] = {counts.data()};
    if (round % 3)
      pool.parallelFor(countTasks, pointers, nullptr, 8);
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, ThreadPoolThreads,
                         testing::Values(1, 2, 3, 8));

/// Adds the range's length to pointers[0].
static void addLength(void *const *pointers, const int64_t *, int64_t begin,
                      int64_t end) {
  static_cast<std::atomic<int64_t> *>(pointers[0])->fetch_add(end - begin);
}

/// pointers[0]: where each call begins.
static void noteBegin(void *const *pointers, const int64_t *, int64_t begin,
                      int64_t) {
  static_cast<std::vector<int64_t> *>(pointers[0])->push_back(begin);
}

TEST(ThreadPool, TurnsBackWhereAFunctionIsCalledAgain) {
  ThreadPool pool(1);
  std::vector<int64_t> begins;
  std::atomic<int64_t> total{0};
  void *pointers[] = {&begins}, *others[] = {&total};
  auto run = [&] {
    begins.clear();
    pool.parallelFor(noteBegin, pointers, nullptr, 17);
    return begins;
  };
  std::vector<int64_t> forwards{0}, back{14, 11, 8, 5, 2, 0};
  EXPECT_EQ(run(), forwards);
  EXPECT_EQ(run(), back);
  EXPECT_EQ(run(), forwards);
  pool.parallelFor(addLength, others, nullptr, 17);
  EXPECT_EQ(run(), forwards);
}

TEST(ThreadPool, CountsMoreTasksThanTheTicketHolds) {
  ThreadPool pool(2);
  std::atomic<int64_t> total{0};
  void *pointers[] = {&total};
  int64_t tasks = (int64_t{1} << 33) + 5;
  pool.parallelFor(addLength, pointers, nullptr, tasks);
  EXPECT_EQ(total, tasks);
}

/// Each of two tasks waits, up to ten seconds, until the other has started.
static void meetTheOther(void *const *pointers, const int64_t *, int64_t begin,
                         int64_t end) {
  auto &started = *static_cast<std::atomic<int> *>(pointers[0]);
  auto &met = *static_cast<std::atomic<int> *>(pointers[1]);
  auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  for (int64_t task = begin; task < end; ++task) {
    ++started;
    while (started < 2 && std::chrono::steady_clock::now() < limit)
      std::this_thread::yield();
    met += started == 2;
  }
}

TEST(ThreadPool, TasksRunAtTheSameTime) {
  for (int spinMicroseconds : {0, 200}) {
    ThreadPool pool(2, spinMicroseconds);
    for (int launch = 0; launch < 50; ++launch) {
      std::atomic<int> started{0}, met{0};
      void *pointers[] = {&started, &met};
      pool.parallelFor(meetTheOther, pointers, nullptr, 2);
      ASSERT_EQ(met, 2);
    }
  }
}

TEST(ThreadPool, FinishesBesideBusyNeighbours) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> neighbours;
  for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i)
    neighbours.emplace_back([&] {
      while (!stop.load(std::memory_order_relaxed))
        continue;
    });
  int64_t sizes[] = {2000};
  ThreadPool one(1), two(2);
  std::vector<double> expected(64), got(64);
  void *expectedPointers[] = {expected.data()}, *gotPointers[] = {got.data()};
  one.parallelFor(fillSlots, expectedPointers, sizes, 64);
  for (int launch = 0; launch < 200; ++launch) {
    std::fill(got.begin(), got.end(), 0);
    two.parallelFor(fillSlots, gotPointers, sizes, 64);
    ASSERT_EQ(got, expected);
  }
  stop = true;
  for (std::thread &neighbour : neighbours)
    neighbour.join();
}

TEST(ThreadPool, ManyPoolsLiveTogether) {
  std::vector<std::unique_ptr<ThreadPool>> pools;
  for (int i = 0; i < 20; ++i)
    pools.push_back(std::make_unique<ThreadPool>(2));
  std::atomic<int64_t> total{0};
  void *pointers[] = {&total};
  for (auto &pool : pools)
    pool->parallelFor(addLength, pointers, nullptr, 100);
  EXPECT_EQ(total, 2000);
}
