// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cores and memory that the system and its control groups grant the process.

#ifndef ZENITH_RUNTIME_SYSTEMRESOURCES_H
#define ZENITH_RUNTIME_SYSTEMRESOURCES_H

#include <cstdint>
#include <string>

namespace zenith::runtime {

/// Cores that affinity and cgroup quota grant to this process, at least 1; a
/// quota of 1.5 cores counts as 2.
int grantedCores();

/// The best number of threads where `wanted` are asked for, 0 = as many as
/// there are cores: more threads than cores would preempt each other.
int usefulThreads(int wanted);

/// Cores of a cgroup v2 "cpu.max" text ("150000 100000", "max 100000"), rounded
/// up; 0 = no quota or unreadable text.
int coresOfQuota(const std::string &cpuMax);

/// Bytes that the process can still touch: what /proc/meminfo calls available,
/// and what the limits of its cgroups (versions 1 and 2) leave, page cache that
/// can be dropped included. INT64_MAX where the system doesn't say.
int64_t availableMemory();

/// Bytes of the process in memory that are no pages of files; 0 where the
/// system doesn't say.
int64_t residentMemory();

/// The number behind `name`, as in "MemAvailable:   123 kB" or
/// "inactive_file 4096", in a text of such lines; -1 without one. Numbers in kB
/// are given in bytes.
int64_t fieldOf(const std::string &text, const std::string &name);

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_SYSTEMRESOURCES_H
