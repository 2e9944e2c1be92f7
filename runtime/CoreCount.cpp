// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the affinity mask and the quotas of cgroup versions 2 and 1.

#include "runtime/CoreCount.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <thread>

namespace zenith::runtime {

int coresOfQuota(const std::string &cpuMax) {
  long long quota = 0, period = 0;
  if (std::sscanf(cpuMax.c_str(), "%lld %lld", &quota, &period) != 2 ||
      quota <= 0 || period <= 0)
    return 0;
  return static_cast<int>(
      std::min<long long>((quota + period - 1) / period, 1 << 16));
}

static std::string firstLine(const std::string &path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// Smallest quota of the group and the groups above it, since each of them
/// limits; 0 = none.
static int quotaUpwards(const std::string &root, std::string group,
                        bool version1) {
  int smallest = 0;
  for (;;) {
    std::string dir = root + group;
    std::string text = version1 ? firstLine(dir + "/cpu.cfs_quota_us") + " " +
                                      firstLine(dir + "/cpu.cfs_period_us")
                                : firstLine(dir + "/cpu.max");
    if (int cores = coresOfQuota(text))
      smallest = smallest ? std::min(smallest, cores) : cores;
    size_t slash = group.rfind('/');
    if (group.empty() || slash == std::string::npos)
      return smallest;
    group.resize(slash);
  }
}

static int cgroupCores() {
  int smallest = 0;
  auto limit = [&](int cores) {
    if (cores)
      smallest = smallest ? std::min(smallest, cores) : cores;
  };
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
      continue;
    std::string controllers = line.substr(first + 1, second - first - 1);
    std::string group = line.substr(second + 1);
    if (group == "/")
      group.clear();
    if (controllers.empty())
      limit(quotaUpwards("/sys/fs/cgroup", group, false));
    std::istringstream names(controllers);
    for (std::string name; std::getline(names, name, ',');)
      if (name == "cpu")
        limit(quotaUpwards("/sys/fs/cgroup/" + controllers, group, true));
  }
  return smallest;
}

int grantedCores() {
  int cores = static_cast<int>(std::thread::hardware_concurrency());
  cpu_set_t mask;
  // Fails on machines with more cores than cpu_set_t has bits; their total is
  // then the bound.
  if (sched_getaffinity(0, sizeof(mask), &mask) == 0)
    cores = CPU_COUNT(&mask);
  if (int quota = cgroupCores())
    cores = std::min(cores, quota);
  return std::max(cores, 1);
}

int usefulThreads(int wanted) {
  int cores = grantedCores();
  return wanted > 0 ? std::min(wanted, cores) : cores;
}

} // namespace zenith::runtime
