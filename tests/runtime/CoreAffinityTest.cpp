// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves between cores, and that they bind no thread.

#include "runtime/CoreAffinity.h"

#include <atomic>
#include <gtest/gtest.h>
#include <sched.h>
#include <thread>
#include <vector>

using namespace zenith::runtime;

static cpu_set_t allowedCores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  sched_getaffinity(0, sizeof(cores), &cores);
  return cores;
}

static std::vector<int> listed(const cpu_set_t &cores) {
  std::vector<int> list;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &cores))
      list.push_back(core);
  return list;
}

/// Runs body in a thread that may run on this core only.
template <typename Body> static void boundTo(int core, Body body) {
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    sched_setaffinity(0, sizeof(one), &one);
    body();
  }).join();
}

TEST(CoreAffinity, KnowsTheCore) {
  for (int core : listed(allowedCores()))
    boundTo(core, [&] { EXPECT_EQ(currentCore(), core); });
}

TEST(CoreAffinity, LeavesACoreWithoutBinding) {
  cpu_set_t before = allowedCores();
  if (CPU_COUNT(&before) < 2)
    GTEST_SKIP() << "one core";
  EXPECT_TRUE(leaveCore(currentCore()));
  cpu_set_t after = allowedCores();
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(CoreAffinity, StaysOnTheOnlyCore) {
  int core = listed(allowedCores()).front();
  boundTo(core, [&] {
    EXPECT_FALSE(leaveCore(core));
    EXPECT_EQ(listed(allowedCores()), std::vector<int>{core});
  });
  EXPECT_FALSE(leaveCore(-1));
}

TEST(CoreAffinity, MovesAThreadWithoutBinding) {
  std::vector<int> cores = listed(allowedCores());
  std::atomic<bool> stop{false};
  std::vector<int> seen;
  std::thread thread([&] {
    while (!stop)
      std::this_thread::yield();
    seen = listed(allowedCores());
  });
  for (int core : cores)
    moveToCore(thread, core);
  moveToCore(thread, -1);
  stop = true;
  thread.join();
  EXPECT_EQ(seen, cores);
}

TEST(CoreAffinity, CountsTimeOnACore) {
  std::atomic<bool> worked{false}, stop{false};
  std::thread thread([&] {
    for (volatile int i = 0; i < 100000; i = i + 1)
      continue;
    worked = true;
    while (!stop)
      std::this_thread::yield();
  });
  while (!worked)
    std::this_thread::yield();
  EXPECT_GT(coreNanoseconds(thread), 0);
  stop = true;
  thread.join();
}

TEST(CoreAffinity, TellsALostCoreFromAnInterrupt) {
  EXPECT_TRUE(lostItsCore(0, 100'000));
  EXPECT_TRUE(lostItsCore(20'000, 100'000));
  EXPECT_FALSE(lostItsCore(60'000, 100'000));
  EXPECT_FALSE(lostItsCore(100'000, 100'000));
}
