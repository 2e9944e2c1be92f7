// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the affinity mask, /proc, and the limits of cgroup versions 2 and 1.

#include "runtime/SystemResources.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sched.h>
#include <sstream>
#include <thread>
#include <unistd.h>

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

static std::string wholeFile(const std::string &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Calls `visit` with the folders of the group and of the groups above it,
/// since each of them limits.
template <typename Visit>
static void visitUpwards(const std::string &root, std::string group,
                         bool version1, Visit visit) {
  for (;;) {
    visit(root + group, version1);
    size_t slash = group.rfind('/');
    if (group.empty() || slash == std::string::npos)
      return;
    group.resize(slash);
  }
}

/// Calls `visit(folder, isVersion1)` for each group that limits what
/// `controller` stands for.
template <typename Visit>
static void forEachGroup(const std::string &controller, Visit visit) {
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
      visitUpwards("/sys/fs/cgroup", group, false, visit);
    std::istringstream names(controllers);
    for (std::string name; std::getline(names, name, ',');)
      if (name == controller)
        visitUpwards("/sys/fs/cgroup/" + controllers, group, true, visit);
  }
}

/// The smallest quota of all groups; 0 = none.
static int cgroupCores() {
  int smallest = 0;
  forEachGroup("cpu", [&](const std::string &folder, bool version1) {
    std::string text = version1
                           ? firstLine(folder + "/cpu.cfs_quota_us") + " " +
                                 firstLine(folder + "/cpu.cfs_period_us")
                           : firstLine(folder + "/cpu.max");
    if (int cores = coresOfQuota(text))
      smallest = smallest ? std::min(smallest, cores) : cores;
  });
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

int64_t fieldOf(const std::string &text, const std::string &name) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string key, unit;
    int64_t value = 0;
    words >> key;
    if (!key.empty() && key.back() == ':')
      key.pop_back();
    if (key != name || !(words >> value) || value < 0)
      continue;
    return words >> unit && unit == "kB" ? value * 1024 : value;
  }
  return -1;
}

/// The number that is the whole text; `otherwise` for "max" and other words.
static int64_t numberOr(const std::string &text, int64_t otherwise) {
  int64_t value = 0;
  return std::istringstream(text) >> value ? value : otherwise;
}

/// What a group leaves: its limit less what its processes have in memory, where
/// pages of files don't count, which the system drops before it kills.
static int64_t leftInGroup(const std::string &folder, bool version1) {
  int64_t limit = numberOr(
      firstLine(folder + (version1 ? "/memory.limit_in_bytes" : "/memory.max")),
      INT64_MAX);
  int64_t used =
      numberOr(firstLine(folder + (version1 ? "/memory.usage_in_bytes"
                                            : "/memory.current")),
               0);
  if (limit == INT64_MAX)
    return INT64_MAX;
  std::string details = wholeFile(folder + "/memory.stat");
  for (const char *kind : {"inactive_file", "active_file"})
    used -= std::max<int64_t>(
        fieldOf(details, std::string(version1 ? "total_" : "") + kind), 0);
  return std::max<int64_t>(limit - std::max<int64_t>(used, 0), 0);
}

int64_t availableMemory() {
  int64_t least = fieldOf(wholeFile("/proc/meminfo"), "MemAvailable");
  if (least < 0)
    least = INT64_MAX;
  forEachGroup("memory", [&](const std::string &folder, bool version1) {
    least = std::min(least, leftInGroup(folder, version1));
  });
  return least;
}

int64_t residentMemory() {
  std::istringstream pages(firstLine("/proc/self/statm"));
  int64_t total = 0, resident = 0, ofFiles = 0;
  if (!(pages >> total >> resident >> ofFiles))
    return 0;
  return std::max<int64_t>(resident - ofFiles, 0) * sysconf(_SC_PAGESIZE);
}

} // namespace zenith::runtime
