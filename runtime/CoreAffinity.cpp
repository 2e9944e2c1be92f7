// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A move narrows the thread's affinity, which takes it along at once, and
// widens it again.

#include "runtime/CoreAffinity.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

namespace zenith::runtime {

int currentCore() { return sched_getcpu(); }

/// Fails on machines with more cores than cpu_set_t has bits.
static bool mayRunOn(pthread_t thread, cpu_set_t &cores) {
  return pthread_getaffinity_np(thread, sizeof(cores), &cores) == 0;
}

static bool moveTo(pthread_t thread, const cpu_set_t &target,
                   const cpu_set_t &allowed) {
  if (pthread_setaffinity_np(thread, sizeof(target), &target) != 0)
    return false;
  pthread_setaffinity_np(thread, sizeof(allowed), &allowed);
  return true;
}

bool leaveCore(int core) {
  cpu_set_t allowed;
  if (core < 0 || !mayRunOn(pthread_self(), allowed))
    return false;
  cpu_set_t others = allowed;
  CPU_CLR(core, &others);
  return CPU_COUNT(&others) > 0 && moveTo(pthread_self(), others, allowed);
}

void moveToCore(std::thread &thread, int core) {
  cpu_set_t allowed;
  if (core < 0 || !mayRunOn(thread.native_handle(), allowed) ||
      !CPU_ISSET(core, &allowed))
    return;
  cpu_set_t target;
  CPU_ZERO(&target);
  CPU_SET(core, &target);
  moveTo(thread.native_handle(), target, allowed);
}

int64_t coreNanoseconds(std::thread &thread) {
  clockid_t clock;
  timespec time{};
  if (pthread_getcpuclockid(thread.native_handle(), &clock) == 0)
    clock_gettime(clock, &time);
  return int64_t{1'000'000'000} * time.tv_sec + time.tv_nsec;
}

} // namespace zenith::runtime
